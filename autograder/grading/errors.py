"""What ends a run, or one submission: each says in a sentence what to do."""


class BrokenCheck(ValueError):
    """An exercise's own reference does not pass its check: nobody can be graded by it."""


class CourseError(Exception):
    """The course folder cannot be graded as it is; the text says what to do."""


class GradebookError(CourseError):
    """The gradebook cannot be used; the text says what to do."""


class Invalid(Exception):
    """The submission is not a notebook that can be graded; the text is for the teacher."""
