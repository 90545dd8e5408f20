"""Tests of what the pages solve exercises with: PyTorch's names on NumPy."""
