"""Other systems that grade with this engine: Gradescope, GitHub Classroom, nbgrader's commands."""
