"""A gradebook on a real PostgreSQL server: released, graded, settled, reported, exported."""

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.cli import main
from autograder.grading.run.runner import grade_class
from autograder.release.build import release
from tests.sample_class import hand_in_two
from tests.sandboxed import needs_sandbox

psycopg = pytest.importorskip("psycopg")

CHAPTER = "00-start-here"


def program(name: str) -> str | None:
    """One of the server's programs, where Debian or the PATH has it."""
    versions = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return str(versions[0]) if versions else shutil.which(name)


SERVER = {name: program(name) for name in ("initdb", "pg_ctl")}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None in SERVER.values(), reason="PostgreSQL's server is not installed"),
    needs_sandbox,
]


@pytest.fixture(scope="module")
def address():
    """A server on loopback in a folder of its own, run by a user without rights; its database."""
    folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
    # PostgreSQL refuses to run as root.
    user = {"user": "nobody", "extra_groups": []} if os.geteuid() == 0 else {}
    if user:
        os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    def run(*command: str) -> None:
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, **user)

    data = str(folder / "data")
    options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories={folder}"
    run(SERVER["initdb"], "--auth=trust", "--username=grader", "--no-sync", "-D", data)
    try:
        log = str(folder / "log")
        run(SERVER["pg_ctl"], "-D", data, "-l", log, "-o", options, "-w", "start")
        plain = f"postgresql://grader@127.0.0.1:{port}"
        with psycopg.connect(f"{plain}/postgres", autocommit=True) as server:
            server.execute("create database attention")
        yield f"{plain}/attention"
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            run(SERVER["pg_ctl"], "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def test_a_course_works_on_postgresql_as_on_sqlite(address, course, capsys):
    due = "2026-03-01T12:00:00Z"
    (course.root / "course.toml").write_text(
        f'gradebook = "{address}"\n[due]\n"{CHAPTER}" = {due}\n[late]\npenalty_per_day = 0.25\n'
    )
    (course.root / "gradebook.db").unlink()  # nothing may fall back to it
    release([CHAPTER], course.root)

    chapter = hand_in_two(course, CHAPTER)
    (course.root / "submitted" / "ada" / CHAPTER / "timestamp.txt").write_text(
        "2026-03-01 13:00:00 UTC"
    )
    for _ in range(2):
        records = grade_class(course, [CHAPTER], workers=1)
    assert [record["score"] for record in records] == [chapter.max_points, 0]

    with Gradebook(address) as book:
        ada = book.find_submission(CHAPTER, "ada")
        assert ada.score == chapter.max_points
        assert ada.late_submission_penalty == chapter.max_points / 4
    with psycopg.connect(address) as server:  # what the server itself says
        (count,) = server.execute("select count(*) from grade").fetchone()
        assert count == 2 * len(chapter.exercises)
    assert not (course.root / "gradebook.db").exists()

    assert main(["report", CHAPTER, "--course", str(course.root)]) == 0
    assert "2 handed in (1 late)" in capsys.readouterr().out
    assert main(["export", "canvas", CHAPTER, "--course", str(course.root)]) == 0
    table = (course.root / "grades-canvas.csv").read_text()
    assert f"ada,,,ada,,{0.75 * chapter.max_points:g}" in table


def test_a_gradebook_out_of_reach_is_said_in_one_sentence(course, capsys):
    secret = "postgresql://grader:secret@127.0.0.1:1/none"
    (course.root / "course.toml").write_text(f'gradebook = "{secret}"\n')
    (course.root / "submitted").mkdir()
    assert main(["grade", "--course", str(course.root)]) == 2
    said = capsys.readouterr().err
    assert "cannot be used" in said and "secret" not in said
