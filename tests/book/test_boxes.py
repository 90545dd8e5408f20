"""Pictures of boxes and arrows: everything within its box, every arrow downward."""

import re

import pytest


def test_stand_all_lines_within_their_box(extension):
    boxes = extension("boxes")
    long = boxes.Box("a", "14 · A real language model writes on your code", small=("a", "b"))
    drawn = boxes.picture([[long]], [], "One box.")
    top, height = (
        float(re.search(rf'<rect [^>]*\b{name}="([\d.]+)"', drawn)[1]) for name in ("y", "height")
    )
    lines = [float(y) for y in re.findall(r'<tspan[^>]* y="([\d.]+)"', drawn)]
    assert len(lines) == 6
    # A line stands on its height, letters are up to 12 above and 3 below it.
    assert lines[0] - 12 >= top + 4 and lines[-1] + 3 <= top + height - 4


@pytest.mark.parametrize("boxes", [1, 2, 3])
def test_passes_an_arrow_beside_a_row_and_within_the_picture(extension, boxes):
    module = extension("boxes")
    first, *_, last = module.lanes_of(boxes)
    middles = module.centers(boxes)
    assert 0 <= first < middles[0] - module.BOX / 2 - 4
    assert middles[-1] + module.BOX / 2 + 4 < last <= module.WIDTH


def test_leads_every_arrow_of_the_architecture_downward(extension):
    architecture = extension("architecture")
    row = {box.name: i for i, boxes in enumerate(architecture.ROWS) for box in boxes}
    assert [arrow for arrow in architecture.ARROWS if row[arrow[0]] >= row[arrow[1]]] == []
