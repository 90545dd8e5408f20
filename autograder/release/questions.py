"""What is asked again when it is due: a book's questions as data, for its page and the notebooks.

They are the chapters' quizzes, their predictions, and lines of code with known misconceptions
(`wrong_lines.py`). All texts are plain Markdown.
"""

import ast
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.checking.predictions import Prediction, as_text
from autograder.files import parsed
from autograder.release.book import Book
from autograder.release.chapter_cells import OPENING, Import, imports_from_solutions, kind
from autograder.release.recipe.simplify_markdown import Quiz, Translation, glued_values, quizzes
from autograder.release.references import References
from autograder.release.released import CHAPTERS, INVENTORY
from autograder.release.wrong_lines import wrong_lines
from autograder.source.content import CHECK, content

FILE = "questions.json"

Question = dict[str, Any]


def id_of(*lines: str) -> str:
    """By what a question is remembered: its text, so that a changed one counts as new."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]


def questions(root: Path) -> dict[str, Any]:
    """The chapters' titles, and every question of a repository's book in the order of chapters."""
    book, references = Book(root / "book", ""), References(root / content().folder)
    titles, found, seen = {}, [], set[Import]()
    for path in sorted((root / "book").glob(CHAPTERS)):
        notebook = nbformat.read(path, as_version=4)
        titles[path.stem] = book.title_of(path.stem)
        for question in _asked_in(notebook, path.stem, book, references):
            found.append({"chapter": path.stem} | question)
        for wanted in _provided(notebook, path.stem):
            if wanted not in seen:
                lines = wrong_lines(references, wanted.module, wanted.name)
                found += [{"chapter": path.stem, "kind": "line"} | line for line in lines]
            seen.add(wanted)
    return {"chapters": titles, "questions": found, "inventory": inventory(root)}


def inventory(root: Path) -> list[Question]:
    """What is asked before the first chapter and after the last, where the book has it."""
    book, found = Book(root / "book", ""), []
    for path in book.folder.glob(INVENTORY):
        for cell in nbformat.read(path, as_version=4).cells:
            translate = Translation(book, path.stem, {}, f"{path.stem}: cell {cell.id!r}")
            found += [of_quiz(one, translate) for one in quizzes(cell.source, "inventory")]
    return found


def write_questions(folder: Path, root: Path) -> None:
    """Put the questions beside what the students' installation carries of references."""
    text = json.dumps(questions(root), ensure_ascii=False, separators=(",", ":"))
    (folder / FILE).write_text(text, encoding="utf-8")


def _asked_in(
    notebook: NotebookNode, chapter: str, book: Book, references: References
) -> Iterator[Question]:
    glued = glued_values(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            translate = Translation(book, chapter, glued, f"{chapter}: cell {cell.id!r}")
            where = "opening" if cell.id == OPENING else "quiz"
            for quiz in quizzes(cell.source):
                yield {"kind": where} | of_quiz(quiz, translate)
        elif name := asked(cell.source):
            yield {"kind": "prediction"} | of_prediction(prediction_of(name, references.folder))


def of_quiz(quiz: Quiz, translate: Translation) -> Question:
    """A self-test question of a page."""
    choices = [
        {"text": translate(one.label), "why": translate(one.why), "right": one.right}
        for one in quiz.choices
    ]
    return {"id": id_of(*quiz.lines), "text": translate(quiz.question), "choices": choices}


def of_prediction(asked: Prediction) -> Question:
    """A question before a demo, and the same with other numbers."""
    variants = [{"text": one.question, "choices": _choices(one)} for one in asked.variants()]
    return {
        "id": id_of(asked.question, *map(as_text, in_order(asked))),
        "name": asked.name,
        "text": asked.question,
        "choices": _choices(asked),
        "variants": variants,
    }


def in_order(asked: Prediction) -> list[Any]:
    """The options; where order gives nothing away, in the order of size."""
    return list(asked.options) if isinstance(asked.right, str) else sorted(asked.options)


def _choices(asked: Prediction) -> list[dict[str, Any]]:
    return [
        {"text": as_text(one), "why": asked.options[one], "right": one == asked.right}
        for one in in_order(asked)
    ]


def _provided(notebook: NotebookNode, chapter: str) -> Iterator[Import]:
    """The earlier references whose text the students' notebook shows."""
    for cell in notebook.cells:
        if kind(cell) == "provided":
            yield from imports_from_solutions(cell, chapter)


def asked(source: str) -> str | None:
    """The name of the prediction, if that is all that a cell asks."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a line that only IPython knows
        return None
    match body:
        case [ast.Expr(ast.Call(ast.Name("predict"), [ast.Constant(str(name)), *_]))]:
            return name
    return None


def prediction_of(name: str, folder: Path) -> Prediction:
    """A prediction as it is registered: read, since what checks import is not needed.

    Raises LookupError where there is none, or where it is not written out.
    """
    for path in sorted(folder.glob(f"*/{CHECK}.py")):
        if name in (found := _written(path)):
            return found[name]
    raise LookupError(f"no prediction {name!r} is written out in {folder.name}/")


@cache
def _written(path: Path) -> dict[str, Prediction]:
    found = {}
    for statement in parsed(path).body:
        match statement:
            case ast.Expr(ast.Call(ast.Name("prediction"), [ast.Constant(str(name))], keywords)):
                try:
                    words = {str(item.arg): ast.literal_eval(item.value) for item in keywords}
                except ValueError:
                    continue
                found[name] = Prediction(name, **words)
    return found
