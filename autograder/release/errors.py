"""What stops a release: one sentence that says where to look."""


class ReleaseError(Exception):
    """A chapter, reference or check that cannot be released as it stands."""
