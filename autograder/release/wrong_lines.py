"""Code with one wrong line, made from what is known to go wrong in it: "which of these lines?".

Asked of a reference once a later chapter shows its text. What is to be mended in a chapter is left
out: a question would tell the answer.
"""

import ast
import difflib
import hashlib
import re
from typing import Any

from autograder.release.debugging_exercises import PREFIX, formatted, mended, misconceptions
from autograder.release.references import References
from autograder.source.changes import StaleMisconception, applied, changes_of
from autograder.source.content import CHECK

FEWEST, MOST = 3, 14  # lines below a signature
WIDEST = 88
OF_ONE = 3  # questions about the same function
SWITCHED_OFF = re.compile(r"\bif (True|False)\b")  # as nobody writes it
CALL = re.compile(r"`([^`]*\([^`]*)`")


def wrong_lines(references: References, module: str, name: str) -> list[dict[str, Any]]:
    """The questions about a reference."""
    path = references.path(module).with_name(f"{CHECK}.py")
    planted = mended(path) if path.exists() else {}
    if not path.exists() or planted.get(name):
        return []
    code = references.find(module, name).source
    asked: dict[int, dict[str, Any]] = {}
    for key, sentence, change in misconceptions(path, name):
        if len(asked) == OF_ONE:
            break
        if key != planted.get(f"{PREFIX}{name}") and isinstance(change, ast.Dict):
            _ask(code, ast.literal_eval(change), sentence, asked)
    return list(asked.values())


def _ask(code: str, change: dict[str, str], sentence: str, asked: dict[int, dict]) -> None:
    """Add the question about a misconception, if it is one line of a few; one for each line."""
    try:
        wrong = applied(code, changes_of(code, change, ""))
    except StaleMisconception:
        return
    (head, before), (_, after) = _plain(code), _plain(wrong)
    steps = difflib.SequenceMatcher(None, before, after, False).get_opcodes()
    changed = [step for step in steps if step[0] != "equal"]
    match changed:
        case [("replace", at, end, start, stop)] if end - at == stop - start == 1:
            pass
        case _:
            return
    lines = [line.strip() for line in after]
    if not FEWEST <= len(lines) <= MOST or at in asked or SWITCHED_OFF.search(lines[at]):
        return
    shown = formatted("\n".join([*head, *after]), WIDEST)
    if not _is_plain(lines, shown) or any(call not in shown for call in CALL.findall(sentence)):
        return
    choices = [
        {"text": f"`{line}`", "why": "This line does what it should.", "right": False}
        for line in lines
        if line == lines[at] or not line.endswith((":", "super().__init__()"))
    ]
    right = next(one for one in choices if one["text"] == f"`{lines[at]}`")
    right |= {"why": f"{sentence} It should be `{before[at].strip()}`.", "right": True}
    text = f"One line of this code is wrong. Which one?\n\n```python\n{shown}\n```"
    identity = hashlib.sha256(text.encode()).hexdigest()[:12]
    asked[at] = {"id": identity, "text": text, "choices": choices}


def _is_plain(lines: list[str], shown: str) -> bool:
    """Whether each line can be told from the others, and is shown as one."""
    written = {line.replace(" ", "") for line in lines}
    in_lines = {line.replace(" ", "") for line in shown.split("\n")}
    return len(written) == len(lines) and in_lines >= written and "`" not in "".join(lines)


def _plain(code: str) -> tuple[list[str], list[str]]:
    """Signature with the first sentence of the contract, and the lines below, without comments."""
    tree = ast.parse(code)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef | ast.ClassDef)
    contract = (ast.get_docstring(definition) or "").split("\n\n")[0]
    head = [f'    """{contract}"""'.replace("\n", "\n    ")]
    definition.body = definition.body[1:]
    signature, *lines = ast.unparse(tree).split("\n")
    return [signature, *head], [line for line in lines if line]
