"""What must hold of each exercise, and what is commonly got wrong: one module per chapter."""
