"""What the cells of a submission showed, rebuilt from what the sandbox says."""

from dataclasses import dataclass, replace
from typing import Any

from nbformat import NotebookNode

from autograder.checking.verdict import Verdict
from autograder.grading.submission.picture import plain_png
from autograder.grading.submission.sandbox_home import Gone
from autograder.grading.text import visible, whole_characters
from autograder.notebook.feedback import Feedback

TEXT_AT_MOST = 4000  # characters of an error


@dataclass
class Room:
    """How much more is kept of what a submission shows."""

    characters: int
    pixels: int


def error_output(gone: Gone) -> NotebookNode:
    """What a cell shows that ended its sandbox."""
    return _output("error", ename=gone.status, evalue=gone.message, traceback=[gone.message])


def raised_output(error: Any) -> list[NotebookNode]:
    """What a cell raised, as its output; nothing if it raised nothing."""
    if not isinstance(error, dict):
        return []
    name, message, trace = (
        short_text(error.get(part)) for part in ("name", "message", "traceback")
    )
    return [_output("error", ename=name, evalue=message, traceback=visible(trace).splitlines())]


def short_text(value: Any) -> str:
    """The beginning of a text; empty for what is none."""
    return value[:TEXT_AT_MOST] if isinstance(value, str) else ""


def _output(kind: str, **parts: Any) -> NotebookNode:
    return NotebookNode(output_type=kind, **parts)


def rebuilt_outputs(raw: Any, room: Room) -> list[NotebookNode]:
    """The outputs of a cell, rebuilt from what the sandbox says, as plain text and pictures.

    The sandbox keeps to a limit of its own, but what it says may come from the submission.
    """
    outputs: list[NotebookNode] = []
    for output in raw[:100] if isinstance(raw, list) else []:
        rebuilt = _rebuilt(output, room) if isinstance(output, dict) else None
        if rebuilt is None:
            continue
        room.characters -= output_size(rebuilt)
        if room.characters < 0:
            text = "[The output was cut off here.]\n"
            return [*outputs, _output("stream", name="stderr", text=text)]
        outputs.append(rebuilt)
    return outputs


def _rebuilt(output: dict[str, Any], room: Room) -> NotebookNode | None:
    """One output with the parts that can be shown; None if there are none."""
    kind, data = output.get("output_type"), output.get("data")
    if kind == "stream" and isinstance(output.get("text"), str):
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return _output("stream", name=name, text=whole_characters(output["text"]))
    if kind in ("display_data", "execute_result") and isinstance(data, dict):
        mimebundle = NotebookNode()
        if isinstance(text := data.get("text/plain"), str):
            mimebundle["text/plain"] = whole_characters(text)
        if isinstance(png := data.get("image/png"), str) and (found := plain_png(png)):
            picture, pixels = found
            if pixels <= room.pixels:
                mimebundle["image/png"] = picture
                room.pixels -= pixels
        if mimebundle:
            return _output("display_data", data=mimebundle, metadata=NotebookNode())
    return None


def output_size(output: NotebookNode) -> int:
    """About how many characters it takes to keep."""
    return 200 + len(output.get("text", "")) + sum(map(len, output.get("data", {}).values()))


def check_outputs(verdict: Verdict) -> list[NotebookNode]:
    """What a check cell shows: the feedback, and the points as nbgrader's partial credit."""
    feedback = NotebookNode(Feedback(replace(verdict, more=None))._repr_mimebundle_())
    points = NotebookNode({"text/plain": repr(float(verdict.points))})
    return [
        _output("display_data", data=feedback, metadata=NotebookNode()),
        _output("execute_result", data=points, metadata=NotebookNode(), execution_count=None),
    ]
