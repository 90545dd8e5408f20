"""Checks for chapter 1, lookup."""

import torch
from torch.nn import functional as F

from autograder.checking import agrees, close, exercise, misconception, portable, raises


@exercise("exact_lookup", chapter="01-lookup", points=2)
def _(student, reference, draw):
    keys, values = draw.normal(S=6, D=4), draw.normal(S=6, E=3)
    query = keys[draw.int(1, 6)].clone()
    agrees(student, reference, query, keys, values, case="one equal key")

    corners = draw.permutation(8)  # the corners of a cube: all differ, most share an entry
    keys = torch.stack([corners // 4, corners // 2 % 2, corners % 2], dim=-1).float()  # (8, 3)
    values = draw.normal(8, E=5)
    query = keys[draw.int(1, 8)].clone()
    agrees(student, reference, query, keys, values, case="keys that share entries")

    keys, values = draw.normal(S=6, D=4), draw.normal(S=6, E=3)
    query = keys[draw.int(1, 6)] + 0.01
    agrees(student, reference, query, keys, values, case="no equal key")

    query = keys[draw.int(1, 6)] * (1 + 2**-20)
    agrees(student, reference, query, keys, values, case="a key that is nearly equal")

    keys[1], keys[4] = keys[2], keys[2]
    query = keys[2].clone()
    agrees(student, reference, query, keys, values, case="three equal keys")


@misconception(
    "exact_lookup",
    "The values are weighted with the dot products of query and keys. An exact lookup knows two "
    "weights only: one for a key that equals the query, zero for any other.",
)
def _(query, keys, values):
    return (keys @ query) @ values


@misconception(
    "exact_lookup",
    "A key counts as equal when one of its entries is the same. Two vectors are equal only if "
    "they agree in every entry.",
)
def _(query, keys, values):
    return values[(keys == query).any(dim=-1)].sum(dim=0)


@misconception(
    "exact_lookup",
    "The value of the nearest key is returned even though no key equals the query. An exact "
    "lookup that finds nothing has nothing to add up: zeros.",
)
def _(query, keys, values):
    if (keys == query).all(dim=-1).any():
        return values[(keys == query).all(dim=-1)].sum(dim=0)
    return values[(keys - query).norm(dim=-1).argmin()]


@misconception(
    "exact_lookup",
    "Where no key equals the query, the first value came back: the position of the largest of "
    "many zeros is position 0. Nothing found should give zeros.",
)
def _(query, keys, values):
    return values[(keys == query).all(dim=-1).int().argmax()]


@misconception(
    "exact_lookup",
    "Keys that are only nearly equal to the query were taken too: the comparison allows a "
    "tolerance. An exact lookup has none; the approximate one comes later in the chapter.",
)
def _(query, keys, values):
    return values[torch.isclose(keys, query).all(dim=-1)].sum(dim=0)


@misconception(
    "exact_lookup",
    "The search stops at the first equal key. Several keys may equal the query, and the values of "
    "all of them are to be added.",
)
def _(query, keys, values):
    for key, value in zip(keys, values, strict=True):
        if torch.equal(key, query):
            return value
    return torch.zeros_like(values[0])


@misconception(
    "exact_lookup",
    "Of several equal keys only the last one counts, as in a Python dictionary, where a later "
    "entry overwrites an earlier one. Here the values of all of them are to be added.",
)
def _(query, keys, values):
    table = {tuple(key.tolist()): value for key, value in zip(keys, values, strict=True)}
    return table.get(tuple(query.tolist()), torch.zeros_like(values[0]))


@misconception(
    "exact_lookup",
    "The values of equal keys are averaged. The contract is their sum: each equal key has the "
    "weight one, whatever the number of the others.",
)
def _(query, keys, values):
    matches = (keys == query).all(dim=-1)
    return values[matches].sum(dim=0) / matches.sum().clamp(min=1)


@exercise("letter_similarity", chapter="01-lookup", points=1)
def _(student, reference, draw):
    def compare(a, b, case):
        close(student(a, b), reference(a, b), case=case, call=student.last_call)

    compare("Luke", "Puke", "one letter differs")
    compare("abcde", "eabcd", "the same letters in other places")
    shared = draw.words(4)
    for word in shared:
        place = draw.int(0, len(word))
        other = word[:place] + "x" + word[place + 1 :]
        compare(word, other[::-1], "words of one length")
        compare(word, other, "words of one length")
    compare("abXyd", "aBxyD", "capitals")
    compare("attention", "atom", "the second word is shorter")
    compare("atom", "attention", "the first word is shorter")
    for word in draw.words(3):
        longer = word + draw.choice(["s", "ness", "less"])
        compare(longer, word, "the second word is shorter")
        compare(word, longer, "the first word is shorter")
    compare("", "key", "one empty word")
    compare("", "", "two empty words")
    compare("Straße", "STRASSE", "a letter that has no single capital")


@misconception(
    "letter_similarity",
    "The letters that the words share are counted wherever they stand. Position matters: a letter "
    'counts only where both words have it, so "abcde" and "eabcd" have nothing in common.',
)
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a and not b:
        return 1.0
    return len(set(a) & set(b)) / max(len(a), len(b))


@misconception(
    "letter_similarity",
    "Counting stops at the first letter that differs, so only a common beginning is seen. Every "
    "position counts, also those after a difference.",
)
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a and not b:
        return 1.0
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count / max(len(a), len(b))


@misconception(
    "letter_similarity",
    "The equal positions are counted, but not set in relation to the length of the words. Three "
    "of four letters is 0.75, and no similarity is above 1.",
)
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a and not b:
        return 1.0
    return float(sum(x == y for x, y in zip(a, b, strict=False)))


@misconception(
    "letter_similarity",
    "A capital and its small letter are taken as different. Case should make no difference.",
)
def _(a, b):
    if not a and not b:
        return 1.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / max(len(a), len(b))


@misconception(
    "letter_similarity",
    "The count is divided by the length of the shorter word, so a word and its own beginning seem "
    "to be the same. The letters left over differ too: the longer length counts them.",
)
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a or not b:
        return float(a == b)
    return sum(x == y for x, y in zip(a, b, strict=False)) / min(len(a), len(b))


@misconception(
    "letter_similarity",
    "The count is divided by the length of the first word, whichever is longer. A similarity "
    "should not change when the two words change places.",
)
def _(a, b):
    a, b = a.lower(), b.lower()
    if not a:
        return float(a == b)
    return sum(x == y for x, y in zip(a, b, strict=False)) / len(a)


@misconception(
    "letter_similarity",
    "Two empty words led to a division by zero. They are the same word, so their similarity is "
    "1.0.",
)
def _(a, b):
    a, b = a.lower(), b.lower()
    return sum(x == y for x, y in zip(a, b, strict=False)) / max(len(a), len(b))


@misconception(
    "letter_similarity",
    "Two empty words scored 0. They have no letter in common, but none in which they differ "
    "either: they are the same word, and a word compared with itself gives 1.0.",
)
def _(a, b):
    a, b = a.lower(), b.lower()
    return sum(x == y for x, y in zip(a, b, strict=False)) / max(len(a), len(b), 1)


@misconception(
    "letter_similarity",
    "Case is ignored by folding, which also turns one letter into two (the German sharp s) and "
    "moves all that follow. The contract names `str.lower`.",
)
def _(a, b):
    a, b = a.casefold(), b.casefold()
    if not a and not b:
        return 1.0
    return sum(x == y for x, y in zip(a, b, strict=False)) / max(len(a), len(b))


@exercise("weighted_average", chapter="01-lookup", points=2)
def _(student, reference, draw):
    weights, values = draw.uniform(S=5, low=0.2, high=3.0), draw.normal(S=5, E=3)
    agrees(student, reference, weights, values)
    agrees(student, reference, 100 * weights, values, case="the same weights, 100 times larger")
    weights[2] = 0.0
    agrees(student, reference, weights, values, case="a weight of zero")
    one = draw.uniform(1, low=0.2), draw.normal(1, E=3)
    agrees(student, reference, *one, case="one value", gradients=False)  # rounding noise, no slope
    weights[3] = -0.1
    raises(student, ValueError, weights, values, case="a negative weight")
    raises(student, ValueError, torch.zeros(5), values, case="all weights zero")


@misconception(
    "weighted_average",
    "The weights are used as they come, so the result is a weighted sum: it doubles when all the "
    "weights double. An average does not.",
)
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("weighted_average: weights cannot be normalized")
    return weights @ values


@misconception(
    "weighted_average",
    "The weighted sum is divided by the number of values. That is right only for weights that add "
    "up to that number; divide so that the weights add up to one.",
)
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("weighted_average: weights cannot be normalized")
    return (weights[:, None] * values).mean(dim=0)


@misconception(
    "weighted_average",
    "The weights went through a softmax. They are weights already: one that is twice another "
    "should count twice as much, and a weight of zero should not count at all.",
)
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("weighted_average: weights cannot be normalized")
    return torch.softmax(weights, dim=0) @ values


@misconception(
    "weighted_average",
    "The values are right, but the gradient is not: the sum of the weights was turned into a "
    "plain number, so autograd does not know that every weight changes the share of all the "
    "others.",
)
def _(weights, values):
    if (weights < 0).any() or weights.sum() == 0:
        raise ValueError("weighted_average: weights cannot be normalized")
    return (weights / weights.sum().item()) @ values


@misconception(
    "weighted_average",
    "A negative weight was accepted. It would push the result out of the range of the values, "
    "which is no average any more: that is a ValueError.",
)
def _(weights, values):
    if weights.sum() == 0:
        raise ValueError("weighted_average: the weights sum to zero")
    return (weights / weights.sum()) @ values


@misconception(
    "weighted_average",
    "The sign of a negative weight was dropped. Guessing what was meant hides the mistake of "
    "whoever called the function: that is a ValueError.",
)
def _(weights, values):
    if weights.abs().sum() == 0:
        raise ValueError("weighted_average: the weights sum to zero")
    return (weights.abs() / weights.abs().sum()) @ values


@misconception(
    "weighted_average",
    "Weights that are all zero were divided by their sum, and zero over zero is NaN. There is no "
    "average then: that is a ValueError.",
)
def _(weights, values):
    if (weights < 0).any():
        raise ValueError("weighted_average: a weight is negative")
    return (weights / weights.sum()) @ values


@misconception(
    "weighted_average",
    "A small number added to the sum hides that all weights are zero, and zeros come back that no "
    "value stands behind. There is no average then: that is a ValueError.",
)
def _(weights, values):
    if (weights < 0).any():
        raise ValueError("weighted_average: a weight is negative")
    return (weights / (weights.sum() + 1e-9)) @ values


def common_letters(query, key):
    return float(len(set(query) & set(key)))


def one_sided(query, key):
    return (0.5 * (query - 0.3 * key).square()).sum().neg().exp() + 0.1


def product(query, key):
    return query * key


@exercise("soft_lookup", chapter="01-lookup", points=3)
def _(student, reference, draw):
    names = ("output", "weights")
    letters = portable(common_letters)
    keys, values = [*draw.words(4), "axe", "cab"], draw.normal(S=6, E=3)
    agrees(student, reference, "bead", keys, values, letters, names=names, case="words")

    near = portable(one_sided)
    query, keys, values = draw.normal(D=4), draw.normal(S=5, D=4), draw.normal(S=5, E=3)
    rows = list(keys)
    agrees(student, reference, query, rows, values, near, names=names, case="a list of tensors")
    agrees(student, reference, query, keys, values, near, names=names, case="a tensor of keys")

    values = draw.normal(4, E=3)
    times = portable(product)
    for query, case in ((1.5, "a negative similarity"), (-1.5, "a negative sum")):
        numbers = (query, [2.0, -1.0, 3.0, 0.5], values, times)
        agrees(student, reference, *numbers, names=names, case=case)

    values = draw.normal(3, E=2)
    unlike = ("bead", ["fig", "mix", "ivy"], values, letters)
    raises(student, ValueError, *unlike, case="nothing alike")
    opposite = (1.0, [2.0, -3.0, 1.0], values, times)
    raises(student, ValueError, *opposite, case="similarities that cancel")


@misconception(
    "soft_lookup",
    "The similarities went through a softmax. Here they are the weights already, up to their sum: "
    "a key of similarity 0 should get the weight 0, and softmax never gives 0. It comes next "
    "chapter.",
)
def _(query, keys, values, similarity):
    similarities = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
    if similarities.sum() == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    weights = torch.softmax(similarities.to(values.dtype), dim=0)
    return weights @ values, weights


@misconception(
    "soft_lookup",
    "Only the best key is used. A soft lookup mixes all values: a key that fits half as well "
    "counts half as much, and does not drop out.",
)
def _(query, keys, values, similarity):
    similarities = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
    if similarities.sum() == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    weights = F.one_hot(similarities.argmax(), len(keys)).to(values.dtype)
    return weights @ values, weights


@misconception(
    "soft_lookup",
    "The similarities are used as weights as they come. They need not sum to one, so the result "
    "grows with the number of keys that fit.",
)
def _(query, keys, values, similarity):
    weights = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
    if weights.sum() == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    weights = weights.to(values.dtype)
    return weights @ values, weights


@misconception(
    "soft_lookup",
    "The similarities are divided by the number of keys. The weights should sum to one, whatever "
    "the similarities are.",
)
def _(query, keys, values, similarity):
    weights = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
    if weights.sum() == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    weights = weights.to(values.dtype) / len(keys)
    return weights @ values, weights


@misconception(
    "soft_lookup",
    "The result is right, but the weights do not come back with it. The function returns two "
    "things: what was found, and how much each key had to do with it.",
)
def _(query, keys, values, similarity):
    similarities = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
    if similarities.sum() == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    return (similarities / similarities.sum()).to(values.dtype) @ values


@misconception(
    "soft_lookup",
    "`similarity` is called with the key first. It may treat its two arguments differently, and "
    "the contract gives it the query first.",
)
def _(query, keys, values, similarity):
    similarities = torch.stack([torch.as_tensor(similarity(key, query)) for key in keys])
    if similarities.sum() == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    weights = (similarities / similarities.sum()).to(values.dtype)
    return weights @ values, weights


@misconception(
    "soft_lookup",
    "The similarities were turned into plain numbers, which cuts the result off from the query "
    "and the keys: no gradient reaches them, so nothing that makes them could be trained.",
)
def _(query, keys, values, similarity):
    similarities = [torch.as_tensor(similarity(query, key)).item() for key in keys]
    if sum(similarities) == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    weights = torch.tensor(similarities, dtype=values.dtype) / sum(similarities)
    return weights @ values, weights


@misconception(
    "soft_lookup",
    "Negative similarities were set to zero. The weights are the similarities over their sum, and "
    "a negative one stays negative.",
)
def _(query, keys, values, similarity):
    similarities = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
    similarities = similarities.to(values.dtype).clamp(min=0)
    if similarities.sum() == 0:
        raise ValueError("soft_lookup: the similarities sum to zero")
    weights = similarities / similarities.sum()
    return weights @ values, weights


@misconception(
    "soft_lookup",
    "When no key is similar to the query at all, zero was divided by zero. No weights can be made "
    "from that: it is a ValueError.",
)
def _(query, keys, values, similarity):
    similarities = torch.stack([torch.as_tensor(similarity(query, key)) for key in keys])
    weights = similarities.to(values.dtype) / similarities.sum()
    return weights @ values, weights


@exercise("kernel_regression", chapter="01-lookup", points=3)
def _(student, reference, draw):
    x, keys = draw.uniform(L=5, low=-2.0, high=2.0), draw.uniform(S=7, low=-2.0, high=2.0)
    values, bandwidth = draw.normal(S=7), draw.float(0.5, 0.8)
    agrees(student, reference, x, keys, values, bandwidth)
    agrees(student, reference, x, keys, values, draw.float(1.5, 2.5), case="a wide kernel")
    agrees(student, reference, x[:1], keys[:1], values[:1], 0.5, case="one key")

    keys = draw.permutation(6) + draw.uniform(6, low=0.0, high=0.3)
    far = torch.tensor([60.0, -60.0, 2000.0, -2000.0])
    agrees(student, reference, far, keys, draw.normal(6), 0.5, case="far from all keys")

    raises(student, ValueError, x, keys, values[:6], -0.5, case="a negative bandwidth")
    raises(student, ValueError, x, keys, values[:6], 0.0, case="bandwidth 0")


@misconception(
    "kernel_regression",
    "The squared distance is divided by the bandwidth, not by its square. The distance should be "
    "measured in bandwidths first, so that changing the unit of x changes nothing.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    squared = (x[:, None] - keys) ** 2
    return torch.softmax(-squared / (2 * bandwidth), dim=-1) @ values


@misconception(
    "kernel_regression",
    "The factor 2 under the squared distance is missing. The curve is a Gaussian all the same, "
    "but a narrower one than the bandwidth says.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    squared = (x[:, None] - keys) ** 2
    return torch.softmax(-squared / bandwidth**2, dim=-1) @ values


@misconception(
    "kernel_regression",
    "The weight falls with the distance itself, not with its square: a kernel with a sharp peak "
    "and long tails, not a Gaussian.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    distance = (x[:, None] - keys).abs()
    return torch.softmax(-distance / bandwidth, dim=-1) @ values


@misconception(
    "kernel_regression",
    "The minus sign is missing, so the farthest key counts most. A kernel is largest where the "
    "distance is zero.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    squared = (x[:, None] - keys) ** 2
    return torch.softmax(squared / (2 * bandwidth**2), dim=-1) @ values


@misconception(
    "kernel_regression",
    "The weights of each key sum to one over the points x. It is the other way around: for each "
    "x, the weights of all keys sum to one.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    squared = (x[:, None] - keys) ** 2
    return torch.softmax(-squared / (2 * bandwidth**2), dim=0) @ values


@misconception(
    "kernel_regression",
    "The kernel's values are used as weights without dividing by their sum. The curve then rises "
    "where there are many keys and falls to zero between them, whatever the values are.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    squared = (x[:, None] - keys) ** 2
    return torch.exp(-squared / (2 * bandwidth**2)) @ values


@misconception(
    "kernel_regression",
    "Far from all keys every exp is rounded to zero, and the division is zero over zero: NaN. "
    "What counts is how the exponents compare with one another, and that is lost once exp has "
    "run.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    kernel = torch.exp(-((x[:, None] - keys) ** 2) / (2 * bandwidth**2))
    return (kernel @ values) / kernel.sum(dim=-1)


@misconception(
    "kernel_regression",
    "Far from all keys the result is 0: a small number was added to the sum so that the division "
    "cannot fail. But no value is 0 there; the nearest key should have nearly all of the weight.",
)
def _(x, keys, values, bandwidth):
    if bandwidth <= 0:
        raise ValueError("kernel_regression: the bandwidth must be positive")
    kernel = torch.exp(-((x[:, None] - keys) ** 2) / (2 * bandwidth**2))
    return (kernel @ values) / (kernel.sum(dim=-1) + 1e-12)


@misconception(
    "kernel_regression",
    "A bandwidth of zero or less was accepted. The square hides the sign, but a kernel has no "
    "negative width, and one of no width has no value: that is a ValueError.",
)
def _(x, keys, values, bandwidth):
    squared = (x[:, None] - keys) ** 2
    return torch.softmax(-squared / (2 * bandwidth**2), dim=-1) @ values
