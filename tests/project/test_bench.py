"""Is what the bench prints what was measured?"""

import pytest

from tests.bench import seconds_each
from tests.bench_commands import Line


@pytest.mark.parametrize("together", [1, 2, 3])
@pytest.mark.parametrize("rounds", [2, 3, 7, 50])
def test_each_of_several_at_a_time_takes_its_share(together, rounds):
    """Who always takes two seconds, so many at a time, ends one every 2 / together seconds."""
    finished = [5 + 2.0 * turn for turn in range(1, rounds + 1) for _ in range(together)]
    assert seconds_each(finished, together) == pytest.approx(2 / together)


def test_a_slow_start_does_not_count():
    assert seconds_each([100.0, *(101.0 + turn for turn in range(9))], 1) == pytest.approx(1)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        (Line("stock", 6.5), ("stock", "6.50", "", "", "")),
        (Line("report", 0.7, 1.0), ("report", "0.70", "", "1 s", "yes")),
        (Line("report", 1.2, 1.0), ("report", "1.20", "", "1 s", "no")),
        (
            Line("a class", 30.0, 1.2 * 20, "the bare limit", 20),
            ("a class", "30.00", "1.50 of the bare limit", "1.2 of the bare limit", "no"),
        ),
    ],
)
def test_a_line_stands_beside_its_target(line, row):
    assert line.cells() == row
