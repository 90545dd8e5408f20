"""The inventory's questions: in a notebook, each with a cell for its two answers and no reasons."""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder.release.chapter import ChapterNotebook
from autograder.release.recipe.simplify_markdown import Quiz, quizzes

HOW = (
    "Write the letter of your answer between the quotation marks, the first time after `before`, "
    "and run the cell. Save the notebook and hand it in as it is. After the last chapter, go on in "
    "this same notebook: write the second answers after `after`, without changing the first, run "
    "all cells, and hand the notebook in again. The last cell then shows both, with the reasons."
)


def ask_inventory(chapter: ChapterNotebook) -> None:
    """Put a cell for the answers below each question, and one that shows them at the end."""
    cells, number = [], 0
    for cell in chapter.notebook.cells:
        cells.append(cell)
        for quiz in quizzes(cell.source, "inventory") if cell.cell_type == "markdown" else ():
            if not number:
                cells[-1:] = [new_markdown_cell(HOW, id="how"), *_import(), cell]
            number += 1
            cell.source = _plain(quiz, number)
            cells.append(_code(f'inventory({number}, before="", after="")', f"{cell.id}-answer"))
    if number:
        cells.append(_code("inventory()", "both-answers"))
    chapter.notebook.cells = cells


def _import() -> list[NotebookNode]:
    return [_code("from autograder import inventory", "setup")]


def _code(source: str, name: str) -> NotebookNode:
    cell = new_code_cell(source, id=name)
    cell.metadata.tags = ["ungraded"]
    return cell


def _plain(quiz: Quiz, number: int) -> str:
    letters = (f"{chr(ord('a') + i)}) {one.label}" for i, one in enumerate(quiz.choices))
    return "\n\n".join([f"**Question {number}.** {quiz.question}", *letters])
