"""What a teacher has beside the formgrader."""

import pytest

from autograder.release.rubrics import main
from tests.release.miniature import answer_cell, chapter_cells, write_chapter


def test_points_rubric_and_example_are_printed_together(tmp_path, capsys):
    (tmp_path / "book").mkdir()
    write_chapter(tmp_path, chapter_cells())
    main(["03-tiny"], tmp_path / "book")
    said = capsys.readouterr().out
    wanted = ["03-tiny: find-out-why, 2 points", "- 1 point: says why.", answer_cell().source]
    assert [said.index(text) for text in wanted] == sorted(said.index(text) for text in wanted)


def test_a_chapter_that_is_not_there_is_said(tmp_path):
    (tmp_path / "book").mkdir()
    write_chapter(tmp_path, chapter_cells())
    with pytest.raises(SystemExit, match="no chapter '04-tiny'; there are: 03-tiny"):
        main(["04-tiny"], tmp_path / "book")
