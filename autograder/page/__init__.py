"""The engine without PyTorch: its names on NumPy, for an interpreter in a browser."""
