"""Does every hostile submission get what it deserves, and nobody else anything but their own?"""

import base64
import contextlib
import ctypes
import functools
import hashlib
import io
import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import PIL.Image
import pytest
from nbconvert import HTMLExporter

from autograder.checking import find
from autograder.grading.course.folder import STUDENT_ID, Course
from autograder.grading.text import one_line
from tests.attacks.corpus import CHAPTER, EXERCISES, Case, cases, place, solved, write_course
from tests.sandboxed import needs_sandbox

pytestmark = [pytest.mark.slow, needs_sandbox]
CASES = cases()
ASKED = [
    pytest.param(case, marks=pytest.mark.exhaustive) if case.seldom else case for case in CASES
]
FULL = sum(find(name).points for name in EXERCISES)
# Cells of these kinds go for what others share. After each of them, and after one case of every
# other kind, comes a neighbor in every run; after all others in an exhaustive one.
AGAINST_OTHERS = {"crashes", "floods", "neighbors", "processes", "writing"}
PR_SET_CHILD_SUBREAPER = 36


@dataclass(repr=False)
class Run:
    """What one run of the whole corpus left behind."""

    course: Course
    cases: list[Case]
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    said: str = ""
    changed: list[str] = field(default_factory=list)
    visitors: int = 0
    left_over: list[str] = field(default_factory=list)

    def of(self, case: Case) -> dict[str, Any]:
        return self.records[student_of(case)]


def student_of(case: Case) -> str:
    return case.student or f"{CASES.index(case):03}-{case.name.replace('/', '-')}"


def neighbor_of(case: Case) -> str:
    """Who is graded right after, by the same worker or beside it by the other."""
    return f"{CASES.index(case):03}-neighbor"


def _beside() -> list:
    """The cases as parameters; those whose neighbor is looked at seldom are exhaustive."""
    seen, found = set(), []
    for case in CASES:
        kind = case.name.rpartition("/")[0]
        often = kind not in seen or kind in {f"cells/{family}" for family in AGAINST_OTHERS}
        found.append(case if often else pytest.param(case, marks=pytest.mark.exhaustive))
        seen.add(kind)
    return found


def listing(*folders: Path) -> dict[str, str]:
    """Every file with what is in it."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or not path.is_file():
                found[str(path)] = os.readlink(path) if path.is_symlink() else "no file"
            else:
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def descendants() -> dict[int, str]:
    """The processes below this one, by number."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state == "Z":
                continue  # it has ended; who started it has not asked yet how
            parents.setdefault(int(parent), []).append(int(entry.name))
    found, queue = {}, [os.getpid()]
    while queue:
        for child in parents.get(queue.pop(), []):
            with contextlib.suppress(OSError):
                found[child] = Path(f"/proc/{child}/comm").read_text().strip()
            queue.append(child)
    return found


def left_over(running: set[int]) -> list[str]:
    """The names of the processes that are new and do not end; a helper ends after its command."""
    deadline = time.monotonic() + 10
    while True:
        found = [name for pid, name in descendants().items() if pid not in running]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


@contextlib.contextmanager
def listening(tmp: Path):
    """Doors that nobody may knock at, and how to find them."""
    doors = [socket.create_server(("127.0.0.1", 0))]
    for address in (f"\0attacked-{os.getpid()}", str(tmp / "door")):
        door = socket.socket(socket.AF_UNIX)
        door.bind(address)
        door.listen()
        doors.append(door)
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.bind(("127.0.0.1", 0))
    doors.append(datagrams)
    targets = {
        "PORT": doors[0].getsockname()[1],
        "ABSTRACT": f"attacked-{os.getpid()}",
        "DOOR": str(tmp / "door"),
        "DATAGRAMS": datagrams.getsockname()[1],
    }
    try:
        yield doors, targets
    finally:
        for door in doors:
            door.close()


def visits(doors: list[socket.socket]) -> int:
    count = 0
    for door in doors:
        door.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            door.recv(1) if door.type == socket.SOCK_DGRAM else door.accept()
            count += 1
    return count


def _case(item: pytest.Item) -> str:
    """The name of the case that a test is about; nothing where it is about all of them."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    case = params.get("case") or params.get("neighbored")
    return case.name if isinstance(case, Case) else ""


@pytest.fixture(scope="module")
def ran(tmp_path_factory, request) -> Run:
    """The corpus, or what of it `-k` chose, graded by the command line with two workers."""
    items = request.session.items
    asked = {_case(item) for item in items}
    chosen = [case for case in CASES if case.name in asked] or CASES
    beside = {_case(item) for item in items if "neighbored" in getattr(item, "fixturenames", ())}
    root = tmp_path_factory.mktemp("attacks")
    home, tmp = root / "home", root / "tmp"
    for folder in (home, tmp):
        folder.mkdir()
        (folder / "canary").write_text("nobody's")
    course = write_course(root / "course")
    run = Run(course, chosen)
    with listening(tmp) as (doors, targets):
        targets |= {"HOME": str(home), "TMP": str(tmp), "COURSE": str(course.root)}
        (root / "course" / "targets.json").write_text(json.dumps(targets))
        for case in chosen:
            case.hand_in(solved(), place(course, student_of(case)))
            if case.name in beside:
                honest = solved()
                honest.cells.append(nbformat.v4.new_markdown_cell(f"Beside {case.name}"))
                nbformat.write(honest, place(course, neighbor_of(case)))
        kept = (home, tmp, course.root / "release", course.root / "submitted")
        before, running = listing(*kept), set(descendants())
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # whoever is left comes to us
        try:
            # Those that wait for a limit wait for a short one.
            for patient, limit in ((True, 60), (False, 2)):
                alike = [case for case in chosen if case.patient == patient]
                students = [
                    name
                    for case in alike
                    for name in (student_of(case), *[neighbor_of(case)] * (case.name in beside))
                ]
                if students:
                    grade(run, students, limit, home, tmp)
            run.left_over = left_over(running)
        finally:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        after = listing(*kept)
        run.changed = sorted(path for path in before | after if before.get(path) != after.get(path))
        run.visitors = visits(doors)
    return run


def grade(run: Run, students: list[str], limit: int, home: Path, tmp: Path) -> None:
    target = run.course.root.parent / "records.jsonl"
    command = [sys.executable, "-m", "autograder.cli", "grade", "--course", str(run.course.root)]
    command += ["--workers", "2", "--limit-seconds", str(limit), "--memory-mib", "512"]
    command += ["--json", str(target)]
    command += [f"--student={student}" for student in students]
    environment = os.environ | {
        "HOME": str(home),
        "TMPDIR": str(tmp),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "COLUMNS": "200",
    }
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ended.returncode == 0, ended.stderr[-3000:]
    run.said += ended.stdout
    for line in target.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        run.records[record["student"]] = record


def test_there_are_at_least_80_cases():
    assert len(CASES) >= 80


@pytest.mark.parametrize("case", ASKED, ids=str)
def test_it_scores_what_it_deserves_and_the_teacher_is_told(ran, case):
    record = ran.of(case)
    found = {each["name"]: each for each in record["exercises"]}
    for name, (status, words) in case.verdicts.items():
        exercise = found[name]
        assert exercise["status"] in status.split("|"), (name, exercise["message"])
        deserved = find(name).points if status == "passed" else 0.0
        assert exercise["points"] == deserved
        assert words in exercise["message"]
    assert record["score"] == sum(each["points"] for each in record["exercises"])
    assert record["status"] == case.status, record["notes"]
    for words in case.notes:
        assert any(words in note for note in record["notes"]), record["notes"]
    if not case.notes:
        assert record["notes"] == []


UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("case", ASKED, ids=str)
def test_what_is_told_is_one_readable_line(ran, case):
    record = ran.of(case)
    told = [each["message"] for each in record["exercises"]] + record["notes"]
    for text in told:
        assert text and not UNSEEN.search(text) and len(text) <= 1000
    assert len(record["notes"]) <= 30
    page = ran.course.root / "feedback" / student_of(case) / CHAPTER / f"{CHAPTER}.html"
    if page.exists():
        assert page.stat().st_size < 500_000
        text = page.read_text(encoding="utf-8")
        assert not UNSEEN.search(text.replace("\n", "").replace("\t", ""))
        assert not re.search(r"<(script|iframe|img|object|embed|link|base|form|svg)", text, re.I)
        assert not re.search(r"\s(src|href|on\w+)\s*=\s*[\"']", re.sub(r"<pre>.*?</pre>", "", text))
    graded = ran.course.root / "autograded" / student_of(case) / CHAPTER / f"{CHAPTER}.ipynb"
    if graded.exists():
        assert graded.stat().st_size < 25 * 2**20
        nbformat.validate(nbformat.read(graded, as_version=4))


@functools.cache
def exporter() -> HTMLExporter:
    return HTMLExporter(template_name="basic")


class Lively(HTMLParser):
    """Collects what on a page runs, or loads something from elsewhere, and the ids on it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "form", "svg", "base", "meta", "style"):
            self.found.append(tag)
        self.ids.add(dict(attrs).get("id") or "")
        for name, value in attrs:
            leads = name in ("src", "href", "data", "action", "srcset", "xlink:href", "poster")
            here = (value or "").startswith(("#", "data:image/png;base64,iVBOR"))
            if name.startswith("on") or (leads and not here):
                self.found.append(f"{tag} {name}={value}")


@pytest.mark.parametrize(
    "case", [case for case in CASES if "pages" in case.name or "outputs" in case.name], ids=str
)
def test_the_graded_notebook_as_a_page_runs_nothing_and_loads_nothing(ran, case):
    """As nbgrader's formgrader shows it: nbconvert's basic template, in the teacher's browser."""
    graded = ran.course.root / "autograded" / student_of(case) / CHAPTER / f"{CHAPTER}.ipynb"
    page, _ = exporter().from_filename(str(graded))
    lively = Lively()
    lively.feed(page)
    assert "LearnedPositions" in page and lively.found == []
    scores = {f"{prefix}{name}" for prefix in ("", "check-") for name in EXERCISES}
    comments = {f"{name}-comment" for name in scores}
    assert not lively.ids & (scores | comments | {"statusmessage", "notebook"})


@pytest.mark.parametrize("case", [case for case in CASES if "picture" in case.name], ids=str)
def test_a_browser_can_unfold_the_pictures(ran, case):
    graded = ran.course.root / "autograded" / student_of(case) / CHAPTER / f"{CHAPTER}.ipynb"
    outputs = [
        out for cell in json.loads(graded.read_bytes())["cells"] for out in cell.get("outputs", [])
    ]
    pictures = [base64.b64decode(out["data"]["image/png"]) for out in outputs if _shows_png(out)]
    sizes = [PIL.Image.open(io.BytesIO(picture)).size for picture in pictures]
    assert max(width * height for width, height in sizes) == 15_000_000
    assert sum(width * height for width, height in sizes) <= 10**8
    assert not any(b"script" in picture or b"acTL" in picture for picture in pictures)


def _shows_png(output: dict) -> bool:
    return "image/png" in output.get("data", {})


@pytest.mark.parametrize("neighbored", _beside(), ids=str)
def test_the_neighbor_gets_the_full_score(ran, neighbored):
    record = ran.records[neighbor_of(neighbored)]
    assert (record["status"], record["score"], record["notes"]) == ("graded", FULL, [])


def test_nothing_on_the_machine_was_changed(ran):
    assert ran.changed == []


def test_nobody_knocked_at_a_door(ran):
    assert ran.visitors == 0


def test_no_process_is_left_over(ran):
    assert ran.left_over == []


def test_the_gradebook_holds_the_scores_of_the_records_and_nobody_elses(ran):
    with sqlite3.connect(ran.course.root / "gradebook.db") as database:
        rows = database.execute(
            """select handed.student_id, sum(grade.auto_score) from grade
               join submitted_notebook on submitted_notebook.id = grade.notebook_id
               join submitted_assignment as handed on handed.id = submitted_notebook.assignment_id
               group by 1"""
        ).fetchall()
    scores = {student: record["score"] for student, record in ran.records.items()}
    assert dict(rows) == {
        name: score for name, score in scores.items() if STUDENT_ID.fullmatch(name)
    }


def test_the_terminal_shows_one_line_for_each_submission_to_look_at(ran):
    lines = ran.said.splitlines()
    for case in ran.cases:
        name = one_line(student_of(case))
        telling = [line for line in lines if line.startswith(f"{name}, ")]
        remarkable = case.status != "graded" or case.notes
        assert len(telling) == bool(remarkable), case
    assert not UNSEEN.search(ran.said.replace("\n", ""))
