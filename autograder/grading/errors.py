"""Why one submission, or one exercise of all of them, cannot be graded: each in a sentence."""


class BrokenCheck(ValueError):
    """An exercise's own reference does not pass its check: nobody can be graded by it."""


class Invalid(Exception):
    """The submission is not a notebook that can be graded; the text is for the teacher."""
