"""Checks for chapter 10, the writer."""

import math

import torch

from autograder.checking import (
    Ask,
    agrees,
    by,
    close,
    exercise,
    holds_at_most,
    mend,
    misconceptions,
    prediction,
    raises,
    require,
    same,
)
from autograder.checking.cases import VALUES, each_one
from autograder.checking.comparing import left_alone


@exercise("KeyValueCache", chapter="10-writer", points=2)
def _(student, reference, draw):
    B, H, D = 2, 3, 7
    cache, wanted = student(), reference()
    same(cache.call("__len__"), wanted.call("__len__"), call="The length of an empty cache")
    for number, length in enumerate((4, 4, 1, 6), start=1):
        key, value = draw.normal(B=B, H=H, L=length, D=D), draw.normal(B=B, H=H, L=length, D=D)
        got, want = cache.call("append", key, value), wanted.call("append", key, value)
        call = cache.last_call
        got_length, length = cache.call("__len__"), wanted.call("__len__")
        case = {"case": f"append number {number}"}
        close(got, want, call=call, names=("keys", "values"), **case)
        same(got_length, length, call="The length after it", **case)
    got, later = cache.then((value, key), key, key, method="append")
    close(got, wanted.call("append", key, key), case="one tensor for both", call=cache.last_call)
    left_alone(cache, got, later)

    cache, wanted = student(), reference()
    same(cache.call("__len__"), wanted.call("__len__"), call="The length of a second cache")
    long = draw.normal(1, 1, 1100, 1), draw.normal(1, 1, 1100, 1)
    got, want = cache.call("append", *long), wanted.call("append", *long)
    case = "1100 positions at once"
    close(got, want, case=case, call=cache.last_call, names=("keys", "values"))

    cache, wanted = student(), reference()
    for _ in range(2):
        key, value = draw.normal(B=1, H=2, L=1, D=8), draw.normal(B=1, H=2, L=1, D=8)
        precise = key.double() / 3, value.double() / 3  # of more digits than float32 has
        got = cache.gradients_of("append", *precise)
        want = wanted.gradients_of("append", *precise)
        close(got.value, want.value, case="float64", call=cache.last_call, names=("keys", "values"))
        for path, name in (("0", "key"), ("1", "value")):
            call = f"The gradient that reaches the appended {name}"
            close(got.inputs[path], want.inputs[path], call=call)
    cache, wanted = student(), reference()
    earlier = draw.normal(B=1, H=2, L=2, D=8), draw.normal(B=1, H=2, L=2, D=8)
    got = cache.gradients_of("append", key, value, before=earlier)
    want = wanted.gradients_of("append", key, value, before=earlier)
    for path, name in (("before.0", "key"), ("before.1", "value")):
        call = f"The gradient that reaches the {name} of an earlier append"
        close(got.inputs[path], want.inputs[path], call=call)

    cache, wanted = student(), reference()
    halves = key.half(), value.half()
    got, want = cache.call("append", *halves), wanted.call("append", *halves)
    close(got, want, case="float16", call=cache.last_call, names=("keys", "values"))

    caches, wanted = [student(), student()], [reference(), reference()]
    for turn in (0, 1, 0):
        new = draw.normal(B=1, H=2, L=2, D=4), draw.normal(B=1, H=2, L=2, D=4)
        got, want = caches[turn].call("append", *new), wanted[turn].call("append", *new)
        case = {"case": "two caches in turn"}
        close(got, want, call=caches[turn].last_call, names=("keys", "values"), **case)
        lengths = caches[turn].call("__len__"), wanted[turn].call("__len__")
        same(*lengths, call="The length after it", **case)


misconceptions["KeyValueCache"] = {
    "shared": (
        "All caches share one memory. What stands in the class itself, outside of `__init__`, "
        "belongs to all of its instances, and so does a list that is a default argument: make "
        "it in `__init__`, for each a new one.",
        by(
            {
                "self.pieces = ([], [])": "shared = type(self)\n"
                "shared.pieces = getattr(shared, 'pieces', ([], []))"
            },
            style="lists of pieces",
        ),
        {
            "self.length = 0": "shared = type(self)\n"
            "new = {'length': 0, 'stored': None}\n"
            "self.__dict__ = shared.state = getattr(shared, 'state', new)",
            "self.stored: tuple[Tensor, Tensor] | None = None": "pass",
        },
    ),
    "newest-only": (
        "Only the newest keys and values come back and are counted: each append forgets what "
        "was there. The cache is for remembering all of them.",
        {
            "self.length += key.shape[-2]": "self.length = key.shape[-2]",
            "if self.stored is not None": "if False",
        },
    ),
    "past-detached": (
        "What was appended before is cut off from the gradient: a later result hangs on the keys "
        "and values of earlier calls, too.",
        {"self.stored = key, value": "self.stored = key.detach(), value.detach()"},
        {"keys, values = self.stored": "keys, values = (one.detach() for one in self.stored)"},
    ),
    "new-returned": (
        "Only the new keys and values come back, while the length counts all. Attention needs "
        "the keys and values of all positions so far.",
        {
            "self.length += key.shape[-2]": "new = key, value\nself.length += key.shape[-2]",
            "return key, value": "return new",
        },
    ),
    "along-heads": (
        "New positions are joined along the heads, dimension 1. They belong along the positions, "
        "the last but one.",
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([keys, key], dim=1)",
            "torch.cat([values, value], dim=-2)": "torch.cat([values, value], dim=1)",
            "return self.length": "return 0 if self.stored is None else self.stored[0].shape[-2]",
        },
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([keys, key], dim=1)",
            "torch.cat([values, value], dim=-2)": "torch.cat([values, value], dim=1)",
        },
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([keys, key], dim=1)",
            "torch.cat([values, value], dim=-2)": "torch.cat([values, value], dim=1)",
            "return self.length": "return 0 if self.stored is None else self.stored[0].shape[1]",
        },
    ),
    "along-features": (
        "New positions are joined along the features, the last dimension. They belong along the "
        "positions, the last but one.",
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([keys, key], dim=-1)",
            "torch.cat([values, value], dim=-2)": "torch.cat([values, value], dim=-1)",
            "return self.length": "return 0 if self.stored is None else self.stored[0].shape[-2]",
        },
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([keys, key], dim=-1)",
            "torch.cat([values, value], dim=-2)": "torch.cat([values, value], dim=-1)",
        },
    ),
    "along-batch": (
        "New positions are joined along the batch. They belong along the positions, the last "
        "but one.",
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([keys, key], dim=0)",
            "torch.cat([values, value], dim=-2)": "torch.cat([values, value], dim=0)",
            "return self.length": "return 0 if self.stored is None else self.stored[0].shape[-2]",
        },
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([keys, key], dim=0)",
            "torch.cat([values, value], dim=-2)": "torch.cat([values, value], dim=0)",
        },
    ),
    "in-front": (
        "New positions are put in front. They should come after those that were there.",
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([key, keys], dim=-2)",
            "torch.cat([values, value], dim=-2)": "torch.cat([value, values], dim=-2)",
        },
    ),
    "length-in-calls": (
        "The length counts how often something was appended. One append can bring several "
        "positions: those should be counted.",
        {"+= key.shape[-2]": "+= 1"},
    ),
    "length-of-batch": (
        "The length counts the batch, as `len` of a tensor does, whose first dimension it is. "
        "It should count the positions, the last dimension but one.",
        {"return self.length": "return 0 if self.stored is None else len(self.stored[0])"},
        {"self.length += key.shape[-2]": "self.length += len(key)"},
    ),
    "empty-fails": (
        "An empty cache has no length: asking for it fails. It is 0.",
        {"return self.length": "return self.stored[0].shape[-2]"},
        {"return self.length": "return self.stored.shape[-2]"},
    ),
    "keys-twice": (
        "The keys come back twice; the second should be the values.",
        {"return key, value": "return key, key"},
    ),
    "list": (
        "What was appended comes back in pieces. Attention needs one tensor of keys and one of "
        "values, joined along the positions.",
        by(
            {
                "return torch.cat(self.pieces[0], dim=2), torch.cat(self.pieces[1], dim=2)": (
                    "return self.pieces"
                ),
            },
            style="lists of pieces",
        ),
    ),
    "detached": (
        "What is appended, or what is joined of it, is cut off from its gradient, as by detach "
        "or under no_grad. In generation nobody would notice, but the contract lets gradients "
        "through.",
        {
            "self.length += key.shape[-2]": "key, value = key.detach(), value.detach()\n"
            "self.length += key.shape[-2]",
        },
        {
            "key = torch.cat([keys, key], dim=-2)": "key = torch.cat([keys, key], dim=-2).detach()",
            "value = torch.cat([values, value], dim=-2)": (
                "value = torch.cat([values, value], dim=-2).detach()"
            ),
        },
    ),
    "values-newest-only": (
        "Of the values only the newest come back, while the keys of all positions do. Both are "
        "to be remembered.",
        {
            "value = torch.cat([values, value], dim=-2)": "pass",
        },
    ),
    "keys-newest-only": (
        "Of the keys only the newest come back, while the values of all positions do. Both are "
        "to be remembered.",
        {
            "key = torch.cat([keys, key], dim=-2)": "pass",
        },
    ),
    "length-of-heads": (
        "The length counts heads. It should count the positions, the last dimension but one.",
        {
            "return self.length": "return 0 if self.stored is None else self.stored[0].shape[1]",
        },
        {"self.length += key.shape[-2]": "self.length += key.shape[1]"},
    ),
    "length-of-features": (
        "The length counts features. It should count the positions, the last dimension but one.",
        {
            "return self.length": "return 0 if self.stored is None else self.stored[0].shape[-1]",
        },
        {"self.length += key.shape[-2]": "self.length += key.shape[-1]"},
    ),
    "exchanged": (
        "Keys and values come back in the wrong order: the keys are first.",
        {
            "return key, value": "return value, key",
        },
    ),
    "stacked": (
        "New positions are stacked along a new dimension. They belong at the end of the "
        "positions, the last but one: `cat`, where `stack` was used.",
        {
            "torch.cat([keys, key], dim=-2)": "torch.stack([keys, key], dim=-2)",
            "torch.cat([values, value], dim=-2)": "torch.stack([values, value], dim=-2)",
        },
    ),
    "length-of-newest": (
        "The length is that of the latest append. It should be the number of all positions so far.",
        {
            "self.length += key.shape[-2]": "self.length = key.shape[-2]",
        },
    ),
    "window": (
        "Only the latest positions are kept, up to some number of them. The cache remembers all, "
        "however many they are.",
        {
            "self.stored = key, value": (
                "key, value = key[:, :, -1024:], value[:, :, -1024:]\nself.stored = key, value"
            ),
        },
        {
            "self.stored = key, value": (
                "key, value = key[:, :, -512:], value[:, :, -512:]\nself.stored = key, value"
            ),
        },
    ),
    "values-in-front": (
        "New values are put in front, while new keys come at the end. Both should come after "
        "those that were there.",
        {
            "torch.cat([values, value], dim=-2)": "torch.cat([value, values], dim=-2)",
        },
    ),
    "keys-in-front": (
        "New keys are put in front, while new values come at the end. Both should come after "
        "those that were there.",
        {
            "torch.cat([keys, key], dim=-2)": "torch.cat([key, keys], dim=-2)",
        },
    ),
    "old-returned": (
        "From the second append on, what was there before comes back, without the new "
        "positions. They should be included.",
        {
            "self.length += key.shape[-2]": (
                "self.length += key.shape[-2]\nold = self.stored or (key, value)"
            ),
            "return key, value": "return old",
        },
    ),
    "begins-in-float32": (
        "What is appended in half precision comes back in float32, as where the cache begins "
        "with an empty tensor in float32 and joins it with that. The dtype is that of what is "
        "appended: begin with nothing, or with an empty tensor of its dtype.",
        {
            "self.length += key.shape[-2]": (
                "if self.stored is None:\n"
                "    self.stored = key[..., :0, :].float(), value[..., :0, :].float()\n"
                "self.length += key.shape[-2]"
            ),
        },
    ),
    "rounded": (
        "What was appended comes back rounded to fewer digits, as where it is kept in half "
        "precision to save memory. Keep it in the dtype in which it comes.",
        {
            "self.length += key.shape[-2]": (
                "key, value = key.half().to(key.dtype), value.half().to(value.dtype)\n"
                "self.length += key.shape[-2]"
            ),
        },
        {
            "self.length += key.shape[-2]": (
                "key, value = key.bfloat16().to(key.dtype), "
                "value.bfloat16().to(value.dtype)\n"
                "self.length += key.shape[-2]"
            ),
        },
        {
            "self.stored = key, value": (
                "self.stored = key.half().to(key.dtype), value.half().to(value.dtype)"
            ),
        },
        {
            "self.stored = key, value": (
                "self.stored = key.bfloat16().to(key.dtype), value.bfloat16().to(value.dtype)"
            ),
        },
        *[
            {
                "self.length += key.shape[-2]": (
                    f"{one} = {one}.half().to({one}.dtype)\nself.length += key.shape[-2]"
                )
            }
            for one in ("key", "value")
        ],
    ),
}


def between(probabilities, number):
    """A top_p that the `number` largest probabilities reach, and one fewer does not, by far."""
    sums = probabilities.double().sort(descending=True).values.cumsum(dim=0)
    before = float(sums[number - 2]) if number > 1 else 0.0
    return (before + float(sums[number - 1])) / 2


@exercise("next_token_probabilities", chapter="10-writer", points=4)
def _(student, reference, draw):
    V = 9
    # Steps of at least a tenth from one logit to the next, in any order: no edge is near another.
    steps = torch.arange(V) * 0.7 + draw.uniform(V, high=0.6)
    logits = (steps - 3)[draw.permutation(V)]
    rows = [
        logits[draw.permutation(V)] + 2.0 * row for row in range(6)
    ]  # none has another's largest
    several = torch.stack(rows).reshape(2, 3, V)
    quick = Ask(gradients=False, contiguous=False, unchanged=False)
    agrees(student, reference, logits, ask=Ask(gradients=False))
    agrees(student, reference, several, ask=Ask(gradients=False), case="two batch dimensions")
    for temperature in (0.5, 2.0):
        agrees(student, reference, logits, temperature, case="another temperature", ask=quick)
    agrees(student, reference, several, temperature=0, case="temperature 0", ask=quick)
    agrees(student, reference, several.clone(), top_k=2, case="top_k=2", ask=Ask(gradients=False))
    for top_k in (1, 3, V):
        agrees(student, reference, several, top_k=top_k, case=f"top_k={top_k}", ask=quick)
    agrees(student, reference, logits, top_k=V + 5, case="a top_k above V", ask=quick)
    for number in (1, 2, 4):
        top_p = between(logits.softmax(dim=0), number)
        case = f"a top_p that {number} {'reaches' if number == 1 else 'reach'}"
        agrees(student, reference, several, top_p=top_p, case=case, ask=quick)
    agrees(student, reference, logits, top_p=1.0, case="top_p=1", ask=quick)

    cooled = (logits / 0.5).softmax(dim=0)
    hot = (logits / 3.0).softmax(dim=0)
    for temperature, chances in ((0.5, cooled), (3.0, hot)):
        agrees(
            student,
            reference,
            several,
            temperature,
            top_p=between(chances, 3),
            case="top_p after the temperature",
            ask=quick,
        )
    left = (logits / 3.0).sort(descending=True).values[:3].softmax(dim=0)  # of all, about a half
    top_p = between(left, 2)
    case = "top_p of what top_k left"
    agrees(student, reference, several, 3.0, 3, top_p, case=case, ask=quick)
    agrees(student, reference, several, 0.7, 4, 0.9999, case="all three", ask=quick)
    agrees(student, reference, logits, 0, 3, 0.2, case="all three at temperature 0", ask=quick)

    tied = torch.tensor([1.0, 2.0, 0.5, 2.0, 1.0, -1.0, 2.0])
    agrees(student, reference, tied, temperature=0, case="the largest three times", ask=quick)
    case = "the largest three times, at temperature 0 with top_k and top_p"
    agrees(student, reference, tied, 0, 1, 0.3, case=case, ask=quick)
    near = 1e-4 * logits
    agrees(student, reference, near, 1e-4, case="temperature 1e-4, logits as near", ask=quick)
    agrees(student, reference, tied, top_k=2, case="two equal to the k-th", ask=quick)
    agrees(student, reference, tied, top_k=4, case="one equal to the k-th", ask=quick)
    barred = logits.clone()
    barred[draw.int(0, V)] = -math.inf
    barred[int(logits.argmin())] = -math.inf
    agrees(student, reference, barred, case="a logit of -inf", ask=quick)
    agrees(student, reference, barred, 0, case="a logit of -inf, temperature 0", ask=quick)
    agrees(student, reference, barred, 1.5, V, 1.0, case="a logit of -inf, all kept", ask=quick)
    large = torch.tensor([1e4, 9999.0, -1e4, 9998.5])
    for case, number, top_p, left in (
        ("three of four equal ones", 4, 0.6, 3),
        ("half of two equal ones", 2, 0.5, 1),
    ):
        equal = student(torch.zeros(number), top_p=top_p)  # which of them stay is free
        ordered = equal.sort().values if isinstance(equal, torch.Tensor) else equal
        wanted = (torch.arange(number) >= number - left) / left
        close(ordered, wanted, case=case, call=student.last_call)
    agrees(student, reference, large, case="logits of 1e4", ask=quick)
    agrees(student, reference, large, 1e-4, 3, 0.9, case="temperature 1e-4", ask=quick)
    agrees(student, reference, draw.normal(3, 1), 0.8, 1, 0.5, case="one token alone", ask=quick)

    agrees(student, reference, several[:1, None, :1], case="four dimensions", ask=quick)
    close_by = torch.tensor([1.0, 2.0, 1.9995, 2.0, 0.9995])
    case = "nearly the largest, at temperature 0"
    agrees(student, reference, close_by, 0, case=case, ask=quick)
    nearer = torch.tensor([1.0, 2.0, 2 - 2**-22, 2.0, -3.0])
    agrees(student, reference, nearer, 0, case=f"{case}, but for the last digit", ask=VALUES)
    agrees(student, reference, close_by, top_k=4, case="nearly the k-th", ask=quick)
    agrees(student, reference, barred, 1e6, case="a logit of -inf, temperature 1e6", ask=quick)
    seldom = torch.tensor([0.9, 0.0992, 0.0006, 0.0002]).log()
    agrees(student, reference, seldom, top_p=0.9995, case="top_p=0.9995", ask=quick)
    agrees(student, reference, logits, top_p=1e-6, case="top_p=1e-6", ask=quick)
    agrees(student, reference, logits.half(), 0.8, case="float16", ask=VALUES)

    for wrong, says in (
        ({"temperature": -0.5}, "a temperature below 0"),
        ({"temperature": -1e-6}, "a temperature just below 0"),
        ({"top_p": 1 + 1e-6}, "top_p just over 1"),
        ({"top_k": 0}, "top_k=0"),
        ({"top_k": -1}, "top_k=-1"),
        ({"top_p": 0.0}, "top_p=0"),
        ({"top_p": 1.5}, "top_p over 1"),
        ({"top_p": -0.1}, "top_p below 0"),
        ({"temperature": 0, "top_k": 0}, "temperature 0 and top_k=0"),
        ({"temperature": 0, "top_p": 2.0}, "temperature 0 and top_p over 1"),
        ({"top_k": 0, "top_p": 0.5}, "top_k=0 with a top_p"),
    ):
        raises(student, ValueError, logits, case=says, **wrong)


misconceptions["next_token_probabilities"] = {
    "one-too-many": (
        "One token more is kept where the sum of the larger ones is exactly top_p: they have "
        "reached it already, and the set is to be the smallest.",
        {"before < top_p)": "before <= top_p)"},
    ),
    "crossing-dropped-but-first": (
        "The token with which top_p is reached is dropped, and the largest alone is always kept. "
        "The kept ones must reach top_p together, so the one that crosses it stays.",
        {"before < top_p)": "(before + ordered <= top_p) | (before == 0))"},
        {
            "top_p is not None and top_p < 1": "top_p is not None",
            "before < top_p)": "(before + ordered <= top_p) | (before == 0))",
        },
    ),
    "temperature": (
        "The temperature works the wrong way around, as where logits are multiplied by it. They"
        " should be divided by it: a high temperature makes the tokens more alike.",
        {"(logits - largest) / temperature": "(logits - largest) * temperature"},
    ),
    "temperature-unused": (
        "The temperature is not used, or only after the softmax, where dividing all by it changes "
        "nothing once they sum to one. It belongs to the logits.",
        {"(logits - largest) / temperature": "(logits - largest)"},
    ),
    "zero-first-only": (
        "At temperature 0 only one of several equal tokens gets anything. They should share.",
        {
            "ties = (logits == largest).to(logits)": "ties = torch.zeros_like(logits)"
            ".scatter(-1, logits.argmax(dim=-1, keepdim=True), 1.0)"
        },
        {
            "ties = (logits == largest).to(logits)": "ties = torch.zeros_like(logits)"
            ".scatter(-1, logits.shape[-1] - 1 - logits.flip(-1).argmax(dim=-1, keepdim=True), 1.0)"
        },
    ),
    "zero-not-shared": (
        "At temperature 0 several equal tokens get 1 each. They should share: the row sums to one.",
        {"return ties / ties.sum(dim=-1, keepdim=True)": "return ties"},
    ),
    "zero-refused": (
        "Temperature 0 is refused. It means that the likeliest token gets everything.",
        {"if not temperature >= 0": "if not temperature > 0"},
    ),
    "smallest-k": (
        "top_k keeps the k smallest. It should keep the k largest.",
        {
            "logits.topk(min(top_k, logits.shape[-1]), dim=-1)": "logits.topk(max(logits.shape[-1]"
            " + 1 - top_k, 1), dim=-1)",
            "logits < kth": "logits > kth",
        },
    ),
    "k-th": (
        "top_k drops the k-th largest token, too, and those that are as large. All k stay, the "
        "k-th included.",
        {"logits < kth": "logits <= kth"},
        {
            "logits < kth": "logits <= kth",
            "probabilities = softmax(": "probabilities = torch.softmax(",
        },
    ),
    "exactly-k": (
        "top_k keeps exactly k, though others are as large as the k-th. Equal tokens stay or go "
        "together.",
        {
            "kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]": (
                "kept_places = logits.topk(min(top_k, logits.shape[-1]), dim=-1).indices"
            ),
            "logits < kth": "torch.ones_like(logits, dtype=torch.bool).scatter(-1, kept_places, "
            "False)",
        },
    ),
    "large-k-refused": (
        "A top_k above V is an error. It keeps all.",
        {"min(top_k, logits.shape[-1])": "top_k"},
        {"top_k < 1": "not 1 <= top_k <= logits.shape[-1]"},
    ),
    "dropped-logit-zero": (
        "What top_k drops has a logit of 0, and exp(0) is 1. To get no probability it must be "
        "-inf.",
        {
            "scores = scores.masked_fill(logits < kth, -math.inf)": "scores = scores.masked_fill("
            "logits < kth, 0.0)"
        },
        {
            "scores = scores.masked_fill(logits < kth, -math.inf)": "scores = torch.where("
            "logits < kth, -largest / temperature, scores)"
        },
    ),
    "crossing": (
        "The token with which the sum reaches top_p is dropped. It is the last one that stays.",
        {
            "before = ordered.cumsum(dim=-1) - ordered": "so_far = ordered.cumsum(dim=-1)",
            "torch.zeros_like(before": "torch.zeros_like(so_far",
            "before < top_p": "so_far < top_p",
        },
        {
            "before < top_p": "ordered.cumsum(dim=-1) < top_p",
            "probabilities / probabilities.sum(dim=-1, keepdim=True)": "probabilities / "
            "probabilities.sum(dim=-1, keepdim=True).clamp(min=1e-12)",
        },
        {"before < top_p": "ordered.cumsum(dim=-1) <= top_p"},
        *[  # where top_p is 1, rounding says whether the sum of all is at most that
            {
                "top_p is not None and top_p < 1": "top_p is not None",
                "before < top_p": f"ordered.cumsum(dim=-1) <= top_p{shift}",
            }
            for shift in ("", " - 1e-6 * (top_p == 1)")
        ],
    ),
    "own-probability": (
        "top_p keeps the tokens whose own probability is at least top_p. It is about their sum,"
        " the largest first.",
        {"before < top_p": "ordered >= top_p"},
        {
            "top_p is not None and top_p < 1": "top_p is not None",
            "before < top_p": "ordered >= top_p",
        },
    ),
    "unordered": (
        "The sum for top_p runs over the vocabulary as it comes. It should begin with the "
        "largest: sort the probabilities first.",
        {
            "ordered, order = probabilities.sort(dim=-1, descending=True)": "ordered, order = "
            "probabilities, torch.arange(logits.shape[-1]).expand(logits.shape)"
        },
    ),
    "smallest-first": (
        "top_p begins with the smallest probabilities. It should keep the largest.",
        {"descending=True": "descending=False"},
    ),
    "not-put-back": (
        "The probabilities are left in their order of size. They belong back to their tokens.",
        {
            "kept = torch.zeros_like(before, dtype=torch.bool)": "probabilities, kept = ordered, (",
            ".scatter(-1, order, before < top_p)": "before < top_p)",
        },
        {
            "top_p is not None and top_p < 1": "top_p is not None",
            "kept = torch.zeros_like(before, dtype=torch.bool)": "probabilities, kept = ordered, (",
            ".scatter(-1, order, before < top_p)": "before < top_p)",
        },
    ),
    "top-p-not-divided": (
        "What is left after top_p does not sum to one: divide by the sum.",
        {"probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)": ""},
    ),
    "top-p-before-top-k": (
        "top_p looks at the probabilities as they were before top_k. It looks at what top_k left, "
        "scaled to sum to one.",
        {
            "scores = scores.masked_fill(logits < kth, -math.inf)": "dropped = logits < kth",
            "scores = (logits - largest) / temperature": "scores = (logits - largest) / "
            "temperature\n"
            "dropped = torch.zeros_like(logits, dtype=torch.bool)",
            "return probabilities": "probabilities = probabilities.masked_fill(dropped, 0.0)\n"
            "return probabilities / probabilities.sum(dim=-1, keepdim=True)",
        },
    ),
    "top-p-before-temperature": (
        "top_p looks at the probabilities at temperature 1. The temperature should come first.",
        {
            "ordered, order = probabilities.sort(dim=-1, descending=True)": "plain = softmax("
            "(logits - largest).masked_fill(scores == -math.inf, -math.inf), dim=-1)\n"
            "ordered, order = plain.sort(dim=-1, descending=True)"
        },
    ),
    "top-k-unused": (
        "top_k has no effect: it should keep the k largest alone, and those that are as large "
        "as the k-th.",
        {"scores = scores.masked_fill(logits < kth, -math.inf)": "pass"},
    ),
    "top-p-unused": (
        "top_p has no effect: it should keep the smallest set, the largest first, whose sum "
        "reaches it.",
        {"if top_p is not None and top_p < 1": "if False"},
    ),
    "overflow": (
        "The largest logit is not subtracted before the exponential. For large logits, or a "
        "small temperature, that is infinite, and infinity divided by infinity is NaN.",
        {
            "scores = (logits - largest) / temperature": "scores = logits / temperature",
            "softmax(scores, dim=-1)": "scores.exp() / scores.exp().sum(dim=-1, keepdim=True)",
        },
    ),
    "negative-temperature-accepted": (
        "A temperature below 0 is let through. It would prefer the least likely: it is a "
        "ValueError.",
        {"if not temperature >= 0": "if temperature != temperature"},
    ),
    "small-k-accepted": (
        "A top_k below 1 is let through. Nothing would be left: it is a ValueError.",
        {
            "top_k < 1": "False",
            "logits.topk(min(top_k": "logits.topk(min(max(top_k, 1)",
        },
    ),
    "zero-p-accepted": (
        "A top_p of 0 is let through. It is in (0, 1]: anything else is a ValueError.",
        {"not 0 < top_p <= 1": "not 0 <= top_p <= 1"},
    ),
    "large-p-accepted": (
        "A top_p above 1 is let through. It is in (0, 1]: anything else is a ValueError.",
        {"not 0 < top_p <= 1": "not 0 < top_p"},
    ),
    "checked-late": (
        "At temperature 0 top_k and top_p are not checked, as where the result is given back "
        "before. A wrong argument is a ValueError whatever the others are.",
        {
            "if top_k is not None and top_k < 1": "if temperature > 0 and top_k is not None and "
            "top_k < 1",
            "if top_p is not None and not 0 < top_p <= 1": "if temperature > 0 and top_p is not "
            "None and not 0 < top_p <= 1",
        },
    ),
    "top-k-not-divided": (
        "What top_k leaves is not scaled to sum to one. It should be before top_p looks at it, "
        "and what top_p leaves again.",
        {
            "scores = scores.masked_fill(logits < kth, -math.inf)": "dropped = logits < kth",
            "probabilities = softmax(scores, dim=-1)": "probabilities = softmax(scores, dim=-1)\n"
            "if top_k is not None:\n    probabilities = probabilities.masked_fill(dropped, 0.0)",
            "probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)": "pass",
        },
        {
            "scores = scores.masked_fill(logits < kth, -math.inf)": "dropped = logits < kth",
            "probabilities = softmax(scores, dim=-1)": "probabilities = softmax(scores, dim=-1)\n"
            "if top_k is not None:\n    probabilities = probabilities.masked_fill(dropped, 0.0)",
        },
    ),
    "zero-then-filtered": (
        "At temperature 0 top_k and top_p are applied all the same, or a small temperature "
        "stands for 0, so that equal tokens do not all share, or nearly equal ones do. All is "
        "on the largest logit there, whatever top_k and top_p are.",
        {
            "return ties / ties.sum(dim=-1, keepdim=True)": (
                "if top_p is None:\n"
                "    return ties / ties.sum(dim=-1, keepdim=True)\n"
                "logits = ties.log()\n"
                "largest = logits.amax(dim=-1, keepdim=True)\n"
                "temperature = 1.0"
            ),
        },
        {
            "if temperature == 0:": ("if temperature == 0:\n    temperature = 1e-6\nif False:"),
        },
        {
            "if temperature == 0:": ("temperature = max(temperature, 1e-6)\nif False:"),
        },
    ),
    "small-temperature-is-zero": (
        "A small temperature is taken for 0. It may be as small as 1e-4, and logits that differ "
        "by as little still differ then.",
        {
            "if temperature == 0:": "if temperature < 1e-3:",
        },
    ),
    "zero-over-all": (
        "At temperature 0 the largest logit of the whole batch gets everything. Each row has its "
        "own largest.",
        {
            "ties = (logits == largest).to(logits)": "ties = (logits == logits.max()).to(logits)",
        },
    ),
    "largest-dropped": (
        "Where the largest probability alone reaches top_p, it is dropped as well, and nothing is "
        "left. The token that reaches top_p stays.",
        {"before < top_p": "torch.where(before == 0, ordered, before) <= top_p"},
    ),
    "top-k-over-all": (
        "The k largest are looked for in the whole batch. Each row keeps k of its own.",
        {
            "logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:]": (
                "logits.flatten().topk(min(top_k, logits.numel())).values[-1]"
            ),
        },
    ),
    "one-p-refused": (
        "A top_p of 1 is refused. It keeps all: only what is not in (0, 1] is a ValueError.",
        {
            "not 0 < top_p <= 1": "not 0 < top_p < 1",
        },
    ),
    "one-k-more": (
        "top_k keeps one token too many. The k largest stay, and those that are as large as the"
        " k-th.",
        {
            "min(top_k, logits.shape[-1])": "min(top_k + 1, logits.shape[-1])",
        },
    ),
    "one-p-more": (
        "top_p keeps one token too many: the one that reaches top_p is the last to stay, and the "
        "next one goes.",
        {
            "before < top_p": "F.pad(before, (1, -1)) < top_p",
        },
    ),
    "smallest-subtracted": (
        "The smallest of the scores is subtracted before the exponential, and it may be -inf: "
        "the rest is NaN or infinite then. The largest should be subtracted.",
        {
            "largest = logits.amax(dim=-1, keepdim=True)": (
                "largest = logits.amax(dim=-1, keepdim=True)\n"
                "scaled = logits / temperature if temperature else logits"
            ),
            "scores = (logits - largest) / temperature": (
                "scores = scaled - scaled.amin(dim=-1, keepdim=True)"
            ),
        },
    ),
    "logarithms": (
        "Logarithms of the probabilities come back. The next token is drawn from the "
        "probabilities themselves.",
        {
            "return probabilities": "return probabilities.log()",
        },
    ),
    "softmax-twice": (
        "The softmax was taken twice, the second time of probabilities that are divided by the "
        "temperature. The logits are divided by it, and one softmax follows.",
        {
            "scores = (logits - largest) / temperature": "scores = logits - largest",
            "probabilities = softmax(scores, dim=-1)": (
                "probabilities = softmax(softmax(scores, dim=-1) / temperature, dim=-1)"
            ),
        },
    ),
    "along-second": (
        "top_p works along dimension 1, as in `sort` or `scatter`, which is right for (B, V) "
        "alone. Any leading dimensions are allowed: the vocabulary is the last one.",
        {
            ".scatter(-1, order, before < top_p)": ".scatter(1, order, before < top_p)",
        },
        {
            "ordered, order = probabilities.sort(dim=-1, descending=True)": (
                "ordered, order = probabilities.sort(dim=1, descending=True)"
            ),
        },
    ),
    "equal-all-kept": (
        "All tokens that are as probable as the last one kept stay, too. The set should be the "
        "smallest that reaches top_p: of equal ones at its edge, only as many stay as are needed.",
        {
            "before < top_p)": (
                "before < top_p)\nkept = probabilities >= probabilities.masked_fill(~kept, "
                "2.0).amin(dim=-1, keepdim=True)"
            ),
        },
    ),
    "order-forgotten": (
        "With top_p, other tokens are kept than should be: what was found in sorted order is used "
        "as if it were in the order of the logits. Bring it back first, as by `scatter(-1, order, "
        "...)`.",
        {
            "torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < top_p)": (
                "before < top_p"
            ),
        },
    ),
    "sorted-again": (
        "With top_p, other tokens are kept than should be: what was found in sorted order goes to "
        "other places than it came from, as with `gather(-1, order)`, which sorts once more. "
        "Either `scatter(-1, order, ...)` or `gather(-1, order.argsort())` undoes the sorting.",
        {
            "torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < top_p)": (
                "(before < top_p).gather(-1, order)"
            ),
        },
        {
            "torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < top_p)": (
                "before < top_p"
            ),
            "probabilities = probabilities.masked_fill(~kept, 0.0)": (
                "probabilities = ordered.masked_fill(~kept, 0.0).gather(-1, order)"
            ),
        },
        {
            "top_p is not None and top_p < 1": "top_p is not None",
            "torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < top_p)": (
                "(before < top_p).gather(-1, order)"
            ),
        },
    ),
    "softmax-along-first": (
        "The softmax runs along another dimension than the last, so that the tokens of a row do "
        "not sum to one.",
        {
            "softmax(scores, dim=-1)": "softmax(scores, dim=0)",
        },
        {
            "softmax(scores, dim=-1)": "softmax(scores, dim=1 if logits.dim() > 1 else 0)",
        },
        {
            "softmax(scores, dim=-1)": "torch.softmax(scores, dim=1 if logits.dim() > 1 else 0)",
        },
    ),
}


mend("next_token_probabilities", "crossing", points=1)


@exercise("induction_score", chapter="10-writer", points=3)
def _(student, reference, draw):
    B, H, L = 3, 2, 9
    quick = Ask(gradients=False, contiguous=False, unchanged=False)

    def causal(*sizes):
        scores = 2 * draw.normal(*sizes)
        hidden = torch.ones(sizes[-2:], dtype=torch.bool).triu(1)
        return scores.masked_fill(hidden, -math.inf).softmax(dim=-1)

    few = draw.integers(0, 4, B, L)
    weights = causal(B, H, L, L)
    agrees(student, reference, weights, few, ask=Ask(gradients=False))
    agrees(student, reference, weights[:1], few[:1], case="one row", ask=quick)
    everywhere = draw.normal(B=B, H=5, L=L, S=L).softmax(dim=-1)
    agrees(student, reference, everywhere, few, case="weights that look ahead too", ask=quick)
    half = draw.permutation(50)[:6].repeat(2)[None]  # every token twice, six apart
    agrees(student, reference, causal(1, 4, 12, 12), half, case="a text that repeats", ask=quick)
    row = torch.tensor([[5, 5, 5, 5], [1, 2, 3, 4], [7, 8, 7, 9]])
    agrees(
        student, reference, causal(3, 2, 4, 4), row, case="the same token next to itself", ask=quick
    )
    agrees(
        student,
        reference,
        causal(2, 3, 5, 5),
        torch.arange(10).reshape(2, 5),
        case="no token twice",
    )
    agrees(student, reference, causal(2, 3, 1, 1), few[:2, :1], case="one position", ask=quick)
    once = torch.tensor([[1, 2, 1], [3, 4, 5]])
    agrees(student, reference, causal(2, 2, 3, 3), once, case="one token twice", ask=quick)
    agrees(student, reference, causal(1, 1, 3, 3), once[:1], case="one row, one head", ask=quick)
    far = few - 2**24 - 3  # of these float32 cannot hold every one
    agrees(student, reference, weights, far, case="negative tokens, large ones", ask=VALUES)
    agrees(student, reference, weights.half(), few, case="weights of float16", ask=VALUES)
    weights[0] = torch.eye(L)
    agrees(student, reference, weights, few, case="a row that looks at itself alone", ask=quick)


misconceptions["induction_score"] = {
    "after": (
        "The weight on the earlier occurrence itself is counted. An induction head looks at what "
        "came *after* it, one position further.",
        {"F.pad(before[..., :-1], (1, 0))": "before"},
    ),
    "before": (
        "The weight on the position before the earlier occurrence is counted. It should be the "
        "one after it.",
        {"F.pad(before[..., :-1], (1, 0))": "F.pad(before[..., 1:], (0, 1))"},
    ),
    "later-counted": (
        "Later occurrences of the token count too. Only those before the query do.",
        {".tril(-1)": " & ~torch.eye(tokens.shape[1], dtype=torch.bool)"},
    ),
    "own-counted": (
        "The query's own position counts as an earlier occurrence of its token. It is not earlier.",
        {".tril(-1)": ".tril()"},
    ),
    "mean": (
        "The sum is divided by the number of all queries. Those whose token is new should not "
        "be counted.",
        {"counted.sum().clamp(min=1)": "counted.numel()"},
    ),
    "no-mean": (
        "There is no mean: the weights of all queries are summed.",
        {"return total / counted.sum().clamp(min=1)": "return total"},
    ),
    "mean-of-pairs": (
        "The mean is over all pairs of a query and an earlier occurrence. The weights on several "
        "occurrences are summed, and the mean is over queries.",
        {"counted.sum().clamp(min=1)": "before.sum().clamp(min=1)"},
    ),
    "mean-of-rows": (
        "Each row of the batch has its own mean, and these are averaged. The mean is over the "
        "queries of the whole batch.",
        {
            "total = (looked * counted.unsqueeze(1)).sum(dim=(0, 2))": "total = (looked * "
            "counted.unsqueeze(1)).sum(dim=2) / counted.sum(dim=1, keepdim=True).clamp(min=1)",
            "return total / counted.sum().clamp(min=1)": "return total.mean(dim=0)",
        },
        {
            "total = (looked * counted.unsqueeze(1)).sum(dim=(0, 2))": "total = (looked * "
            "counted.unsqueeze(1)).sum(dim=2) / counted.sum(dim=1, keepdim=True).clamp(min=1)",
            "return total / counted.sum().clamp(min=1)": "return total.sum(dim=0) / "
            "counted.any(dim=1).sum().clamp(min=1)",
        },
    ),
    "nothing-nan": (
        "Where no token occurs twice the result is NaN, as a mean over nothing is. It should be 0.",
        {"counted.sum().clamp(min=1)": "counted.sum()"},
    ),
    "axes-swapped": (
        "Queries and keys have changed places: the weights' last axis is the keys.",
        {"weights * after.unsqueeze(1)": "weights.mT * after.unsqueeze(1)"},
    ),
    "heads-averaged": (
        "The heads are averaged. There should be one score for each head.",
        {
            "return total / counted.sum().clamp(min=1)": "return total.mean() / "
            "counted.sum().clamp(min=1)"
        },
    ),
    "last-only": (
        "Only the last earlier occurrence is counted. The weights after all of them are summed.",
        {
            "before = same.tril(-1)": "before = same.tril(-1)\n"
            "before = before & (before.flip(-1).cumsum(dim=-1).flip(-1) == 1)"
        },
    ),
    "hits": (
        "Weights are counted as hits or misses, by whether the largest is at the right place. The "
        "score is the weight itself.",
        {
            "looked = (weights * after.unsqueeze(1)).sum(dim=-1)": "hits = F.one_hot("
            "weights.argmax(dim=-1), weights.shape[-1])\n"
            "looked = (hits * after.unsqueeze(1)).sum(dim=-1).to(weights)"
        },
    ),
    "first-only": (
        "Only the first earlier occurrence is counted. The weights after all of them are summed.",
        {
            "before = same.tril(-1)": "before = same.tril(-1)\n"
            "before = before & (before.cumsum(dim=-1) == 1)"
        },
    ),
    "own-position-left-out": (
        "The query's own position is left out where it is the one right after an earlier "
        "occurrence. It counts there, as any position after one does.",
        {
            "after = F.pad(before[..., :-1], (1, 0))": (
                "after = F.pad(before[..., :-1], (1, 0)).tril(-1)"
            ),
        },
    ),
    "maximum": (
        "Of several earlier occurrences the largest weight alone is taken. The weights after all "
        "of them are summed.",
        {
            "(weights * after.unsqueeze(1)).sum(dim=-1)": (
                "(weights * after.unsqueeze(1)).amax(dim=-1)"
            ),
        },
    ),
    "averaged-occurrences": (
        "The weights after several earlier occurrences are averaged. They are summed: all of "
        "them are looks at what followed.",
        {
            "looked = (weights * after.unsqueeze(1)).sum(dim=-1)": (
                "looked = (weights * after.unsqueeze(1)).sum(dim=-1) / "
                "after.sum(dim=-1).clamp(min=1).unsqueeze(1)"
            ),
        },
    ),
    "two-further": (
        "The weights two positions after the earlier occurrences are counted. It is the position "
        "right after each.",
        {
            "F.pad(before[..., :-1], (1, 0))": "F.pad(before[..., :-2], (2, 0))",
        },
    ),
    "by-rows": (
        "The sum is divided by the number of rows. The mean is over all queries whose token stood "
        "earlier.",
        {"counted.sum().clamp(min=1)": "len(tokens)"},
    ),
    "per-row": (
        "There is one score for each row and head. A head should have one score, over the "
        "queries of the whole batch.",
        {
            "sum(dim=(0, 2))": "sum(dim=2)",
        },
    ),
    "last-query-only": (
        "Only the last query of each row is looked at. The mean is over all queries whose token "
        "stood earlier.",
        {
            "counted = before.any(dim=-1)": (
                "counted = before.any(dim=-1) & (torch.arange(tokens.shape[1]) == "
                "tokens.shape[1] - 1)"
            ),
        },
    ),
    "next-token": (
        "What is looked for earlier is the token that comes next after the query. It should be "
        "the query's own token: the score is about what followed where that stood.",
        {
            "same = tokens.unsqueeze(2) == tokens.unsqueeze(1)": (
                "same = tokens.roll(-1, 1).unsqueeze(2) == tokens.unsqueeze(1)"
            ),
        },
    ),
    "previous-token": (
        "The weight on the position before the query is counted, which finds heads that look at"
        " the previous token. Here the query's token is looked for earlier in its row.",
        {
            "looked = (weights * after.unsqueeze(1)).sum(dim=-1)": (
                "looked = F.pad(weights.diagonal(-1, 2, 3), (1, 0))"
            ),
        },
    ),
    "first-row-only": (
        "Only the first row of the batch is looked at. The mean is over the queries of all rows.",
        {
            "total = (looked": ("looked, counted = looked[:1], counted[:1]\ntotal = (looked"),
        },
    ),
}


@exercise(
    "blockwise_attention",
    chapter="10-writer",
    points=5,
    forbidden=("scaled_dot_product_attention",),
)
def _(student, reference, draw):
    L, S, D, E = 5, 7, 4, 3
    query, key, value = draw.normal(L=L, D=D), draw.normal(S=S, D=D), draw.normal(S=S, E=E)
    quick = Ask(contiguous=False, unchanged=False)
    agrees(student, reference, query, key, value, 100, case="one block for all", ask=quick)
    agrees(student, reference, query, key, value, 3, case="blocks of three")
    agrees(student, reference, query, key, value, 4, case="blocks that divide neither", ask=quick)
    quick = Ask(contiguous=False, unchanged=False, double=False)
    agrees(
        student,
        reference,
        query,
        key,
        value,
        1,
        case="blocks of one",
        ask=Ask(gradients=False, contiguous=False, unchanged=False, double=False),
    )
    many = draw.normal(2, 3, L, D), draw.normal(2, 3, S, D), draw.normal(2, 3, S, E)
    agrees(student, reference, *many, 3, case="a batch of heads", ask=quick)

    large = {"case": "scores of some hundreds", "rtol": 2e-3, "atol": 1e-4}
    agrees(student, reference, 20 * query, 20 * key, value, 3, **large, ask=quick)
    apart = 20 * query.abs(), -20 * key.abs(), value
    low = large | {"case": "scores of minus some hundreds"}
    agrees(student, reference, *apart, 3, **low, ask=quick)
    agrees(student, reference, query, key[:L], value[:L], 4, causal=True, case="causal", ask=quick)
    agrees(student, reference, query, key[:L], value[:L], 2, True, case="causal", ask=quick)
    agrees(student, reference, query, key, value, 3, causal=True, case="causal, L < S", ask=quick)
    one = (query[:1], key, value)
    agrees(student, reference, *one, 3, causal=True, case="causal, one query", ask=quick)
    agrees(student, reference, key, key, key, 3, case="one tensor for all", ask=VALUES)
    zeros = query, key * (torch.arange(S) != 1)[:, None], value
    agrees(student, reference, *zeros, 3, case="a key of zeros", ask=VALUES)
    causal = {"causal": True, "case": "causal, a batch of heads"}
    agrees(student, reference, *many, 2, **causal, ask=quick)
    for size in (L, S):
        some = query, key, value, size
        agrees(student, reference, *some, case=f"a block size of {size}", ask=VALUES)
    for case, size in each_one(L=5, S=7, D=4, E=3):
        sizes = list(size.values())
        some = draw.normal(sizes[0], sizes[2]), draw.normal(*sizes[1:3]), draw.normal(*sizes[1::2])
        agrees(student, reference, *some, 2, case=case, ask=VALUES)
    # Whole numbers, of which float32 has all digits: scores from 1e4, down by 1.5 from key to key.
    level = 50.0 + draw.permutation(S)[:, None].expand(S, D) / 128
    for sign, causal in ((1, False), (-1, False), (-1, True)):
        low = torch.full((L, D), 100.0), sign * level, value, 2, causal
        case = f"scores of {sign * 10000}{', causal' * causal}"
        agrees(student, reference, *low, case=case, rtol=2e-3, atol=2e-3, ask=VALUES)

    steps = [student.steps(*many, size) for size in (1, 100)]
    require(
        steps[1] < steps[0] / 2,
        f"What is done hardly depends on block_size: {steps[0]} operations of torch with "
        f"blocks of one, {steps[1]} with one block for all. The keys are taken block_size at a "
        f"time, for "
        "block_size queries at a time.",
    )
    L, S, block_size = 20, 24, 4
    inputs = draw.normal(L, 8), draw.normal(S, 8), draw.normal(S, 8)
    for causal in (False, True):
        largest = student.largest(*inputs, block_size, causal=causal)
        require(
            largest < L * S,
            f"With L = {L}, S = {S}, block_size = {block_size}{', causal' * causal}, "
            f"blockwise_attention makes a tensor of {largest} numbers on the way; the contract "
            f"allows none of {L * S}, the size of all scores{' or of the mask' * causal}.",
        )

    # Whatever library and thread they are held by: all scores are 16 MiB. Beside the contract's
    # half there is room for what the C library keeps of small tensors that were freed.
    # There are heads, as the time that blocks take grows with their number, not with their size.
    heads, L, S, D, block_size, room = (16, 16), 64, 256, 1, 12, 12 * 2**20
    query, key, value = (draw.normal(*heads, size, D) for size in (L, S, S))
    seen = torch.arange(S) <= torch.arange(S - L, S).unsqueeze(-1)
    some = slice(1)  # of the examples
    scores = (query[some] @ key[some].mT / math.sqrt(D)).masked_fill(~seen, -math.inf)
    holds_at_most(
        student,
        room,
        query,
        key,
        value,
        block_size,
        causal=True,
        want=lambda got: (
            got[some] if isinstance(got, torch.Tensor) and got.shape == query.shape else got,
            scores.softmax(dim=-1) @ value[some],
        ),
        sentence=f"more than {room // 2**20} MiB were held at once; all scores would be "
        f"{4 * math.prod((*heads, L, S)) // 2**20} MiB, and the contract allows no result of that "
        "size.",
    )


misconceptions["blockwise_attention"] = {
    "maximum-from-number": (
        "The running maximum begins at some number, such as 0. Where all scores of a query are far "
        "below it, every exponential is 0, and the sum is, too. Begin at minus infinity, so that "
        "the first block sets the maximum.",
        {"torch.full_like(block[..., :1], -math.inf)": "torch.zeros_like(block[..., :1])"},
        {"torch.full_like(block[..., :1], -math.inf)": "torch.full_like(block[..., :1], -100.0)"},
    ),
    "not-divided": (
        "The sums of the values are not divided by the sums of the exponentials: the weights of a "
        "query do not sum to one.",
        {"blocks.append(output / total)": "blocks.append(output)"},
    ),
    "scaled-by-value-width": (
        "The scores are divided by the root of the values' width. It should be the root of D, "
        "the width of a query and a key, whose dot product it is.",
        {"math.sqrt(D)": "math.sqrt(value.shape[-1])"},
    ),
    "row-by-row": (
        "What is done hardly depends on block_size, as where the queries are taken one by one, "
        "each with all of its keys. The keys are to be taken block_size at a time, with a "
        "running maximum and a running sum.",
        {
            "blocks = []": "S, rows = key.shape[-2], []\nfor number in range(L):\n"
            "    seen = S - L + number + 1 if causal else S\n"
            "    row = query[..., number : number + 1, :] / math.sqrt(D)\n"
            "    weights = (row @ key[..., :seen, :].transpose(-2, -1)).softmax(dim=-1)\n"
            "    rows.append(weights @ value[..., :seen, :])\n"
            "return torch.cat(rows, dim=-2)\nblocks = []"
        },
    ),
    "not-scaled": (
        "The scores are not divided by sqrt(D).",
        {"/ math.sqrt(D)": ""},
    ),
    "softmax-per-block": (
        "Each block of keys has a softmax of its own, and the results are added up: the weights of "
        "one query then sum to the number of blocks. There should be one softmax over all keys.",
        {
            "output = output * shrink + exponentials @ values": "output = output + "
            "torch.softmax(scores, dim=-1) @ values",
            "output / total": "output",
        },
    ),
    "softmax-per-block-averaged": (
        "Each block of keys has a softmax of its own, and the results are averaged, as if all "
        "blocks were equally important. A block with large scores should count more.",
        {
            "output = output * shrink + exponentials @ values": "output = output + "
            "torch.softmax(scores, dim=-1).nan_to_num() @ values",
            "output / total": "output / math.ceil(S / block_size)",
        },
    ),
    "outputs-only-rescaled": (
        "The outputs so far are scaled down when a larger score turns up, but not their sum of "
        "exponentials: both were computed with the old maximum.",
        {"total * shrink": "total"},
    ),
    "sum-only-rescaled": (
        "The sum of exponentials is scaled down when a larger score turns up, but not the outputs "
        "so far: both were computed with the old maximum.",
        {"output * shrink": "output"},
    ),
    "never-rescaled": (
        "When a larger score turns up, nothing is scaled down: what was summed so far was computed "
        "with the old maximum, and the new terms with the new one.",
        {
            "total * shrink": "total",
            "output * shrink": "output",
        },
    ),
    "leftover-dropped": (
        "The keys left over are dropped when block_size does not divide their number: the last "
        "block is a shorter one.",
        {"range(0, S, block_size)": "range(0, max(S // block_size, 1) * block_size, block_size)"},
        {
            "output = total = 0.0": "total = torch.zeros_like(block[..., :1])\n"
            "output = total.expand(*block.shape[:-1], value.shape[-1])",
            "range(0, S, block_size)": "range(0, S // block_size * block_size, block_size)",
        },
    ),
    "no-maximum": (
        "No maximum is subtracted: exp of a score of some hundreds is infinite, and the division "
        "then gives NaN.",
        {
            "torch.exp(largest - new_largest)": "1.0",
            "torch.exp(scores - new_largest)": "torch.exp(scores)",
        },
    ),
    "causal-unused": (
        "`causal` has no effect: queries attend to what comes after them.",
        {"if causal:": "if False:"},
    ),
    "diagonal-masked": (
        "With `causal`, a query does not attend to its own position. The mask includes the "
        "diagonal.",
        {"places > positions.unsqueeze(-1)": "(places >= positions.unsqueeze(-1)) & (places > 0)"},
        {"places > positions.unsqueeze(-1)": "places >= positions.unsqueeze(-1)"},
    ),
    "whole-blocks": (
        "With `causal`, whole blocks are allowed or not, so that a query attends to keys after "
        "its own position, too. Inside a block the mask should decide key by key.",
        {
            "places > positions.unsqueeze(-1)": "places // block_size > positions.unsqueeze(-1) // "
            "block_size",
        },
        {
            "places > positions.unsqueeze(-1)": "first_key + 0 * places > positions[-1]",
        },
    ),
    "first-positions": (
        "With `causal` and L < S, the queries are placed as the first positions. They are the "
        "last: query i is at position S - L + i.",
        {"+ first_query + S - L": "+ first_query"},
    ),
    "full-scores": (
        "The values are right, but all L * S scores are held at once, as in the full form. The "
        "point of the blocks is never to do that.",
        {
            "blocks = []": "scores = query @ key.mT / math.sqrt(D)\nif causal:\n"
            "    scores = scores.masked_fill(~torch.ones(L, S, dtype=torch.bool).tril(S - L), "
            "-math.inf)\nreturn torch.softmax(scores, dim=-1) @ value\nblocks = []"
        },
        {
            "blocks = []": "blocks, whole = [], query @ key.mT / math.sqrt(D)",
            "scores = block @ keys.transpose(-2, -1)": "scores = whole[..., first_query : "
            "first_query + block_size, first_key : first_key + block_size]",
        },
    ),
    "full-mask": (
        "The values are right, and only `causal` takes too much: the causal mask, say, is made "
        "whole, of L * S elements. Each block needs only its own part.",
        {
            "places = torch.arange(keys.shape[-2], device=query.device) + first_key": "mask = "
            "torch.ones(L, S, dtype=torch.bool).tril(S - L)\n"
            "mask = mask[first_query : first_query + block_size]",
            "places > positions.unsqueeze(-1)": "~mask[:, first_key : first_key + block_size]",
        },
    ),
    "block-maximum": (
        "The running maximum is that of the latest block alone. Where an earlier block had "
        "larger scores, what was summed is scaled up until it overflows: keep the larger of the "
        "two.",
        {
            "torch.maximum(largest, scores.amax(dim=-1, keepdim=True)).detach()": (
                "scores.amax(dim=-1, keepdim=True).detach()"
            ),
        },
    ),
    "scaled-the-wrong-way": (
        "What was summed so far is multiplied by exp(new - old) where a larger score turns up. "
        "It is exp(old - new), which scales it down.",
        {
            "torch.exp(largest - new_largest)": "torch.exp(new_largest - largest)",
        },
    ),
    "leftover-queries-dropped": (
        "The queries left over are dropped when block_size does not divide their number: the "
        "last block is a shorter one.",
        {
            "range(0, L, block_size)": "range(0, max(L // block_size, 1) * block_size, block_size)",
        },
    ),
    "masked-zero": (
        "With `causal`, what is masked gets the score 0, which is a score like any other. It "
        "should be -inf.",
        {
            "positions.unsqueeze(-1), -math.inf)": "positions.unsqueeze(-1), 0.0)",
        },
    ),
    "masked-block-nan": (
        "A block in which a query may attend to nothing gives NaN: its maximum is -inf, and "
        "-inf minus -inf is NaN. Take the maximum of all blocks so far, or leave such a block "
        "out.",
        {
            "exponentials = torch.exp(scores - new_largest)": (
                "own = scores.amax(dim=-1, keepdim=True)\n"
                "exponentials = torch.exp(scores - own) * torch.exp(own - new_largest)"
            ),
        },
    ),
    "divided-by-width": (
        "The scores are divided by D, or twice by its root. They are divided by sqrt(D), once.",
        {
            "/ math.sqrt(D)": "/ D",
        },
    ),
    "scaled-by-length": (
        "The scores are divided by the root of a number of keys or of the block size. It is the "
        "root of D, the width of a query.",
        {
            "math.sqrt(D)": "math.sqrt(block_size)",
        },
        {
            "math.sqrt(D)": "math.sqrt(S)",
        },
    ),
    "exponentials-detached": (
        "The exponentials, or their sum, are cut off from the gradient. Only the maximum may be: "
        "it changes nothing in the result.",
        {
            "total = total * shrink + exponentials.sum(dim=-1, keepdim=True)": (
                "total = total * shrink + exponentials.sum(dim=-1, keepdim=True).detach()"
            ),
        },
        {
            "output = output * shrink + exponentials @ values": (
                "output = output * shrink + exponentials.detach() @ values"
            ),
        },
        {
            "torch.exp(scores - new_largest)": "torch.exp(scores - new_largest).detach()",
        },
    ),
    "positions-in-block": (
        "With `causal`, the positions of queries or keys are counted anew in each block. They go "
        "on from block to block: add where the block begins.",
        {"+ first_query + S - L": "+ S - L"},
        {"device=query.device) + first_key": "device=query.device)"},
    ),
    "first-of-block": (
        "With `causal`, all queries of a block see the keys that the first of them may see. Each "
        "query has an edge of its own.",
        {
            "torch.arange(block.shape[-2], device=query.device)": (
                "torch.zeros(block.shape[-2], dtype=torch.long)"
            ),
        },
    ),
    "one-too-wide": (
        "With `causal`, a query attends to the key after its own position, too. The mask ends at "
        "the diagonal.",
        {
            "places > positions.unsqueeze(-1)": "places > positions.unsqueeze(-1) + 1",
        },
    ),
    "past-left-out": (
        "With `causal` and L < S, the last keys are left out, as where the loop over the blocks of "
        "keys ends at L. There are S keys, and the last query sees all of them.",
        {
            "range(0, S, block_size)": "range(0, L if causal else S, block_size)",
        },
    ),
    "skipped-by-first-query": (
        "With `causal`, keys are left out that the first query of a block may not see, though "
        "later ones of it may. Leave out a block of keys only where its first key is past the last "
        "query.",
        {
            "keys = key[": "if causal and first_key > first_query + S - L:\n    break\nkeys = key[",
        },
    ),
    "skipped-without-past": (
        "With `causal` and L < S, keys are left out as if query i stood at position i. It stands "
        "at S - L + i: add S - L where you ask whether a block of keys is to come.",
        {
            "keys = key[": "if causal and first_key >= first_query + block_size:\n    break\n"
            "keys = key[",
        },
        {
            "keys = key[": "if causal and first_key >= first_query + block.shape[-2]:\n    break\n"
            "keys = key[",
        },
    ),
}


prediction(
    "positions-without-a-cache",
    chapter="10-writer",
    question=(
        "A model whose context has no limit begins with one character and writes 128 more. "
        "Nothing is kept from one step to the next: each step runs the whole text so far through "
        "the model. How many positions is that in all?"
    ),
    right=8256,
    options={
        8256: "1 + 2 + ... + 128 = 128 * 129 / 2. With a memory it would be 128.",
        128: "That would be one position for each character, which is the cost with a memory.",
        16384: "128 * 128 would be the whole text in each step. It is still short at first.",
    },
    again={
        "numbers": {"n": (10, 20, 50, 64, 100, 200)},
        "question": (
            "A model whose context has no limit begins with one character and writes {n} more. "
            "Nothing is kept from one step to the next: each step runs the whole text so far "
            "through the model. How many positions is that in all?"
        ),
        "right": "n * (n + 1) // 2",
        "options": {
            "n * (n + 1) // 2": (
                "1 + 2 + ... + {n} = {n} * {n + 1} / 2. With a memory it would be {n}."
            ),
            "n": "That would be one position for each character, which is the cost with a memory.",
            "n * n": "{n} * {n} would be the whole text in each step. It is still short at first.",
        },
    },
)

prediction(
    "one-layer-copies",
    chapter="10-writer",
    question=(
        "Each row draws twelve pairs of random tokens and visits them in random order, as in ab ef "
        "ab kl ef: when a comes again, b must follow. Two models of attention alone are trained on "
        "such rows, one with two layers, one with a single layer of as many heads. What becomes of "
        "the one with a single layer?"
    ),
    right="It gets a little better, and does not copy.",
    options={
        "It learns to copy too, only later.": (
            "It did not, even twice as wide and with three times as many steps. To be found from "
            "a, the key of b would have to know that a stood before it. In the first layer it "
            "knows its own token and place alone: with c before it, the key would be the same."
        ),
        "It gets a little better, and does not copy.": (
            "It could see which tokens this row has, and may learn a little of that. The key of b "
            "does not say which of them followed a: in the first layer it knows its own token and "
            "place alone."
        ),
        "It learns nothing: the tokens are random.": (
            "Random tokens cannot be learned by heart. But which of 64 tokens this row has can be "
            "seen in it, with one layer too."
        ),
    },
)
