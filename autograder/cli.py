"""The command line: release, check, grade, report and export, over nbgrader."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path


class UsageError(Exception):
    """What the user asked for cannot be done; the text says why and what to do."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except UsageError as error:
        print(f"autograder {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. Nothing is lost: the same command goes on from here.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("autograder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        made.set_defaults(run=run)
        return made

    release = command("release", _release)
    release.add_argument("chapters", nargs="*", metavar="CHAPTER")
    release.add_argument("--course", type=Path, help="the course folder (build/course)")

    check = command("check", _check)
    check.add_argument("notebook", type=Path, metavar="NOTEBOOK")
    check.add_argument("--json", type=Path, metavar="FILE", help="write one object an exercise")

    grade = command("grade", _grade)
    grade.add_argument("chapters", nargs="*", metavar="CHAPTER")
    grade.add_argument("--course", type=Path, default=Path("build/course"))
    grade.add_argument("--student", action="append", default=[], help="grade only this student")
    grade.add_argument("--workers", type=_positive, help="processes (default: one a core)")
    grade.add_argument(
        "--limit-seconds", type=float, default=20.0, help="for one cell or one check (20)"
    )
    grade.add_argument(
        "--memory-mib", type=_positive, default=2048, help="for one submission (2048)"
    )
    grade.add_argument("--json", type=Path, metavar="FILE", help="write one object a submission")
    grade.add_argument(
        "--unsafe-no-sandbox", action="store_true", help="for your own notebooks only"
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above 0")
    return number


def _release(options: argparse.Namespace) -> int:
    """Build the release notebooks and the student bundle."""
    from autograder.release.build import release
    from autograder.release.errors import ReleaseError

    try:
        build_dir = options.course.resolve().parent if options.course else None
        released = release(options.chapters, options.course, build_dir)
    except ReleaseError as error:
        raise UsageError(str(error)) from None
    for name in released.built:
        print(f"released {name}")
    for name in released.unchanged:
        print(f"unchanged {name}")
    print(f"course: {released.course}\nbundle: {released.bundle}")
    return 0


def _check(options: argparse.Namespace) -> int:
    """Check your own notebook; the exit code is 1 if an exercise is not right yet."""
    from autograder.checking.terminal import check_notebook, table

    try:
        verdicts = check_notebook(options.notebook)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not verdicts:
        raise UsageError(f"{options.notebook} has no check cells.")
    print(table(verdicts))
    if options.json:
        lines = (json.dumps(verdict.as_dict()) for verdict in verdicts)
        options.json.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if all(verdict.passed for verdict in verdicts) else 1


def _grade(options: argparse.Namespace) -> int:
    """Grade the submitted notebooks in the sandbox."""
    from autograder.grading.course import Course, CourseError
    from autograder.grading.runner import grade_class, write_json
    from autograder.grading.sandbox import available
    from autograder.grading.screen import progress_bar, summary
    from autograder.grading.submission import Limits

    unsafe = options.unsafe_no_sandbox
    if not unsafe and (reason := available()):
        raise UsageError(reason)
    if unsafe:
        print("Grading without a sandbox: submissions can do whatever you can.", file=sys.stderr)
    limits = Limits(options.limit_seconds, options.memory_mib * 2**20, not unsafe)
    course = Course(options.course)
    try:
        with progress_bar(course, options.chapters) as progress:
            records = grade_class(
                course,
                options.chapters,
                workers=options.workers,
                limits=limits,
                progress=progress,
                students=options.student,
            )
    except CourseError as error:
        raise UsageError(str(error)) from None
    if options.json:
        write_json(records, options.json)
    summary(records, course)
    return 0


if __name__ == "__main__":
    sys.exit(main())
