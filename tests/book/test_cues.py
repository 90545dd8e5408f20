"""Words that bring a figure to what they speak of."""

import pytest


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("asks=get", {"asks": "get"}),
        ("query=1, 2; time=3", {"query": "1, 2", "time": "3"}),
        ("text=22 mai", {"text": "22 mai"}),
        ("get", None),
        ("asks=", None),
    ],
)
def test_is_a_state_names_with_values(extension, text, state):
    assert extension("cues").state_of(text) == state
