"""What has been graded: results by content, and which of them the gradebook already has."""

import errno
import hmac
import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.files import sha256, sha256_of_content, write_whole

if TYPE_CHECKING:
    from autograder.grading.course.released import ReleasedChapter

# Of inputs in a run. To plan a chapter's checks for one more draw takes three quarters of the time
# that grading a submission takes; a draw for each student would nearly double a run.
DRAWS = 8


def there(found: dict[str, Any] | None) -> dict[str, Any]:
    """A result of the journal. Raises OSError if the file has been removed."""
    if found is None:
        raise OSError(errno.ENOENT, "a result that was there is gone", ".grading/results")
    return found


class Journal:
    """Files in the course's `.grading` folder, each written in one step."""

    def __init__(self, folder: Path) -> None:
        self._results = folder / "results"
        self._applied = folder / "applied"
        for path in (self._results, self._applied):
            path.mkdir(parents=True, exist_ok=True)
        self._secret = self._read_secret(folder / "secret")
        self._round = folder / "round"

    @staticmethod
    def _read_secret(path: Path) -> bytes:
        if not path.exists():
            write_whole(path, secrets.token_hex(32).encode())
            path.chmod(0o600)
        return path.read_bytes()

    def basis(self, content: bytes, chapter: "ReleasedChapter", settings: str) -> str:
        """A hash of a submission, its release, the grader and the limits, but not of the checks."""
        return sha256(chapter.name, chapter.digest, settings, content)

    def key(self, basis: str, chapter: "ReleasedChapter") -> str:
        """The name of a result: a hash of its basis and of the checks and references."""
        return sha256(basis, *(exercise.digest for exercise in chapter.exercises))

    def seed(self, chapter: "ReleasedChapter", student: str) -> int:
        """The seed of a student's inputs in this run: the same when it is resumed, not in the next.

        There are only DRAWS different ones, because the reference answers for each. Students cannot
        tell which of them share a seed, so copying another's answers during a run rarely pays.
        """
        draw = self._digest(f"{self._number()}, {student}")[0] % DRAWS
        text = f"{self._number()}, {draw}, {chapter.name}, {chapter.digest}"
        return int.from_bytes(self._digest(text)[:7], "big")

    def _digest(self, text: str) -> bytes:
        # The name of a folder need not be text.
        return hmac.digest(self._secret, text.encode(errors="surrogatepass"), "sha256")

    def feedback_secret(self, student: str, chapter: str) -> str:
        """A secret for one student's page, the same every time."""
        return self._digest(f"the page of {student} for {chapter}").hex()

    def finished(self) -> None:
        """A run has come to its end."""
        write_whole(self._round, str(self._number() + 1).encode())

    def _number(self) -> int:
        try:
            return int(self._round.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return 0

    def result(self, key: str) -> dict[str, Any] | None:
        """A stored result; None if there is none."""
        try:
            lines = (self._results / f"{key}.json").read_text(encoding="utf-8").split("\n")
            return {"record": json.loads(lines[0])} | json.loads(lines[1])
        except (OSError, ValueError, IndexError, TypeError):
            return None

    def record(self, key: str) -> dict[str, Any] | None:
        """The record alone, without the notebook and the page."""
        try:
            with (self._results / f"{key}.json").open(encoding="utf-8") as lines:
                return json.loads(lines.readline())
        except (OSError, ValueError):
            return None

    def keep(self, key: str, result: dict[str, Any]) -> None:
        """Remember a result: its record in the first line, the rest in the second."""
        rest = {name: part for name, part in result.items() if name != "record"}
        # Other alphabets as they are: as escapes they would take three times the room.
        text = f"{json.dumps(result['record'])}\n{json.dumps(rest, ensure_ascii=False)}\n"
        write_whole(self._results / f"{key}.json", text.encode(errors="backslashreplace"))

    def was_judged_otherwise(self, key: str, chapter: "ReleasedChapter") -> bool:
        """Whether a result belongs to other points or checks than the chapter has."""
        result = self.result(key)
        if result is None:
            return False
        points = {one["name"]: one["max_points"] for one in result["record"]["exercises"]}
        checks = {exercise.name: exercise.digest for exercise in chapter.exercises}
        now = {exercise.name: exercise.points for exercise in chapter.exercises}
        return (points, result["checks"]) != (now, checks)

    def shown(self, student: str, chapter: str) -> str | None:
        """The key of the result that the gradebook and the folders show."""
        try:
            return self._mark(student, chapter).read_text(encoding="ascii")
        except (OSError, ValueError):
            return None

    def applied(self, student: str, chapter: str, key: str) -> None:
        """Note that the gradebook and the folders show this result; the one before is dropped."""
        before = self.shown(student, chapter)
        write_whole(self._mark(student, chapter), key.encode())
        if before and before != key:
            (self._results / f"{before}.json").unlink(missing_ok=True)

    def _mark(self, student: str, chapter: str) -> Path:
        name = sha256_of_content(f"{chapter}\0{student}".encode(errors="surrogatepass"))
        return self._applied / name
