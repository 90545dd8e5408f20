"""A class is graded: what there is to do, who does it, and how the results are written down."""
