"""A file of a submission as bytes: no links, no pipes, no more than can be graded."""

import json
import os
import stat
from pathlib import Path

from autograder.errors import Invalid
from autograder.grading.course.skim import skimmed

LARGEST_FILE = 200 * 2**20
LARGEST_NOTEBOOK = 20 * 2**20  # without its outputs


def read(path: Path) -> bytes:
    """The bytes of a submitted notebook without its outputs.

    Invalid for links, folders, devices and huge files.
    """
    if path.is_symlink():
        raise Invalid("the notebook is a symbolic link; a submission must be a plain file")
    content = plain_content(path, LARGEST_FILE + 1)
    if content is None:
        raise Invalid("the notebook is not a plain file")
    return without_outputs(content)


def without_outputs(content: bytes) -> bytes:
    """A notebook's bytes as they are graded; Invalid if there are too many of them."""
    if len(content) > LARGEST_FILE:
        raise Invalid(f"the notebook has more than {LARGEST_FILE // 2**20} MiB")
    content = skimmed(_in_utf_8(content))
    if len(content) > LARGEST_NOTEBOOK:
        size = len(content) / 2**20
        at_most = f"at most {LARGEST_NOTEBOOK // 2**20} MiB are graded"
        raise Invalid(f"the notebook has {size:.0f} MiB without its outputs; {at_most}")
    return content


def _in_utf_8(content: bytes) -> bytes:
    """The same text in UTF-8, where it is JSON in another encoding; what is no text stays."""
    encoding = json.detect_encoding(content)
    if encoding.startswith("utf-8"):
        return content
    if len(content) > 2 * LARGEST_NOTEBOOK:
        at_most = f"more than {-(-2 * LARGEST_NOTEBOOK // 2**20)} MiB"
        raise Invalid(f"the notebook is saved in {encoding} and has {at_most}; save it as UTF-8")
    try:
        return content.decode(encoding).encode()
    except UnicodeError:
        return content


def plain_content(path: Path | str, at_most: int, folder: int | None = None) -> bytes | None:
    """The first bytes of a plain file; None for what is none: a pipe would never end.

    A name is looked up in the open `folder`, where there is one. Raises OSError if there is no
    such file, it is a link, or it cannot be read.
    """
    # Asked of what was opened, not of the name, which may lead elsewhere the next moment.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, dir_fd=folder)
    except OSError:
        if stat.S_ISSOCK(os.lstat(path, dir_fd=folder).st_mode):  # cannot even be opened
            return None
        raise
    opened = os.fstat(descriptor)
    if not stat.S_ISREG(opened.st_mode):
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        return file.read(min(at_most, opened.st_size + 1))  # room is made for as much as is asked
