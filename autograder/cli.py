"""The command line: release, check, certificate, grade, report and export, over nbgrader."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder import manifest
from autograder.errors import CommandError, UsageError

if TYPE_CHECKING:
    from autograder.grading.course.folder import Course

Command = Callable[[argparse.Namespace], int]
Option = Callable[[argparse.ArgumentParser], Any]

TABLES = ("canvas", "moodle", "gradescope", "csv")
HANDOVERS = {"gradescope-autograder": "{}-gradescope.zip", "github-classroom": "{}-classroom.yml"}
COURSE_MARKS = (manifest.NAME, "gradebook.db", "nbgrader_config.py", "course.toml")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except CommandError as error:
        reason = str(error)
    except KeyboardInterrupt:
        print("\nStopped. Nothing is lost: the same command goes on from here.", file=sys.stderr)
        return 130
    except OSError as error:
        if error.filename is None:
            raise
        reason = f"{error.filename} cannot be read or written ({error.strerror})."
    print(f"autograder {options.command}: {reason}", file=sys.stderr)
    return 2


def _release(options: argparse.Namespace) -> int:
    """Build the release notebooks and the student bundle."""
    from autograder.release.build import release

    released = release(options.chapters, options.course)
    for name in released.built:
        print(f"released {name}")
    for name in released.unchanged:
        print(f"unchanged {name}")
    for note in released.notes:
        print(f"{note}.")
    print(f"course: {released.course}\nbundle: {released.bundle}")
    return 0


def _check(options: argparse.Namespace) -> int:
    """Check your own notebook; the exit code is 1 if an exercise is not right yet."""
    from autograder.notebook.terminal import check_notebook, note_on_packages, table

    if course := _course_it_was_handed_in_to(options.notebook):
        chapter = options.notebook.resolve().parent.name
        student = options.notebook.resolve().parent.parent.name
        raise UsageError(
            f"{options.notebook} was handed in, and check runs a notebook without a sandbox, with "
            f"all that you may do: grade it (autograder grade {shlex.quote(chapter)} "
            f"--course {shlex.quote(str(course))} --student {shlex.quote(student)}), or copy it "
            "elsewhere if it is your own."
        )
    try:
        verdicts = check_notebook(options.notebook, options.limit_seconds, options.more)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not verdicts:
        raise UsageError(f"{options.notebook} has no check cells.")
    # An error's words may have halves of characters, which no terminal takes.
    print(table(verdicts).encode(errors="backslashreplace").decode())
    if note := note_on_packages(options.notebook):
        print(note)
    if options.json:
        lines = (json.dumps(verdict.without_example()) for verdict in verdicts)
        options.json.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def _certificate(options: argparse.Namespace) -> int:
    """Judge all your notebooks again from nothing; write a page and a PDF of what was solved."""
    from autograder.notebook.certify import certify

    folder = options.folder.resolve()
    if not folder.is_dir():
        raise UsageError(f"{options.folder} is no folder with notebooks.")
    if _course_it_was_handed_in_to(folder / "any.ipynb"):
        raise UsageError(
            f"{options.folder} holds what was handed in, and certificate runs notebooks without a "
            "sandbox: grade them (autograder grade)."
        )
    target = options.to or folder / "certificate.html"
    check = [sys.executable, "-m", "autograder.cli", "check"]
    check += ["--limit-seconds", str(options.limit_seconds)]
    chapters = certify(folder, check, target)
    if not any(one.notebook for one in chapters):
        print(f"No chapter's notebook is in {folder}.", file=sys.stderr)
    for one in chapters:
        print(f"{one.chapter}: {one.points:g} of {one.max_points:g} points")
    print(f"page: {target}\npdf: {target.with_suffix('.pdf')}")
    return 0


def _course_it_was_handed_in_to(notebook: Path) -> Path | None:
    """The course in whose folder of submissions a notebook lies, if it lies in one."""
    names = ("submitted", "autograded", "downloaded")
    for folder in notebook.resolve().parents:
        course = folder.parent
        if folder.name in names and any((course / name).exists() for name in COURSE_MARKS):
            return course
    return None


def _grade(options: argparse.Namespace) -> int:
    """Grade the submitted notebooks in the sandbox."""
    from autograder.grading.course.folder import Course
    from autograder.grading.run.runner import grade_class, write_json
    from autograder.grading.run.screen import left_behind, progress_bar, summary
    from autograder.sandbox.limits import Limits
    from autograder.sandbox.probe import available

    unsafe = options.unsafe_no_sandbox
    if not unsafe and not options.scheduler and (reason := available()):
        raise UsageError(reason)
    if unsafe:
        print("Grading without a sandbox: submissions can do whatever you can.", file=sys.stderr)
    limits = Limits(options.limit_seconds, options.memory_mib * 2**20, not unsafe)
    course = Course(options.course)
    with progress_bar(course, options.chapters) as progress:
        records = grade_class(
            course,
            options.chapters,
            workers=options.workers,
            limits=limits,
            progress=progress,
            students=options.student,
            scheduler=options.scheduler,
        )
    if options.json:
        write_json(records, options.json)
    summary(records, course)
    if options.student:
        left_behind(course, options.chapters, options.student)
    return 0


def _feedback(options: argparse.Namespace) -> int:
    """Write the students' pages anew, with the points and comments that were entered by hand."""
    from autograder.grading.course.folder import Course
    from autograder.grading.report.handback import hand_back

    course = Course(options.course)
    done = hand_back(course, options.chapters)
    print(f"{done.written} pages are in {course.root / 'feedback'}")
    if done.stale:
        newer = f"{len(done.stale)} were handed in again, and nbgrader's own autograde took them"
        print(f"{newer}: run autograder grade for their pages ({', '.join(done.stale[:5])}).")
    return 0


def _report(options: argparse.Namespace) -> int:
    """Show the class at a glance, and write it as a page and a table."""
    from autograder.grading.course.folder import Course
    from autograder.grading.report.overview import show_report, write_report
    from autograder.grading.report.survey import survey

    course = Course(options.course)
    page = options.to or course.root / "report.html"
    results = survey(course, options.chapters)
    table = write_report(results, page, course.state / "figures")
    show_report(results)
    print(f"page: {page}\ntable: {table}")
    return 0


def _export(options: argparse.Namespace) -> int:
    """Write the scores for another system (canvas, moodle, gradescope, csv), or what grades there.

    `gradescope-autograder` and `github-classroom` make the files with which those systems grade
    one chapter with this same engine.
    """
    from autograder.grading.course.folder import Course

    course = Course(options.course)
    course.listed(options.chapters)
    write = _hand_over if options.format in HANDOVERS else _export_scores
    path = write(options, course)
    print(f"wrote {path}")
    return 0


def _export_scores(options: argparse.Namespace, course: "Course") -> Path:
    from autograder.grading.course.scores import read_scores, reading
    from autograder.grading.report.columns import write_scores
    from autograder.grading.report.for_a_teacher import sentences

    path = options.to or course.root / f"grades-{options.format}.csv"
    with reading(course.settings.gradebook) as query:
        scores = read_scores(query)
    write_scores(scores, options.format, path, options.chapters, options.student)
    for_a_teacher = scores.only(options.chapters, options.student).for_a_teacher
    for sentence in sentences(for_a_teacher, course.listed()):
        print(f"{sentence}.")
    return path


def _hand_over(options: argparse.Namespace, course: "Course") -> Path:
    from autograder.grading.hosts.classroom import classroom_workflow
    from autograder.grading.hosts.gradescope import gradescope_zip

    if len(options.chapters) != 1:
        raise UsageError(f"{options.format} is for one chapter: name it, as in 02-softmax.")
    (chapter,) = options.chapters
    write = gradescope_zip if options.format == "gradescope-autograder" else classroom_workflow
    path = options.to or course.root / HANDOVERS[options.format].format(chapter)
    write(course, chapter, path)
    return path


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return number


def _option(name: str, **settings: Any) -> Option:
    return lambda parser: parser.add_argument(name, **settings)


def _course(default: Path | None) -> Option:
    return _option("--course", type=Path, default=default, help="the course folder (build/course)")


def _file(name: str, text: str) -> Option:
    return _option(name, type=Path, metavar="FILE", help=text)


def _limit(seconds: float) -> Option:
    text = f"for one cell or one check ({seconds:g})"
    return _option("--limit-seconds", type=float, default=seconds, help=text)


def _students(text: str) -> Option:
    return _option("--student", action="append", default=[], help=text)


CHAPTERS = _option("chapters", nargs="*", metavar="CHAPTER", help="as in 02-softmax (default: all)")
COURSE = _course(Path("build/course"))
FORMAT = _option("format", choices=[*TABLES, *HANDOVERS], metavar="FORMAT", help="one of the above")
GRADING = [
    _students("grade only this student"),
    _option("--workers", type=_positive, help="processes (default: one a core)"),
    _option("--scheduler", metavar="ADDRESS", help="grade on this Dask scheduler's workers"),
    _limit(20),
    _option("--memory-mib", type=_positive, default=2048, help="for one submission (2048)"),
    _file("--json", "write one object a submission"),
    _option("--unsafe-no-sandbox", action="store_true", help="for your own notebooks only"),
]
CHECKING = [
    _option("notebook", type=Path, metavar="NOTEBOOK"),
    _option("--more", action="store_true", help="show a small input that goes wrong, too"),
    _file("--json", "write one object an exercise"),
    _limit(60),
]
CERTIFYING = [
    _option("folder", type=Path, nargs="?", default=Path(), metavar="FOLDER", help="(this one)"),
    _file("--to", "the page (certificate.html in the folder)"),
    _limit(60),
]
REPORTING = [_file("--to", "the page (report.html in the course folder)")]
EXPORTING = [_students("export only this student"), _file("--to", "where to write it")]
COMMANDS: dict[str, tuple[Command, list[Option]]] = {
    "release": (_release, [CHAPTERS, _course(None)]),  # the repository's, wherever it is run
    "check": (_check, CHECKING),
    "certificate": (_certificate, CERTIFYING),
    "grade": (_grade, [CHAPTERS, COURSE, *GRADING]),
    "feedback": (_feedback, [CHAPTERS, COURSE]),
    "report": (_report, [CHAPTERS, COURSE, *REPORTING]),
    "export": (_export, [FORMAT, CHAPTERS, COURSE, *EXPORTING]),
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("autograder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (function, options) in COMMANDS.items():
        command = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        command.set_defaults(run=function)
        for add_to in options:
            add_to(command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
