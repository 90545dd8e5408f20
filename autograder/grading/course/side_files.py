"""What nbgrader's exchange wants beside a notebook: when it came, and the secret of its sender.

`nbgrader release_feedback` puts a page under a name that is made from the secret, so that only its
student finds it, and stops at the first folder that has none.
"""

import contextlib
import re
from pathlib import Path

from autograder.files import write_whole
from autograder.grading.course.arrival import NAME as TIME_STAMP
from autograder.grading.course.arrival import Arrival
from autograder.grading.course.journal import Journal
from autograder.grading.course.reading import plain_content

SECRET = "submission_secret.txt"
_SECRET = re.compile(rb"[0-9A-Za-z_-]{8,200}\s*")


def sent_with(folder: Path, came: Arrival) -> dict[str, bytes]:
    """Of the files beside a submission those that nbgrader needs, with nothing else in them."""
    files = {}
    if came.when is not None:
        files[TIME_STAMP] = f"{came.when.isoformat(' ', 'microseconds')} UTC\n".encode()
    with contextlib.suppress(OSError):
        secret = plain_content(folder / SECRET, 300)
        if secret and _SECRET.fullmatch(secret):
            files[SECRET] = secret
    return files


def for_feedback(
    sent: dict[str, bytes], journal: Journal, student: str, chapter: str
) -> dict[str, bytes]:
    """The same, and a secret that nobody knows for work that did not come by the exchange."""
    secret = journal.feedback_secret(student, chapter).encode()
    return {TIME_STAMP: b"", SECRET: secret} | sent


def put(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a folder, each whole or not at all; what else lies there stays.

    A time or secret of an earlier submission does not, nor what a run that was killed had begun.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in {TIME_STAMP, SECRET} - files.keys():
        (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        for begun in folder.glob(f".{name}.*.part"):
            begun.unlink(missing_ok=True)
        path = folder / name
        if not path.is_file() or path.is_symlink() or path.read_bytes() != content:
            write_whole(path, content)
