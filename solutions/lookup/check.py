"""Checks for chapter 1, lookup."""

import torch

from autograder.checking import (
    Ask,
    agrees,
    by,
    close,
    exercise,
    mend,
    misconceptions,
    portable,
    raises,
)
from autograder.checking.cases import VALUES
from autograder.checking.comparing import of_kind
from autograder.checking.predictions import prediction


@exercise("exact_lookup", chapter="01-lookup", points=2)
def _(student, reference, draw):
    keys, values = draw.normal(S=6, D=4), draw.normal(S=6, E=3)
    query = keys[draw.int(1, 6)].clone()
    agrees(student, reference, query, keys, values, case="one equal key")
    agrees(student, reference, keys[0], keys[:1], values[:1], case="S = 1", ask=VALUES)
    agrees(student, reference, query, keys[:1], values[:1], case="S = 1, not equal", ask=VALUES)

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
    small = keys / 1024
    query = torch.nextafter(small[draw.int(1, 6)], torch.tensor(9.0))
    agrees(student, reference, query, small, values, case="a key that differs in the last digit")

    keys[1], keys[4] = keys[2], keys[2]
    query = keys[2].clone()
    agrees(student, reference, query, keys, values, case="three equal keys")
    agrees(student, reference, query, keys, keys, case="the keys are the values, too", ask=VALUES)
    # Two have the query's entries in another order, one their sum, one its length, and the last its
    # own product with the query.
    alike = [[2.0, 1.0, 4.0, 3.0], [4.0, 3.0, 2.0, 1.0], [2.0, 2.0, 3.0, 3.0], [5.0, 2.0, 1.0, 0.0]]
    alike.append([2.0, 4.0, 4.0, 2.0])
    some = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor(alike), values[:5]
    agrees(student, reference, *some, case="keys that have much in common with the query")
    precise = keys[0].double(), keys.double()  # equal to keys[0] alone
    case = "float64 keys, float32 values"
    agrees(student, reference, *precise, values, case=case, ask=VALUES)
    agrees(student, reference, -keys[0], keys, values, case="a key of the other sign", ask=VALUES)
    agrees(student, reference, keys[0], keys, values[:, :1], case="E = 1", ask=VALUES)
    near = torch.nextafter(precise[0], torch.tensor(9.0).double()), precise[1]
    case = "a float64 key that differs in the last digit, float32 values"
    agrees(student, reference, *near, values, case=case, ask=VALUES)
    tiny = 1e-30 * keys  # the squares of their differences are zero
    agrees(student, reference, tiny[0], tiny, values, case="keys near zero", ask=VALUES)
    for dtype in (torch.float64, torch.float16):
        case = f"float32 keys, {str(dtype).removeprefix('torch.')} values"
        tight = {"case": case, "rtol": 1e-10, "atol": 1e-12, "ask": VALUES}
        agrees(student, reference, keys[0], keys, values.to(dtype) / 3, **tight)


misconceptions["exact_lookup"] = {
    "equal-by-product": (
        "Keys count as equal to the query where the dot product is the query's own, q . k = q . q. "
        "Many other keys have that product, too: equal means every entry.",
        {"(keys == query).all(dim=1)": "torch.isclose(keys @ query, query @ query)"},
        {"(keys == query).all(dim=1)": "keys @ query == query @ query"},
        {"(keys == query).all(dim=1)": "(keys * query).sum(dim=1) == (query * query).sum()"},
    ),
    "equal-by-squares": (
        "A key that differs from the query by very little counts as equal, as where the squares of "
        "the differences are added up: the square of a tiny number is rounded to zero. Compare the "
        "entries themselves.",
        {"(keys == query).all(dim=1)": "((keys - query) ** 2).sum(dim=1) == 0"},
    ),
    "weighted-by-product": (
        "The values are weighted with the dot products of query and keys. An exact lookup knows "
        "two weights only: one for a key that equals the query, zero for any other.",
        {"values[matches].sum(dim=0)": "(keys @ query) @ values"},
    ),
    "any-entry": (
        "A key counts as equal when one of its entries is the same. Two vectors are equal only if "
        "they agree in every entry.",
        {".all(": ".any("},
    ),
    "sums-compared": (
        "Keys count as equal where the sum of their entries is the query's. Many vectors have the "
        "same sum, such as one with the same entries in another order: compare entry by entry.",
        {"(keys == query).all(dim=1)": "keys.sum(dim=1) == query.sum()"},
    ),
    "nearest": (
        "The value of the nearest key is returned even though no key equals the query. An exact "
        "lookup that finds nothing has nothing to add up: zeros.",
        {
            "return values": "if not matches.any():\n"
            "    return values[(keys - query).norm(dim=1).argmin()]\nreturn values"
        },
    ),
    "first-if-none": (
        "Where no key equals the query, the first value came back, as where `argmax` of nothing "
        "but zeros gives place 0. Nothing found should give zeros, and several equal keys the sum "
        "of their values.",
        {"[matches].sum(dim=0)": "[matches.int().argmax()]"},
    ),
    "with-tolerance": (
        "Keys that are only nearly equal to the query were taken too, as by a comparison with a "
        "tolerance, or of rounded numbers. An exact lookup compares with `==`; the approximate "
        "one comes later in the chapter.",
        {"(keys == query)": "torch.isclose(keys, query)"},
        *[
            {"(keys == query)": f"((keys - query).abs() < {small})"}
            for small in ("1e-8", "1e-7", "1e-6", "1e-5", "1e-4")
        ],
    ),
    "first-only": (
        "Of several equal keys only the first one counts, as where a loop returns at the first "
        "match. The values of all of them are to be added.",
        by(
            {"total = total + values[i]": "return values[i]"},
            style="loop",
        ),
    ),
    "last-only": (
        "Of several equal keys only the last one counts, as in a Python dictionary, where a later "
        "entry overwrites an earlier one. Here the values of all of them are to be added.",
        by(
            {"total = total + values[i]": "total = values[i]"},
            style="loop",
        ),
    ),
    "averaged": (
        "The values of equal keys are averaged. The contract is their sum: each equal key has the "
        "weight one, whatever the number of the others.",
        {"return values": "return 1 / matches.sum().clamp(min=1).to(values) * values"},
    ),
    "averaged-nan": (
        "The values of equal keys are averaged, and where no key is equal, the mean of "
        "nothing is NaN. Add them up: each equal key counts once, and nothing adds up to "
        "zeros.",
        {
            "values[matches].sum(dim=0)": "values[matches].mean(dim=0)",
        },
    ),
    "averaged-over-all": (
        "The sum is divided by the number of all keys. Each value whose key equals the query "
        "counts whole: add them up, and divide by nothing.",
        {
            "return values[matches].sum(dim=0)": "return values[matches].sum(dim=0) / len(values)",
        },
    ),
    "first-entry": (
        "Only the first entries of query and key are compared. A key equals the query when "
        "all of its entries do.",
        {
            "(keys == query).all(dim=1)": "keys[:, 0] == query[0]",
        },
    ),
    "lengths-compared": (
        "Keys count as equal where they are as long as the query. Many vectors have the same "
        "length: compare entry by entry.",
        {
            "(keys == query).all(dim=1)": "keys.norm(dim=1) == query.norm()",
        },
    ),
    "any-order": (
        "Entries were compared in any order, as after sorting, so a key with the query's entries "
        "in other places counts as equal. Every entry has its place.",
        {
            "(keys == query).all(dim=1)": "(keys.sort(dim=1).values == "
            "query.sort().values).all(dim=1)",
        },
    ),
    "share-of-entries": (
        "Each value is weighted with the share of its key's entries that agree with the "
        "query's. There are two weights only: one where all entries agree, zero anywhere else.",
        {
            "values[matches].sum(dim=0)": "(keys == query).to(values.dtype).mean(dim=1) @ values",
        },
    ),
    "softmax": (
        "The values are weighted with a softmax of the dot products, which gives every key "
        "some weight. An exact lookup gives one to a key that equals the query, and zero to "
        "any other.",
        {
            "values[matches].sum(dim=0)": "torch.softmax(keys @ query, dim=0) @ values",
        },
    ),
    "nearest-one": (
        "The value of the one nearest key comes back. Only keys that equal the query count, "
        "and all of those: no equal key gives zeros.",
        {
            "values[matches].sum(dim=0)": "values[(keys - query).norm(dim=1).argmin()]",
        },
    ),
    "zeros-default-dtype": (
        "Where no key equals the query, the zeros have torch's default dtype. They should "
        "have that of `values`.",
        {
            "return values": "if not matches.any():\n    return torch.zeros(values.shape[1])\n"
            "return values",
        },
    ),
    "none-if-none": (
        "Where no key equals the query, None comes back, as from `dict.get`. The sum of no "
        "values is a vector of zeros.",
        {
            "return values": "if not matches.any():\n    return None\nreturn values",
        },
    ),
    "matches-along-entries": (
        "What was found is lined up with the E entries of each value. Match i belongs to row "
        "i of `values`: give the matches an axis at the end, (S, 1).",
        {
            "values[matches].sum(dim=0)": "(matches * values).sum(dim=0)",
        },
    ),
    "sum-over-all": (
        "Everything was added up to one number. The values are added entry by entry, over the "
        "keys alone (`dim=0`), so that E numbers come back.",
        {
            "values[matches].sum(dim=0)": "values[matches].sum()",
        },
    ),
    "dtype-of-keys": (
        "The weights of one and zero, or the zeros that the sum begins with, have the dtype of "
        "query and keys. Where the values have another, the result gets the wrong dtype, or the "
        "product fails: use `values.dtype`.",
        {
            "values[matches].sum(dim=0)": "(matches.to(query.dtype).unsqueeze(1) * "
            "values).sum(dim=0)",
        },
        {
            "values[matches].sum(dim=0)": "matches.to(query.dtype) @ values",
        },
    ),
}


@exercise("letter_similarity", chapter="01-lookup", points=1)
def _(student, reference, draw):
    def compare(a, b, case):
        got = student(a, b)
        close(got, reference(a, b), case=case, call=student.last_call)
        of_kind(got, float, case, student.last_call)

    compare("Luke", "Duke", "one letter differs")
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
    compare("\u0130", "i", "a capital whose small letter is two characters")
    compare(" key", "key", "a space in front")
    compare("cat ", "cat", "a space at the end")
    compare("", " ", "an empty word and a space")
    compare("New York", "New", "a space after the end of the shorter word")
    compare("New York", "New Fork", "a space in both")
    compare("no  one", "no one", "two spaces in one")
    compare("room 12-b", "room 13-b", "digits and a hyphen")
    compare("snake_", "snake", "an underscore after the end of the shorter word")
    compare("e\u0301a", "\u00e9a", "an accent that is a character of its own")
    compare("cat\n", "cat", "a new line at the end")
    compare("internationally", "internationales", "words of 15 letters")


misconceptions["letter_similarity"] = {
    "by-mean-length": (
        "The count is divided by the mean of the two lengths. The longer length counts every "
        "position that only one of the words has.",
        {"/ longer": "/ ((len(a) + len(b)) / 2)"},
        {"return sum(": "return 2 * sum(", "/ longer": "/ (len(a) + len(b))"},
    ),
    "aligned": (
        "The words were aligned before they were compared, as difflib does. Letters count here "
        "only where they stand at the same place.",
        {
            "return sum(x == y for x, y in zip(a, b, strict=False)) / longer": "import difflib\n"
            "return difflib.SequenceMatcher(None, a, b).ratio()"
        },
    ),
    "anywhere": (
        "The letters that the words share are counted wherever they stand. Position matters: a "
        'letter counts only where both words have it, so "abcde" and "eabcd" have nothing in '
        "common.",
        {"sum(x == y for x, y in zip(a, b, strict=False))": "len(set(a) & set(b))"},
        {"sum(x == y for x, y in zip(a, b, strict=False))": "sum(x in b for x in a)"},
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": "sum(min(a.count(x), "
            "b.count(x)) for x in set(a))",
        },
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": "sum(x in a for x in b)",
        },
    ),
    "common-beginning": (
        "Counting stops at the first letter that differs, so only a common beginning is seen. "
        "Every position counts, even those after a difference.",
        by(
            {"if a[i] == b[i]:": "if a[i] != b[i]:\n    break\nelse:"},
            style="loop over positions",
        ),
    ),
    "not-divided": (
        "The equal positions are counted, but not set in relation to the length of the words. "
        "Three of four letters is 0.75, and no similarity is above 1.",
        {
            "return sum(": "return float(sum(",
            "/ longer": ")",
        },
        {"/ longer": ""},
        {"/ longer": "", "if longer == 0:": "if False:"},
    ),
    "case-matters": (
        "A capital and its small letter are taken as different. Case should make no difference.",
        {"a, b = a.lower(), b.lower()": ""},
    ),
    "by-shorter": (
        "The count is divided by the length of the shorter word, so a word and its own beginning "
        "seem to be the same. The letters left over differ too: the longer length counts them.",
        {
            "if longer == 0:": "if not a or not b:",
            "return 1.0": "return float(a == b)",
            "/ longer": "/ min(len(a), len(b))",
        },
    ),
    "by-first": (
        "The count is divided by the length of the first word, whichever is longer. A similarity "
        "should not change when the two words change places.",
        {
            "if longer == 0:": "if not a:",
            "return 1.0": "return float(a == b)",
            "/ longer": "/ len(a)",
        },
    ),
    "empty-division": (
        "Two empty words led to a division by zero. They are the same word, so their similarity is "
        "1.0.",
        {"if longer == 0:": "if False:"},
    ),
    "empty-zero": (
        "Two empty words scored 0. They have no letter in common, but none in which they differ "
        "either: they are the same word, and a word compared with itself gives 1.0.",
        {"return 1.0": "return 0.0"},
    ),
    "case-folded": (
        "Case is ignored by folding, which also turns one letter into two (the German sharp s) and "
        "moves all that follow. The contract names `str.lower`.",
        {"a.lower(), b.lower()": "a.casefold(), b.casefold()"},
    ),
    "length-before-lower": (
        "The length is taken before the words are made small. `str.lower` may make two characters "
        "of one (of the Turkish capital I with a dot), and it is those that are compared.",
        {
            "a, b = a.lower(), b.lower()": "",
            "zip(a, b, strict=False)": "zip(a.lower(), b.lower(), strict=False)",
        },
    ),
    "stripped": (
        "Spaces around the words are taken away. A space is a character like any other here.",
        {"a.lower(), b.lower()": "a.lower().strip(), b.lower().strip()"},
    ),
    "sets": (
        "The sets of letters are compared, so neither the place of a letter counts nor how often "
        "it comes. Position matters.",
        {
            "longer = max(len(a), len(b))": "longer = max(len(set(a)), len(set(b)))",
            "sum(x == y for x, y in zip(a, b, strict=False))": "len(set(a) & set(b))",
        },
    ),
    "one-empty-is-same": (
        "One empty word is enough for a similarity of 1. Only two empty words are the same; "
        "beside any other word, an empty one agrees in no position.",
        {
            "if longer == 0:": "if not a or not b:",
        },
    ),
    "from-the-end": (
        "The words are compared from their ends. The first letter belongs to the first, so "
        "that a longer word has its rest behind the other one.",
        {
            "zip(a, b, strict=False)": "zip(a[::-1], b[::-1], strict=False)",
        },
    ),
    "upper-case": (
        "Case is ignored by `str.upper`, which makes two letters of some (of the German sharp "
        "s) and moves all that follow. The contract names `str.lower`.",
        {
            "a.lower(), b.lower()": "a.upper(), b.upper()",
        },
    ),
    "one-lowered": (
        "Only one of the two words goes through `str.lower`. Both should, or a capital "
        "differs from its small letter.",
        {
            "a.lower(), b.lower()": "a.lower(), b",
        },
        {
            "a.lower(), b.lower()": "a, b.lower()",
        },
    ),
    "rounded": (
        "The similarity is rounded to two digits. It should be the share itself.",
        {
            "return sum(": "return round(sum(",
            "/ longer": "/ longer, 2)",
        },
    ),
    "percent": (
        "The similarity is in percent. It should lie from 0 to 1.",
        {
            "/ longer": "/ longer * 100",
        },
    ),
    "whole-division": (
        "Whatever is not 1 came back as 0, as where `//` or `int` cuts the share to a whole "
        "number, or whole words are compared. Three of four letters is 0.75: divide with `/`.",
        {
            "/ longer": "// longer",
        },
        {"return sum(": "return float(sum(", "/ longer": "// longer)"},
    ),
    "difference": (
        "The share of positions that differ comes back: words that are the same get 0. A "
        "similarity is highest for them.",
        {
            "return 1.0": "return 0.0",
            "return sum(": "return 1 - sum(",
        },
    ),
    "by-union": (
        "The count is divided by the number of letters of both words together, less those "
        "that they share. The contract divides by the length of the longer word.",
        {
            "return sum(x == y for x, y in zip(a, b, strict=False)) / longer": "same = sum(x "
            "== y for x, y in zip(a, b, strict=False))\nreturn same / (len(a) + len(b) - same)",
        },
    ),
    "by-second": (
        "The count is divided by the length of the second word, whichever is longer. A "
        "similarity should not change when the two words change places.",
        {
            "if longer == 0:": "if not b:",
            "return 1.0": "return float(a == b)",
            "/ longer": "/ len(b)",
        },
    ),
    "index-past-the-end": (
        "The letters are taken by their places up to the end of one word, and the other one "
        "may end before: an IndexError. `zip` stops where the shorter word ends.",
        {
            "zip(a, b, strict=False)": "((a[i], b[i]) for i in range(len(a)))",
        },
        {
            "zip(a, b, strict=False)": "((a[i], b[i]) for i in range(longer))",
        },
        {
            "zip(a, b, strict=False)": "((a[i], b[i]) for i in range(len(b)))",
        },
    ),
    "unequal-refused": (
        "Words of different lengths are refused, as `zip(strict=True)` does. A position that "
        "only one word has counts as different.",
        {
            "strict=False": "strict=True",
        },
    ),
    "unequal-zero": (
        "Words of different lengths score 0. The positions that both have are compared all "
        "the same, and the others count as different.",
        {
            "return sum(": "return (len(a) == len(b)) * sum(",
        },
    ),
    "letter-by-letter": (
        "The words are lined up and measured first, and only then are single characters compared "
        "without their case. A capital may become two characters, so the length changes: both "
        "words go through `lower` first.",
        {
            "a, b = a.lower(), b.lower()": "",
            "x == y": "x.lower() == y.lower()",
        },
    ),
    "filled-with-spaces": (
        "The shorter word is filled up with spaces, which then agree with spaces of the longer "
        "one. A position that only one word has counts as different, whatever stands there: stop "
        "at the end of the shorter word.",
        {
            "zip(a, b, strict=False)": "zip(a.ljust(longer), b.ljust(longer), strict=False)",
        },
    ),
    "first-places": (
        "A letter that comes twice in a word is looked for at one place alone, as at its first by "
        "`index` or `find`. Compare what stands at each position: `zip` goes through both words.",
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": (
                "sum(a.index(x) == b.find(x) for x in a)"
            ),
        },
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": (
                "sum(b.find(x) == i for i, x in enumerate(a))"
            ),
        },
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": (
                "sum(a.index(x) == b.find(x) for x in set(a))"
            ),
        },
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": (
                "sum(b.index(x) == a.find(x) for x in b)"
            ),
        },
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": (
                "(lambda s, t: sum(t[s.index(x)] == x for x in s))(*sorted((a, b), key=len))"
            ),
        },
        {
            "sum(x == y for x, y in zip(a, b, strict=False))": (
                "sum(a.rindex(x) == b.rfind(x) for x in set(a))"
            ),
        },
    ),
}


@exercise("weighted_average", chapter="01-lookup", points=2)
def _(student, reference, draw):
    weights, values = draw.uniform(S=5, low=0.2, high=3.0), draw.normal(S=5, E=3)
    agrees(student, reference, weights, values)
    agrees(student, reference, 100 * weights, values, case="the same weights, 100 times larger")
    agrees(
        student,
        reference,
        1e-20 * weights,
        values,
        case="weights near zero",
        ask=Ask(gradients=False),
    )
    weights[2] = 0.0
    agrees(student, reference, weights, values, case="a weight of zero")
    one = draw.uniform(1, low=0.2), draw.normal(1, E=3)
    agrees(
        student, reference, *one, case="one value", ask=Ask(gradients=False)
    )  # rounding noise, no slope
    nearly = weights / weights.sum() * 1.004
    agrees(student, reference, nearly, values, case="weights that sum to 1.004")
    lonely = torch.tensor([0.0, 0.0, 2.0, 0.0, 0.0]), values
    agrees(student, reference, *lonely, case="one weight above zero")
    exact = torch.tensor([0.5, 0.125, 0.0, 0.25, 0.125]), values
    agrees(student, reference, *exact, case="weights that sum to 1")
    weights[3] = -0.1
    raises(student, ValueError, weights, values, case="a negative weight")
    weights[3], weights[4] = 0.3, -0.1
    raises(student, ValueError, weights, values, case="a negative weight, the last one")
    raises(student, ValueError, torch.zeros(5), values, case="all weights zero")
    weights[4] = -1e-30
    raises(student, ValueError, weights, values, case="a weight just below zero")
    raises(student, ValueError, -weights.abs(), values, case="no weight above zero")


misconceptions["weighted_average"] = {
    "by-nonzero-count": (
        "The weighted sum is divided by the number of weights that are not zero. It is divided by "
        "their sum.",
        {"(weights / total) @ values": "(weights @ values) / (weights != 0).sum()"},
    ),
    "by-largest": (
        "The weights are divided by the largest of them. Then the largest is one, and not their "
        "sum.",
        {"(weights / total)": "(weights / weights.max())"},
    ),
    "not-divided": (
        "The weights are used as they come, so the result is a weighted sum: it doubles when all "
        "the weights double. An average does not.",
        {"(weights / total) @": "weights @"},
    ),
    "by-count": (
        "The weighted sum is divided by the number of values. That is right only for weights that "
        "add up to that number; divide so that the weights add up to one.",
        {"/ total": "/ len(values)"},
    ),
    "softmax": (
        "The weights went through a softmax. They are weights already: one that is twice another "
        "should count twice as much, and a weight of zero should not count at all.",
        {"(weights / total)": "torch.softmax(weights, dim=0)"},
    ),
    "sum-detached": (
        "The values are right, but the gradient is not: the sum of the weights is cut off from "
        "it, as by `.item()` or `.detach()`. Autograd then does not know that every weight "
        "changes the share of all the others.",
        {"total = weights.sum()": "total = weights.sum().item()"},
    ),
    "negative-accepted": (
        "A negative weight was accepted. It can push the result out of the range of the values, "
        "which is no average any more: that is a ValueError.",
        {"if (weights < 0).any():": "if False:"},
        {"if (weights < 0).any():": "if not (weights > 0).any():"},
    ),
    "last-unchecked": (
        "A negative weight is refused, but not where it is the last one.",
        {"(weights < 0).any()": "(weights[:-1] < 0).any()"},
    ),
    "nearly-one-not-divided": (
        "Weights that sum to nearly one are used as they come. Nearly is not enough: divide by the "
        "sum always, which changes nothing where it is one.",
        {
            "total = weights.sum()": "total = weights.sum()\nif abs(total - 1) < 1e-2:\n"
            "    return weights @ values"
        },
    ),
    "negative-made-positive": (
        "A negative weight was made positive, or zero. Guessing what was meant hides the mistake "
        "of whoever called the function: that is a ValueError.",
        {"if (weights < 0).any():": "weights = weights.abs()\nif False:"},
    ),
    "zeros-nan": (
        "Weights that are all zero gave no error. There is no average then, since dividing by "
        "their sum would be zero over zero: that is a ValueError.",
        {"if total == 0:": "if False:"},
    ),
    "zeros-hidden": (
        "A small number in the divisor, added to the sum or as its least value, is to keep it from "
        "zero. But weights near zero then count too little: divide by the sum itself, and raise "
        "the ValueError where it is zero.",
        {
            "if total == 0:": "if False:",
            "/ total": "/ (total + 1e-9)",
        },
    ),
    "zero-refused": (
        "A weight of zero is refused. It may be zero: its row then counts nothing. Only a "
        "negative weight is an error, and weights that sum to zero.",
        {
            "(weights < 0).any()": "(weights <= 0).any()",
        },
    ),
    "by-length": (
        "The weights are divided by their length as a vector, the root of the sum of their "
        "squares. It is their sum that should become one.",
        {
            "/ total": "/ weights.norm()",
        },
    ),
    "divided-twice": (
        "The weighted average is divided by the number of values, too. The weights sum to one "
        "already.",
        {
            "return (weights / total) @ values": "return (weights / total) @ values / len(values)",
        },
    ),
    "summed-over-entries": (
        "The rows were summed over their E entries, one number for each row. An average of "
        "rows is a row: sum over the S of them.",
        {
            "(weights / total) @ values": "((weights / total)[:, None] * values).sum(dim=1)",
        },
    ),
    "small-sum-refused": (
        "Weights that sum to less than some small number are refused. However small, they can "
        "be divided by their sum; only a sum of zero is an error.",
        {
            "if total == 0:": "if total < 1e-6:",
        },
    ),
    "weights-along-entries": (
        "The weights are lined up with the E entries of each row. Weight i belongs to row i: "
        "give the weights an axis at the end, (S, 1), or multiply them as a matrix.",
        {
            "(weights / total) @ values": "((weights / total) * values).sum(dim=0)",
        },
    ),
    "error-returned": (
        "The ValueError is returned as a result. An error is raised: write `raise ValueError(...)` "
        "in place of `return`.",
        {
            'raise ValueError(f"weighted_average: a weight is negative '
            '({weights.min().item():g})")': "return ValueError",
            'raise ValueError("weighted_average: the weights sum to zero, so nothing can be '
            'averaged")': "return ValueError",
        },
        {
            'raise ValueError(f"weighted_average: a weight is negative '
            '({weights.min().item():g})")': "return ValueError",
            "if total == 0:": "if False:",
        },
    ),
    "zero-rows-dropped": (
        "The average is right, but a weight of zero gets a gradient of zero, as where rows of "
        "weight zero are left out, or the weights go through `where` or `relu`. If it grew, the "
        "average would change: use all weights as they come.",
        {
            "total = weights.sum()": (
                "values, weights = values[weights != 0], weights[weights != 0]\n"
                "total = weights.sum()"
            ),
        },
    ),
}


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
    table = dict.fromkeys(keys, 1.0)  # it has a length and can be looped over, and no place 0
    rest = values[: len(table)], letters
    agrees(student, reference, "bead", table, *rest, names=names, case="the keys of a dictionary")

    near = portable(one_sided)
    query, keys, values = draw.normal(D=4), draw.normal(S=5, D=4), draw.normal(S=5, E=3)
    rows = list(keys)
    agrees(student, reference, query, rows, values, near, names=names, case="a list of tensors")
    agrees(student, reference, query, keys, values, near, names=names, case="a tensor of keys")
    case = "the keys are the values, too"
    agrees(student, reference, query, keys, keys, near, names=names, case=case, ask=VALUES)

    values = draw.normal(4, E=3)
    times = portable(product)
    for query, case in ((1.5, "a negative similarity"), (-1.5, "a negative sum")):
        numbers = (query, [2.0, -1.0, 3.0, 0.5], values, times)
        agrees(student, reference, *numbers, names=names, case=case)
    small = (1e-9, [2.0, 1.0, 3.0, 0.5], values, times)
    agrees(student, reference, *small, names=names, case="similarities near zero")
    agrees(student, reference, 1.5, [2.0], values[:1], times, names=names, case="S = 1", ask=VALUES)

    values = draw.normal(3, E=2)
    unlike = ("bead", ["fig", "mix", "ivy"], values, letters)
    raises(student, ValueError, *unlike, case="nothing alike")
    opposite = (1.0, [2.0, -3.0, 1.0], values, times)
    raises(student, ValueError, *opposite, case="similarities that cancel")
    tensors = (torch.tensor(1.0), torch.tensor([2.0, -3.0, 1.0]), values, times)
    raises(student, ValueError, *tensors, case="similarities in tensors that cancel")
    some = (1.5, [2.0, torch.tensor(1.0), torch.tensor(-0.5)], values, times)
    agrees(student, reference, *some, names=names, case="similarities of both kinds")
    twice = ("bead", ("bad", "fig", "bad"), values[:, :1], letters)
    case = "a tuple with one word twice, E = 1"
    agrees(student, reference, *twice, names=names, case=case, ask=VALUES)
    halves = "bead", ["bad", "fig", "lab"], values.half(), letters
    agrees(student, reference, *halves, names=names, case="float16 values", ask=VALUES)
    precise = draw.normal(D=4).double(), draw.normal(3, D=4).double(), values
    case = "float64 keys, float32 values"
    agrees(student, reference, *precise, near, names=names, case=case, ask=VALUES)


misconceptions["soft_lookup"] = {
    "by-absolute-sum": (
        "The similarities are divided by the sum of their sizes. Where one of them is negative, "
        "the weights do not sum to one: divide by the sum, signs included.",
        {"total = sum(similarities)": "total = sum(abs(one) for one in similarities)"},
        {
            "total = sum(similarities)": "total = sum(similarities)",
            "one / total": "one / sum(abs(each) for each in similarities)",
        },
    ),
    "weights-sorted": (
        "The weights come back sorted. They should stand in the order of the keys: weight i "
        "belongs to key i.",
        {
            "return weights @ values, weights": "return weights @ values, "
            "weights.sort(descending=True).values"
        },
    ),
    "softmax": (
        "The similarities went through a softmax. Here they are the weights already, up to their "
        "sum: a key of similarity 0 should get the weight 0, and softmax never gives 0. It comes "
        "next chapter.",
        {"torch.stack(shares)": "torch.softmax(torch.stack(shares) * total, dim=0)"},
    ),
    "best-only": (
        "Only the best key is used. A soft lookup mixes all values: a key that fits half as well "
        "counts half as much, and does not drop out.",
        {
            "weights = torch.stack(shares)": "best = (torch.stack(shares) * total).argmax()\n"
            "weights = (torch.arange(len(shares)) == best).to(values.dtype)"
        },
    ),
    "not-divided": (
        "The similarities are used as weights as they come. They need not sum to one, so the "
        "result grows with the number of keys that fit.",
        {"one / total": "one"},
    ),
    "by-count": (
        "The similarities are divided by the number of keys. The weights should sum to one, "
        "whatever the similarities are.",
        {"one / total": "one / len(keys)"},
    ),
    "weights-missing": (
        "The result is right, but the weights do not come back with it. The function returns two "
        "things: what was found, and how much each key had to do with it.",
        {"weights @ values, weights": "weights @ values"},
    ),
    "arguments-swapped": (
        "`similarity` is called with the key first. It may treat its two arguments differently, "
        "and the contract gives it the query first.",
        {"similarity(query, key)": "similarity(key, query)"},
    ),
    "numbers-detached": (
        "The similarities were cut off from the query and the keys, as by `float`, `.item()` or "
        "`.detach()`: no gradient reaches them, so nothing that makes them could be trained.",
        {"similarity(query, key)": "torch.as_tensor(similarity(query, key)).item()"},
    ),
    "float-rounded": (
        "A similarity that is a Python float became a tensor of float32 first, and only then one "
        "of the values' dtype: digits are lost on the way. Say the dtype where the tensor is made.",
        {
            "torch.as_tensor(one / total, dtype=values.dtype, device=values.device)": "torch.as_ten"
            "sor(one / total).to(values)"
        },
        {
            "[similarity(query, key)": "[torch.as_tensor(similarity(query, key)).to(values)",
        },
    ),
    "negative-to-zero": (
        "Negative similarities were set to zero. The weights are the similarities over their sum, "
        "and a negative one stays negative.",
        {"[similarity(query, key)": "[torch.as_tensor(similarity(query, key)).clamp(min=0)"},
    ),
    "zero-division": (
        "Similarities that sum to zero gave no error. Nothing can be divided by their sum, so no "
        "key has a weight: that is a ValueError.",
        {"if total == 0:": "total = torch.as_tensor(total, dtype=values.dtype)\nif False:"},
    ),
    "similarities-as-weights": (
        "The similarities come back in the place of the weights. The weights are the shares of "
        "their sum, which are one together.",
        {"return weights @ values, weights": "return weights @ values, weights * total"},
    ),
    "negative-sum-refused": (
        "A negative sum of the similarities is refused. Only a sum of zero leaves no weights.",
        {"if total == 0:": "if total <= 0:"},
    ),
    "keys-indexed": (
        "The keys are taken by their places, as `keys[i]`. They may be anything with a length "
        "that can be looped over, as those of a dictionary, which have no places: loop over "
        "`keys` itself.",
        {
            "similarity(query, key) for key in keys": "similarity(query, keys[i]) for i in "
            "range(len(keys))",
        },
    ),
    "small-sum-refused": (
        "A sum near zero is refused. However small the similarities are, they can be divided "
        "by their sum; only a sum of zero is an error.",
        {
            "if total == 0:": "if abs(total) < 1e-6:",
        },
    ),
    "zero-similarity-refused": (
        "One similarity of zero is refused. Such a key has the weight zero; only where the "
        "similarities sum to zero is there an error.",
        {
            "if total == 0:": "if any(one == 0 for one in similarities):",
        },
    ),
    "negative-refused": (
        "A negative similarity is refused. It is allowed, and its weight stays negative; only "
        "a sum of zero is an error.",
        {
            "if total == 0:": "if total == 0 or any(one < 0 for one in similarities):",
        },
    ),
    "output-not-divided": (
        "The weights that come back are right, but the output was made of the similarities, "
        "before they were divided by their sum.",
        {
            "return weights @ values, weights": "return weights * total @ values, weights",
        },
    ),
    "by-largest": (
        "The similarities are divided by the largest of them. Then the largest weight is one, "
        "and not their sum.",
        {
            "one / total": "one / max(similarities)",
        },
    ),
    "sum-detached": (
        "The values are right, but the gradient is not: the sum of the similarities is cut off "
        "from it, as by `.item()` or `.detach()`. Autograd then does not know that every "
        "similarity changes the share of all the others.",
        {
            "one / total": "one / float(total)",
        },
    ),
    "absolute": (
        "The similarities lost their sign. The weights are the similarities over their sum, "
        "and a negative one stays negative.",
        {
            "similarity(query, key) for": "abs(similarity(query, key)) for",
        },
    ),
    "shifted": (
        "The smallest similarity was subtracted from all of them, so that none is negative. "
        "The weights are the similarities themselves over their sum, and a negative one stays "
        "negative.",
        {
            "total = sum(similarities)": "similarities = [one - min(similarities) for one in "
            "similarities]\ntotal = sum(similarities)",
        },
    ),
    "cancelling-accepted": (
        "Similarities that cancel gave no error; similarities that are all zero did. What counts "
        "is their sum: where it is zero, no key has a weight.",
        {
            "if total == 0:": "if all(one == 0 for one in similarities):",
        },
        {
            "if total == 0:": "total = torch.as_tensor(total, dtype=values.dtype)\n"
            "if all(one == 0 for one in similarities):",
        },
    ),
    "weights-along-entries": (
        "The weights are lined up with the E entries of each value. Weight i belongs to row i "
        "of `values`: give the weights an axis at the end, (S, 1), or multiply them as a "
        "matrix.",
        {
            "return weights @ values, weights": "return (weights * values).sum(dim=0), weights",
        },
    ),
}


@exercise("kernel_regression", chapter="01-lookup", points=3)
def _(student, reference, draw):
    x, keys = draw.uniform(L=5, low=-2.0, high=2.0), draw.uniform(S=7, low=-2.0, high=2.0)
    values, bandwidth = draw.normal(S=7), draw.float(0.5, 0.8)
    agrees(student, reference, x, keys, values, bandwidth)
    agrees(student, reference, x, keys, values, draw.float(1.5, 2.5), case="a wide kernel")
    agrees(student, reference, x[:1], keys[:1], values[:1], 0.5, case="one key")
    agrees(student, reference, x, x, x, bandwidth, case="one tensor for all", ask=VALUES)

    keys = draw.permutation(6) + draw.uniform(6, low=0.0, high=0.3)
    far = torch.tensor([60.0, -60.0, 2000.0, -2000.0])
    agrees(student, reference, far, keys, draw.normal(6), 0.5, case="far from all keys")
    pair, far = torch.tensor([0.0, 0.02]), torch.tensor([30.0, -40.0])
    case = "far from two keys that are near one another"
    agrees(student, reference, far, pair, draw.normal(2), 1.0, case=case, rtol=1e-3, ask=VALUES)

    raises(student, ValueError, x, keys, values[:6], -0.5, case="a negative bandwidth")
    raises(student, ValueError, x, keys, values[:6], 0.0, case="bandwidth 0")

    ask = Ask(contiguous=False, double=False, unchanged=False)
    on_keys = keys[1:4].clone()
    agrees(student, reference, on_keys, keys, values[:6], 0.5, case="x at keys", ask=ask)
    twice = keys[[0, 1, 1, 3, 1, 5]]
    agrees(student, reference, x, twice, values[:6], 1.0, case="equal keys", ask=VALUES)
    for size in (1e-8, 1e-4, 1e3):
        scaled = size * x, size * keys, values[:6], size * bandwidth
        case = f"numbers and bandwidth {size:g} times as large"
        agrees(student, reference, *scaled, case=case, ask=VALUES)


misconceptions["kernel_regression"] = {
    "bandwidth-multiplies": (
        "The squared distance is multiplied by the squared bandwidth, as `/ 2 * bandwidth ** 2` "
        "does without brackets. It should be divided by it: a larger bandwidth looks farther.",
        {"(x.unsqueeze(1) - keys) / bandwidth": "(x.unsqueeze(1) - keys) * bandwidth"},
    ),
    "two-squared": (
        "The squared distance is divided by 4 bandwidth^2, as where the 2 is squared, too. It "
        "should be divided by 2 bandwidth^2: the kernel is too wide.",
        {"-(distance**2) / 2": "-(distance**2) / 4"},
    ),
    "nearest-where-zero": (
        "Where every exp is rounded to zero the value of the nearest key alone is taken. It has "
        "nearly all of the weight only if no other key is about as near: subtract the largest "
        "exponent first, as softmax does, and the weights are right anywhere.",
        {
            "weights = torch.softmax(-(distance**2) / 2, dim=1)": "powers = "
            "torch.exp(-(distance**2) / 2)\ntotal = powers.sum(dim=1, keepdim=True)\n"
            "nearest = torch.nn.functional.one_hot((distance**2).argmin(dim=1), "
            "len(keys)).to(powers)\nweights = torch.where(total == 0, nearest, powers / (total + "
            "(total == 0)))"
        },
    ),
    "bandwidth-not-squared": (
        "The squared distance is divided by the bandwidth, not by its square. The distance should "
        "be measured in bandwidths first, so that changing the unit of x changes nothing.",
        {"/ bandwidth": "/ bandwidth**0.5"},
    ),
    "factor-two-missing": (
        "The factor 2 under the squared distance is missing. The curve is a Gaussian all the same, "
        "but a narrower one than the bandwidth says.",
        {"/ 2": ""},
    ),
    "laplace": (
        "The weight falls with the distance itself, not with its square: a kernel with a sharp "
        "peak and long tails, not a Gaussian.",
        {"-(distance**2) / 2": "-distance.abs()"},
        {"-(distance**2) / 2": "-distance.abs() / 2"},
        {
            "-(distance**2) / 2": "-distance.abs() / bandwidth / 2",
        },
        {
            "-(distance**2) / 2": "-distance.abs() / bandwidth",
        },
    ),
    "sign": (
        "The minus sign is missing, so the farthest key counts most. A kernel is largest where the "
        "distance is zero.",
        {"-(distance**2)": "(distance**2)"},
    ),
    "over-the-points": (
        "The weights of each key sum to one over the points x. It is the other way around: for "
        "each x, the weights of all keys sum to one.",
        {"dim=1)": "dim=0)"},
    ),
    "not-divided": (
        "The kernel's values are used as weights without dividing by their sum. The curve then "
        "rises where there are many keys and falls to zero far from them, whatever the values are.",
        {"torch.softmax(-(distance**2) / 2, dim=1)": "torch.exp(-(distance**2) / 2)"},
    ),
    "far-nan": (
        "Far from all keys every exp is rounded to zero, and the division is zero over zero: NaN. "
        "What counts is how the exponents compare with one another, and that is lost once exp has "
        "run.",
        {
            "return weights @ values": "kernel = torch.exp(-(distance**2) / 2)\n"
            "return (kernel @ values) / kernel.sum(dim=1)"
        },
    ),
    "far-zero": (
        "Far from all keys the result is 0, as where a small number is added to the sum or is its "
        "least value, or NaN is replaced. But no value is 0 there; the nearest key should have "
        "nearly all of the weight.",
        {
            "return weights @ values": "kernel = torch.exp(-(distance**2) / 2)\n"
            "return (kernel @ values) / (kernel.sum(dim=1) + 1e-12)"
        },
        {
            "return weights @ values": "kernel = torch.exp(-(distance**2) / 2)\n"
            "return (kernel @ values) / (kernel.sum(dim=1) + 1e-8)"
        },
        {
            "return weights @ values": "kernel = torch.exp(-(distance**2) / 2)\n"
            "return (kernel @ values) / (kernel.sum(dim=1) + 1e-6)"
        },
    ),
    "bandwidth-unchecked": (
        "A bandwidth of zero or less was accepted. A kernel has no negative width, and one of no "
        "width has no value: that is a ValueError.",
        {"if not bandwidth > 0:": "if False:"},
    ),
    "zero-accepted": (
        "A bandwidth of 0 was accepted; only a negative one is refused. A kernel of no width "
        "has no value: that is a ValueError, too.",
        {
            "if not bandwidth > 0:": "if bandwidth < 0:",
        },
    ),
    "negative-accepted": (
        "A negative bandwidth was accepted; only 0 is refused. A kernel has no negative width, "
        "even if a square hides the sign: that is a ValueError, too.",
        {
            "if not bandwidth > 0:": "if bandwidth == 0:",
        },
    ),
    "mean-where-zero": (
        "Far from all keys the plain average of the values comes back, as if all of them were "
        "equally near. The nearest key should have nearly all of the weight there: subtract "
        "the largest exponent first, as softmax does.",
        {
            "weights = torch.softmax(-(distance**2) / 2, dim=1)": "powers = "
            "torch.exp(-(distance**2) / 2)\ntotal = powers.sum(dim=1, keepdim=True)\nweights "
            "= torch.where(total == 0, 1 / len(keys), powers / (total + (total == 0)))",
        },
    ),
    "divided-twice": (
        "The weighted average is divided by the number of values, too. The weights sum to one "
        "already.",
        {
            "return weights @ values": "return weights @ values / len(values)",
        },
    ),
    "nearest-only": (
        "The value of the nearest key alone comes back. All values count, the more the nearer "
        "their keys are.",
        {
            "return weights @ values": "return values[weights.argmax(dim=1)]",
        },
    ),
    "two-multiplies": (
        "The squared distance is multiplied by 2, as in `d**2 / bandwidth**2 * 2`. It should "
        "be divided by it.",
        {
            "-(distance**2) / 2": "-(distance**2) * 2",
        },
    ),
    "same-position-only": (
        "Each x is compared with the key at the same place only. Every x needs a weight for every "
        "key: give x an axis of its own, (L, 1).",
        {
            "x.unsqueeze(1) - keys": "x - keys",
            "dim=1)": "dim=-1)",
        },
    ),
    "values-along-points": (
        "The values are lined up with the points x. Value i belongs to key i, along the last axis "
        "of the weights (L, S): multiply these with the values as a matrix.",
        {"return weights @ values": "return (weights * values[:, None]).sum(dim=1)"},
    ),
    "plain-average": (
        "The plain average of the values comes back at every x. Near keys count more than far "
        "ones.",
        {
            "return weights @ values": "return (0 * weights + 1 / len(keys)) @ values",
        },
    ),
    "root-of-square": (
        "The distance is computed as the root of its square, and a root has no finite slope at "
        "zero: where an x equals a key, the gradient is NaN. Only the square is needed: take the "
        "difference and square it.",
        {
            "(x.unsqueeze(1) - keys) / bandwidth": "torch.sqrt((x.unsqueeze(1) - keys) ** 2) / "
            "bandwidth",
        },
    ),
}

mend("kernel_regression", "over-the-points", points=1)

prediction(
    "misspelled",
    chapter="01-lookup",
    question=(
        "Luke has 20 points, Lena 12, Hans 8. 'Lake' has a similarity of 0.75 with 'Luke', and of "
        "0.25 with both others; 'Lukas' has 0.6 with 'Luke', 0.4 with 'Lena' and 0 with 'Hans'. "
        "Which query gets an answer nearer to Luke's 20 from `soft_lookup`?"
    ),
    right='"Lukas"',
    options={
        '"Lake"': (
            "It has the better match. But it matches Lena and Hans, too, and each takes a fifth."
        ),
        '"Lukas"': (
            "Luke's weight is 0.6 for both: 0.6 / 1 for 'Lukas' and 0.75 / 1.25 for 'Lake'. The "
            "remaining 0.4 decides: for 'Lukas' all of it goes to Lena's 12, for 'Lake' half of "
            "it goes to Hans's 8."
        ),
        "Both the same.": (
            "Luke has a weight of 0.6 for both. But for 'Lukas' the rest goes to Lena's 12 alone, "
            "and for 'Lake' half of it goes to Hans's 8."
        ),
    },
    again={
        "numbers": {"luke": (20, 30), "lena": (4, 12, 15), "hans": (6, 8, 18)},
        "question": (
            "Luke has {luke} points, Lena {lena}, Hans {hans}. 'Lake' has a similarity of 0.75 "
            "with 'Luke', and of 0.25 with both others; 'Lukas' has 0.6 with 'Luke', 0.4 with "
            "'Lena' and 0 with 'Hans'. Which query gets an answer nearer to Luke's {luke} from "
            "`soft_lookup`?"
        ),
        "right": "'\"Lukas\"' if lena > hans else '\"Lake\"'",
        "options": {
            "'\"Lake\"'": (
                "Luke's weight is 0.75 / 1.25 = 0.6, and each of the others has 0.2. That makes "
                "{0.6 * luke + 0.2 * lena + 0.2 * hans:g}."
            ),
            "'\"Lukas\"'": (
                "Luke's weight is 0.6 / 1, and all of the remaining 0.4 goes to Lena. That makes "
                "{0.6 * luke + 0.4 * lena:g}."
            ),
            "'Both the same.'": (
                "Luke has a weight of 0.6 for both. But for 'Lukas' the rest goes to Lena's {lena} "
                "alone, and for 'Lake' half of it goes to Hans's {hans}."
            ),
        },
    },
)

prediction(
    "the-next-evening",
    chapter="01-lookup",
    question=(
        "The last reading was taken just before midnight, at hour 47.9. What does "
        "`kernel_regression` with a bandwidth of 1 hour answer for hour 66, six in the evening?"
    ),
    right="The last reading.",
    options={
        "Yesterday evening's temperature, since the wave goes on.": (
            "Nothing in the formula knows of a wave. It knows distances, and all are large."
        ),
        "The mean of all readings.": (
            "All keys are far away, but not equally far: weights compare them with one another."
        ),
        "The last reading.": (
            "Its key is the nearest, and beside it every other similarity is as good as zero."
        ),
    },
)
