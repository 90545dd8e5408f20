"""When a submission came: is a plain time read rightly, and what is not plain listed, not guessed?

The oracle is the calendar: each text that is read names one moment and no other.
"""

import os
from datetime import datetime

import pytest

from autograder.grading.course.arrival import LATE, arrival

NOON = datetime(2026, 10, 12, 12)


@pytest.mark.parametrize(
    "text",
    [
        "2026-10-12 12:00:00 UTC",
        "2026-10-12 12:00:00.000000 UTC\n",  # nbgrader submit
        "2026-10-12 12:00:00",  # nbgrader zip_collect: UTC
        "2026-10-12T12:00:00Z",
        "2026-10-12T14:00:00+02:00",
        "2026-10-12 14:00:00+0200",
        "20261012T120000Z",
        "2026-10-12 12:00",
        "\ufeff2026-10-12 12:00:00 UTC\r\n",  # an editor on Windows
    ],
)
def test_a_plain_time_is_read(tmp_path, text):
    (tmp_path / "timestamp.txt").write_text(text, encoding="utf-8")
    assert arrival(tmp_path).when == NOON and not arrival(tmp_path).problem


@pytest.mark.parametrize(
    "text",
    [
        "12.10.2026",
        "12.10.2026 12:00",
        "12/10/2026 12:00:00",
        "October 12, 2026 12:00",
        "2026-10-12",
        "2026-W42-1",
        "20261012",
        "2026-10-12 12:00:00 CEST",
        "2026-10-12 12:00:00 /etc/passwd",
        "2026-10-12 12:00:00+02:00 UTC",
        "2026-13-12 12:00:00 UTC",
        "0001-01-01 00:00:00+23:59",
        "1" * 99,
        "1e999999999 1 1",
        "\u0662026-10-12 12:00:00 UTC",
        "yesterday",
        "",
    ],
)
def test_what_is_not_plain_is_listed_and_not_guessed(tmp_path, text):
    (tmp_path / "timestamp.txt").write_text(text, encoding="utf-8")
    found = arrival(tmp_path)
    assert found.when is None
    assert "timestamp.txt" in found.problem and "2026-10-12 21:58:03 UTC" in found.problem


def test_without_the_file_nothing_is_known_and_nothing_is_said(tmp_path):
    assert arrival(tmp_path).when is None and not arrival(tmp_path).problem


def test_late_without_a_time_is_said(tmp_path):
    (tmp_path / "timestamp.txt").write_text(LATE)
    found = arrival(tmp_path)
    assert found.when is None and "is late by its file's name" in found.problem


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_plain_file_is_not_waited_for(tmp_path, make):
    make(tmp_path / "timestamp.txt")
    assert arrival(tmp_path).when is None and arrival(tmp_path).problem
