"""A course folder: what was released, what was handed in, what was graded."""
