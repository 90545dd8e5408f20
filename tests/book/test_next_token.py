"""Does the figure on the next token show what next_token_probabilities gives?"""

import pytest
import torch

from solutions.writer import next_token_probabilities

# As chapter 10's cell has them.
MADE_UP = torch.tensor([3.0, 2.6, 2.2, 1.7, 1.5, 1.0, 0.8, 0.2, -0.1, -0.6])
SETTINGS = [
    (1.0, 11, 1.0),
    (0.4, 11, 1.0),
    (2.0, 4, 1.0),
    (1.0, 11, 0.5),
    (1.5, 6, 0.7),
    (0.2, 1, 0.1),
]


@pytest.mark.slow
def test_shows_the_figure_what_the_function_gives(opened):
    page = opened("10-writer").page
    figure = page.locator("#play-next-token")
    figure.scroll_into_view_if_needed()
    sliders = figure.locator("input[type=range]")
    sliders.first.wait_for()
    for temperature, top_k, top_p in SETTINGS:
        for slider, value in zip(sliders.all(), (temperature, top_k, top_p), strict=True):
            slider.fill(str(value))
            slider.dispatch_event("input")
        page.wait_for_timeout(300)
        shown = figure.locator("svg .mark-text.role-mark text").all_text_contents()
        wanted = next_token_probabilities(
            MADE_UP, temperature, top_k if top_k <= 10 else None, top_p
        )
        assert [text for text in shown if text] == [f"{p:.2f}" for p in wanted if p > 0]
