"""Is a notebook without its outputs the same to grading? The oracle is Python's own JSON parser."""

import base64
import json
import random

import nbformat
import pytest

from autograder.errors import Invalid
from autograder.grading.course.reading import read
from autograder.grading.course.skim import skimmed
from autograder.grading.submission.parse import parse


def cells(content: bytes) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in parse(content).cells]


@pytest.fixture
def notebook():
    """A notebook whose cells talk of outputs, brackets and quotes."""
    tricky = 'x = {"outputs": [1, "]"]}  # \\" "outputs": ["\n"outputs"\n\'\\\\\'"'
    made = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(tricky),
            nbformat.v4.new_markdown_cell(
                '"attachments": {', attachments={"a": {"image/png": "x"}}
            ),
            nbformat.v4.new_code_cell("last"),
        ]
    )
    made.metadata.widgets = {"state": {"]": "}"}}
    return made


def with_output(notebook, text: str) -> bytes:
    shown = {"text/plain": text, "application/json": {"outputs": [[], {"]": "["}], "x": text}}
    notebook.cells[0].outputs = [nbformat.v4.new_output("display_data", shown)]
    return nbformat.writes(notebook).encode()


def test_only_outputs_attachments_and_widgets_are_gone(notebook):
    content = with_output(notebook, 'a "quoted" \\ ] } text')
    expected = json.loads(content)
    expected["cells"][0]["outputs"] = []
    expected["cells"][1]["attachments"] = {}
    expected["metadata"]["widgets"] = {}
    assert json.loads(skimmed(content)) == expected
    compact = json.dumps(json.loads(content)).encode()
    assert json.loads(skimmed(compact)) == expected


def test_25_megabytes_of_pictures_are_no_hindrance(notebook, tmp_path):
    picture = base64.b64encode(random.Random(0).randbytes(19 * 2**20)).decode()
    path = tmp_path / "02-softmax.ipynb"
    path.write_bytes(with_output(notebook, picture))
    assert path.stat().st_size > 25 * 2**20
    content = read(path)
    assert len(content) < 5000
    assert cells(content) == [(cell.cell_type, cell.source) for cell in notebook.cells]


def test_what_is_too_large_without_outputs_is_still_refused(notebook, tmp_path):
    notebook.cells[2].source = "#" * 21 * 2**20
    path = tmp_path / "02-softmax.ipynb"
    path.write_bytes(with_output(notebook, "small"))
    with pytest.raises(Invalid, match="21 MiB without its outputs"):
        read(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no notebook",
        b'{"outputs": [',
        b'{"outputs": ["',
        b'{"cells": [], "outputs": []]]]}',
        b'{"outputs": 1, "attachments": [1]}',
        b'"outputs"',
        b'"\\',
        bytes(range(256)) * 3,
    ],
)
def test_what_is_broken_stays_broken(content):
    def parsed(text):
        try:
            return json.loads(text)
        except ValueError:
            return "broken"

    assert parsed(skimmed(content)) == parsed(content) or b'"outputs": [' in content


@pytest.mark.parametrize("part", [b'\\"', b'"', b"[", b'"outputs":[', b'"outputs":[]', b"{}"])
def test_no_content_takes_long(part):
    """Time that grows with the square of the size would not come to an end here."""
    skimmed(b'"' + part * (2**24 // len(part)))
