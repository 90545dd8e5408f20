"""Are the common cases what they say they are?"""

from autograder.checking import cases


def test_each_size_is_one_once():
    sizes = dict(cases.each_one(B=2, L=5))
    assert sizes == {"B = 1": {"B": 1, "L": 5}, "L = 1": {"B": 2, "L": 1}}
