"""Runs a check, and when it fails finds out which mistake was made."""

from dataclasses import asdict, dataclass
from typing import Any

from autograder.checking.calling import Home
from autograder.checking.comparing import Failure, brief, current_draw, difference
from autograder.checking.draw import Draw
from autograder.checking.registry import Exercise, find
from autograder.checking.subject import Call, NotStarted, Performer, Raised, Subject
from autograder.checking.values import Ref

PUBLIC_SEED = 2017


@dataclass(frozen=True)
class Verdict:
    """What a check found."""

    name: str
    points: float
    max_points: float
    status: str
    misconception: str | None = None
    message: str = ""

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def as_dict(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return {**asdict(self), "passed": self.passed}


class Lost(BaseException):
    """The place where the code under check runs is gone (time, memory, a crash).

    Not an Exception: no check may swallow it.
    """


def judge(name: str, home: Performer, reference: Performer, seed: int = PUBLIC_SEED) -> Verdict:
    """Check the exercise `name` of the code that lives in `home` against `reference`."""
    task = find(name)
    transcript, failure = _examine(task, home, reference, seed)
    if failure is None:
        return Verdict(name, task.points, task.points, "passed", message="All cases hold.")
    if isinstance(failure, NotStarted):
        return Verdict(name, 0.0, task.points, "not started", message="not started yet")
    sentence = _diagnose(task, transcript, reference, seed)
    return Verdict(name, 0.0, task.points, "failed", sentence, _account(failure))


def _examine(
    task: Exercise, home: Performer, reference: Performer, seed: int
) -> tuple[list[Call], Exception | None]:
    """Run the check once: what was asked and answered, and what stopped it."""

    def describe(name: str, request: dict[str, Any]) -> str:
        return _in_words(task, name, request)

    draw = Draw(seed)
    watch = bool(task.forbidden)
    student = Subject(task.name, home, describe, watch)
    rewind = getattr(reference, "rewind", None)
    if rewind:
        rewind()
    token = current_draw.set(draw)
    try:
        task.check(student, Subject(task.name, reference, describe), draw)
        banned = sorted(
            {plain for used in student.used if (plain := _plain(used)) in task.forbidden}
        )
        if banned:
            raise Failure(
                f"{task.name} calls the library's own {' and '.join(banned)}: this exercise is to "
                "write that function, so build it from simpler operations."
            )
    except (Failure, Raised, NotStarted) as failure:
        return student.transcript, failure
    except Exception as error:
        return student.transcript, Failure(
            f"{student.last_call} returned something the check cannot use "
            f"({type(error).__name__}: {error})."
        )
    finally:
        current_draw.reset(token)
    return student.transcript, None


def _plain(name: str) -> str:
    return name.strip("_").removeprefix("native_").removeprefix("safe_").removesuffix("_for_cpu")


def _diagnose(
    task: Exercise, transcript: list[Call], reference: Performer, seed: int
) -> str | None:
    """The sentence of the misconception that gives the same answers, if there is one."""
    for known in task.misconceptions:
        home = Home({task.name: known.wrong})
        answers, failure = _examine(task, home, reference, seed)
        if failure is not None and _alike(transcript, answers):
            return known.sentence
    return None


def _alike(ours: list[Call], theirs: list[Call]) -> bool:
    if not ours or len(ours) != len(theirs):
        return False
    pairs = [(one.reply, other.reply) for one, other in zip(ours, theirs, strict=True)]
    # An error that the check asked for may say anything; the one that stopped it is compared whole.
    return all(_same_reply(*pair, words=pair is pairs[-1]) for pair in pairs)


def _same_reply(one: dict[str, Any], other: dict[str, Any], words: bool) -> bool:
    if ("error" in one) != ("error" in other):
        return False
    if "error" in one:
        mine, theirs = one["error"], other["error"]
        alike = not words or mine.get("message") == theirs["message"]
        return mine.get("type") == theirs["type"] and alike
    return all(
        not difference(one[part], other[part], nan_equal=True)
        for part in ("value", "gradients", "inputs")
        if part in one and part in other and not isinstance(one[part], Ref)
    )


def _account(failure: Exception) -> str:
    if isinstance(failure, Raised):
        where = f" ({failure.where})" if failure.where else ""
        return f"{failure.call} raised {failure.type}: {failure.message}{where}"
    return str(failure)


def _in_words(task: Exercise, name: str, request: dict[str, Any]) -> str:
    """`softmax(scores [S=7], dim=-1)`: a request as a learner would write it."""
    made = isinstance(request["target"], Ref)
    if request["op"] != "call":
        return {
            "load": f"putting weights into {name}",
            "parameters": f"the parameters of {name}",
            "to": f"{name} in {request.get('dtype')}",
        }.get(request["op"], f"{name}.{request['op']}")
    method = request.get("method")
    names = task.forward_parameters if made else task.parameters
    args = [
        f"{names[index]} {brief(value)}" if index < len(names) and not method else brief(value)
        for index, value in enumerate(request["args"])
    ]
    kwargs = [f"{key}={brief(value)}" for key, value in request["kwargs"].items()]
    call = f"{name}.{method}" if method else f"the {name}'s forward" if made else name
    return f"{call}({', '.join(args + kwargs)})"
