"""Plugins for nbgrader's collecting: from the exchange without links, from platforms by name."""

import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.exchange.default import ExchangeCollect
from nbgrader.plugins import FileNameCollectorPlugin

from autograder.grading.course.arrival import LATE
from autograder.grading.course.folder import STUDENT_ID
from autograder.grading.course.handed_in import means
from autograder.grading.course.reading import plain_content

# lovelaceada_LATE_12345_67890_02-softmax-1.ipynb: name, late or not, Canvas's ids of user and work.
CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<lms_id>\d+)_\d+_(?P<file>.+)")
# Ada Lovelace_12345_assignsubmission_file_/02-softmax.ipynb, or without the folder.
MOODLE = re.compile(r"(?P<name>[^_/]+)_\d+_assignsubmission_file_(?:.*/)?(?P<file>[^/]+)")
# lovelace_02-softmax.ipynb
PLAIN = re.compile(r"(?P<name>[^_]+)_(?P<file>.+)")


class PlainCollect(ExchangeCollect):
    """Copies plain files alone: a link would be followed with a teacher's rights."""

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission's folder. What a student exchanges for a link meanwhile is not read."""
        if os.path.islink(src):
            self.log.error("%s is a symbolic link; nothing is collected", src)
            return
        for place, _, names, descriptor in os.fwalk(src, follow_symlinks=False):
            target = Path(dest) / os.path.relpath(place, src)
            target.mkdir(parents=True, exist_ok=True)
            for name in names:
                content = self._content_of(name, descriptor)
                if content is None:
                    self.log.warning("%s is not a plain file that is collected", Path(place, name))
                else:
                    (target / name).write_bytes(content)

    def _content_of(self, name: str, folder: int) -> bytes | None:
        at_most = 1000 * self.coursedir.max_file_size
        try:
            content = plain_content(name, at_most + 1, folder)
        except OSError:
            return None
        return content if content is not None and len(content) <= at_most else None


class Late(datetime):
    """A time of which a platform says that it was late, and not when."""

    def isoformat(self, *arguments: Any, **options: Any) -> str:
        """What nbgrader writes into `timestamp.txt`."""
        return LATE


class PlatformNames(FileNameCollectorPlugin):
    """Reads the names of Canvas's and Moodle's downloads, and `<student>_<chapter>.ipynb`.

    Students are named as in the gradebook where that has Canvas's id (`lms_user_id`) or the name
    that Moodle writes; else as in the file's name. With a `named_regexp` of your own that counts.
    """

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """Student, notebook and time by a file's name; None for what is not to be collected."""
        path = Path(submitted_file)
        if self.named_regexp:
            return super().collect(submitted_file)
        if path.suffix not in self.valid_ext or path.is_symlink() or not path.is_file():
            return None
        chapter = self.parent.coursedir.assignment_id
        info = self._named(path, chapter)
        if info is None or not STUDENT_ID.fullmatch(info["student_id"].strip(".")):
            return None
        seen = self.__dict__.setdefault("_seen", set())
        file_id = chapter if means(info.pop("file"), chapter) else path.stem
        if (info["student_id"], file_id) in seen:  # both are collected; grading names them
            file_id = path.stem
        seen.add((info["student_id"], file_id))
        return info | {"file_id": file_id}

    def _named(self, path: Path, chapter: str) -> dict[str, Any] | None:
        if match := CANVAS.fullmatch(path.stem):
            when = {"timestamp": Late(1970, 1, 1)} if match["late"] else {}
            student = self._student(lms_user_id=match["lms_id"]) or match["name"]
            return {"student_id": student, "file": match["file"]} | when
        whole = path.with_suffix("").as_posix()
        for start in re.finditer(r"(?<=/)", whole):
            if match := MOODLE.fullmatch(whole, start.end()):
                first, _, last = match["name"].partition(" ")
                student = self._student(first_name=first, last_name=last) or match["name"]
                return {"student_id": student, "file": match["file"]}
        match = PLAIN.fullmatch(path.stem)
        if match and means(match["file"], chapter):
            return {"student_id": match["name"], "file": match["file"]}
        self.log.warning("%s is not named as Canvas or Moodle do", path.name)
        return None

    def _student(self, **fields: str) -> str | None:
        """The id of the one student of the gradebook with these fields."""
        coursedir = self.parent.coursedir
        with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
            ids = [
                student.id
                for student in gradebook.students
                if all(str(getattr(student, name)) == value for name, value in fields.items())
            ]
        return ids[0] if len(ids) == 1 else None
