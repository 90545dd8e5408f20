"""Judges the notebooks in a folder, and writes their certificate."""

from collections.abc import Sequence
from pathlib import Path

from autograder.files import write_whole
from autograder.notebook.certificate import Certificate, Judged, course_hash, judged
from autograder.notebook.certificate_page import page
from autograder.notebook.certificate_pdf import write_pdf


def certify(folder: Path, check: Sequence[str], target: Path) -> list[Judged]:
    """Judge, and write the page at `target` and the PDF beside it."""
    chapters = list(judged(folder, check))
    certificate = Certificate(chapters, course_hash(chapters))
    write_whole(target, page(certificate).encode())
    write_pdf(certificate, target.with_suffix(".pdf"))
    return chapters
