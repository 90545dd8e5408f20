"""What ends a command: each text says in a sentence what is wrong, and what to do."""


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
