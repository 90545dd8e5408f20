"""Grading: hostile code in a sandbox, plain data out of it, and the verdict on the trusted side."""
