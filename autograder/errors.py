"""What ends a command, or one submission's grading: each text is a sentence on what is wrong."""


class CommandError(Exception):
    """A command cannot go on; its text is all that is shown of it."""


class UsageError(CommandError):
    """What was asked for cannot be done."""


class SettingsError(CommandError):
    """`course.toml` cannot be used."""


class ReleaseError(CommandError):
    """A chapter, reference or check that cannot be released as it stands."""


class CourseError(CommandError):
    """The course folder cannot be graded as it is."""


class GradebookError(CourseError):
    """The gradebook cannot be used."""


class BrokenCheck(ValueError):
    """An exercise's own reference does not pass its check: nobody can be graded by it."""


class Invalid(Exception):
    """The submission is not a notebook that can be graded; the text is for the teacher."""
