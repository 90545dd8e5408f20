"""The reference as a live function, or as a recording of its answers for the public seed."""

import json
from pathlib import Path
from typing import Any

from torch import Tensor

from autograder.checking.calling import Home
from autograder.checking.content import references
from autograder.checking.judge import PUBLIC_SEED, judge
from autograder.checking.registry import Exercise, find
from autograder.checking.requests import Reply, Request
from autograder.checking.subject import Performer
from autograder.checking.values import Ref

RECORDINGS = Path(__file__).resolve().parent.parent / "recordings"


class Recorder:
    """Performs requests and keeps the answers."""

    def __init__(self, home: Performer) -> None:
        self._home = home
        self.replies: list[Reply] = []

    def rewind(self) -> None:
        """Start a new recording."""
        self.replies.clear()

    def answer(self, request: Request) -> Reply:
        """Answer a request and note the answer."""
        reply = self._home.answer(request)
        self.replies.append(reply)
        return reply


class Recording:
    """Answers the requests of one check, in their order, from a recording."""

    def __init__(self, replies: list[Reply]) -> None:
        self._replies = replies
        self._next = 0

    def rewind(self) -> None:
        """Start again at the first answer."""
        self._next = 0

    def answer(self, request: Request) -> Reply:
        """The next recorded answer."""
        reply = self._replies[self._next]
        self._next += 1
        return reply


def live(task: Exercise) -> Home:
    """A home of the reference itself."""
    return Home({task.name: getattr(references(task.module), task.reference)})


def record(name: str) -> list[Reply]:
    """The reference's answers to its own check for the public seed."""
    task = find(name)
    recorder = Recorder(live(task))
    verdict = judge(name, live(task), recorder, PUBLIC_SEED)
    if not verdict.passed:
        raise ValueError(f"The reference of {name} does not pass its own check: {verdict.message}")
    return recorder.replies


def save(name: str, folder: Path) -> None:
    """Write a recording as JSON beside a safetensors file."""
    from safetensors.torch import save_file

    arrays: dict[str, Tensor] = {}

    def plain(value: Any) -> Any:
        if isinstance(value, Tensor):
            arrays[str(len(arrays))] = value.contiguous().clone()
            return {"tensor": len(arrays) - 1}
        if isinstance(value, Ref):
            return {"ref": value.number}
        if isinstance(value, tuple | list):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [plain(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": {key: plain(item) for key, item in value.items()}}
        return {"plain": value}

    folder.mkdir(parents=True, exist_ok=True)
    replies = [plain(reply.message()) for reply in record(name)]
    (folder / f"{name}.json").write_text(json.dumps(replies), encoding="utf-8")
    save_file(arrays, folder / f"{name}.safetensors")


def load(name: str, folder: Path = RECORDINGS) -> Recording:
    """Read a recording."""
    from safetensors.torch import load_file

    arrays = load_file(folder / f"{name}.safetensors")

    def alive(value: dict[str, Any]) -> Any:
        ((kind, content),) = value.items()
        if kind == "tensor":
            return arrays[str(content)]
        if kind == "ref":
            return Ref(content)
        if kind in ("tuple", "list"):
            items = [alive(item) for item in content]
            return tuple(items) if kind == "tuple" else items
        if kind == "dict":
            return {key: alive(item) for key, item in content.items()}
        return content

    replies = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return Recording([Reply.of(alive(reply)) for reply in replies])


def reference_for(task: Exercise) -> Performer:
    """The recording, where this installation carries one; else the live reference."""
    if (RECORDINGS / f"{task.name}.json").exists():
        return load(task.name)
    return live(task)
