"""What the chapters share: figures, figures to play with, and numbers in prose."""
