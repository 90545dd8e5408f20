"""nbgrader's own commands on a course of this kind: its configuration names these classes."""
