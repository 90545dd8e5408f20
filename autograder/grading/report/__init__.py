"""What is shown of what was graded: to a student, to a teacher, to other systems."""
