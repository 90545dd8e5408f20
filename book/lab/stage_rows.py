"""The numbers of a stage (`lab.stage`), and how they are said: scores, weights, their average."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

FEW = 0.1  # a share that is named
SMALLEST = 0.005  # a share that is not nothing


@dataclass(frozen=True)
class Row:
    """What one that asks does: scores, weights, and the values' average by them."""

    scores: list[float | None]  # None: may not be looked at
    weights: list[float]
    output: list[float]


def softmax(scores: Sequence[float | None]) -> list[float]:
    """Shares of one; a score of None has none."""
    top = max((score for score in scores if score is not None), default=0.0)
    exponentials = [0.0 if score is None else math.exp(score - top) for score in scores]
    total = sum(exponentials) or 1.0
    return [number / total for number in exponentials]


def row_of(data: dict[str, Any], asks: int, head: int = 0) -> Row:
    """The numbers of the one that asks."""
    scores = keyed(data) if data["mode"] == "keys" else list(data["heads"][head]["scores"][asks])
    if data.get("causal"):
        scores = [score if j <= asks else None for j, score in enumerate(scores)]
    weights = softmax(scores)
    values = data.get("values") or []
    output = [
        sum(weight * value[axis] for weight, value in zip(weights, values, strict=True))
        for axis in range(len(values[0]) if values else 0)
    ]
    return Row(scores, weights, output)


def keyed(data: dict[str, Any]) -> list[float | None]:
    """The scores of keys among which a query lies: by nearness, or dot products."""
    query, bandwidth = data["query"], data["bandwidth"]
    if bandwidth is None:
        return [sum(q * k for q, k in zip(query, key, strict=True)) for key in data["keys"]]
    return [-(math.dist(query, key) ** 2) / (2 * bandwidth**2) for key in data["keys"]]


def percent(share: float) -> str:
    if 0 < share < SMALLEST:
        return "<1%"
    return f"{math.floor(100 * share + 0.5)}%"


def number(value: float | None, digits: int = 2) -> str:
    """A number as the page's script writes it."""
    if value is None:
        return "−∞"
    shown = math.floor(abs(value) * 10**digits + 0.5) / 10**digits
    return f"{'−' if value < 0 and shown else ''}{shown:.{digits}f}"


def ranked(weights: Sequence[float]) -> list[int]:
    """The places of weights, the largest first."""
    return sorted(range(len(weights)), key=lambda j: -weights[j])


def plural(noun: str) -> str:
    return f"{noun}es" if noun.endswith(("ch", "s", "sh", "x")) else f"{noun}s"


def asking(data: dict[str, Any], asks: int, first: bool = False) -> str:
    """The one that asks; `first` is for the beginning of a sentence."""
    if data["mode"] == "keys":
        return "The query" if first else "the query"
    return (data.get("askers") or data["items"])[asks]


def shares(data: dict[str, Any], asks: int, weights: Sequence[float]) -> list[tuple[str, str]]:
    """From whom the one that asks takes most: shares and items, the largest first."""
    among = data["mode"] != "keys" and not data.get("askers")
    first, *others = ranked(weights)[:3]
    named = [first, *(j for j in others if weights[j] >= FEW)]
    return [
        (percent(weights[j]), "itself" if among and j == asks else data["items"][j]) for j in named
    ]


def remainder(data: dict[str, Any], row: Row, named: int, write: Callable = str) -> str:
    """What is said of those that are not named."""
    rest = 1 - sum(sorted(row.weights, reverse=True)[:named])
    if rest < SMALLEST:
        return ""
    others = ranked(row.weights)[named : len(row.scores) - row.scores.count(None)]
    if len(others) == 1:
        return f"{percent(row.weights[others[0]])} from {write(data['items'][others[0]])}"
    # No number: the rounded rest and the rounded shares need not make 100%.
    return f"the rest from the other {len(others)} together"


def taking(data: dict[str, Any], asks: int, row: Row, write: Callable = str) -> list[str]:
    """How much the one that asks takes, and from whom."""
    named = shares(data, asks, row.weights)
    parts = [f"{share} from {item if item == 'itself' else write(item)}" for share, item in named]
    rest = remainder(data, row, len(parts), write)
    return [*parts, rest] if rest else parts


def rounding(parts: Sequence[str]) -> str:
    """What is said where the shares shown are not 100% together."""
    if parts[-1].startswith("the rest"):
        return ""
    shown = sum(int(part.partition("%")[0]) for part in parts if not part.startswith("<"))
    return "" if shown == 100 else " (each rounded)"


def joined(parts: Sequence[str]) -> str:
    """Parts of a sentence: "a, b, and c"."""
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def in_words(data: dict[str, Any]) -> str:
    """A still's description: who takes how much from whom, of how many."""
    asks = data.get("asks", 0)
    row = row_of(data, asks)
    output = ", ".join(number(value) for value in row.output)
    items = data["items"]
    all_of_them = f"{len(items)} {plural(data['noun'])} ({', '.join(items)})"
    takes = joined(taking(data, asks, row))
    sentence = f"{asking(data, asks, first=True)} asks {all_of_them} and takes {takes}."
    sentence += f" The average of the values: {output}." if output else ""
    return sentence.replace("−", "minus ")
