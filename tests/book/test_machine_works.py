"""The attention machine in the page: what it shows follows from its numbers, and nothing moves."""

import sys
from pathlib import Path

import pytest
import torch
from lab import machine

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
LIT = ["scores", "scale", "softmax"]
CELLS = """(figure) => [...figure.querySelectorAll("tbody tr")].map((row) =>
  [...row.cells].map((cell) => cell.innerText.replaceAll("−", "-").trim()))"""
LIT_NOW = """(figure) => [...new Set([...figure.querySelectorAll("[data-lit]")]
  .map((part) => part.dataset.part))].sort()"""
WIDTHS = [1280, 700, 390, 320]
MILK = machine.TOKENS.index("milk")


@pytest.fixture(scope="module")
def extension():
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    import attention_machine

    yield attention_machine
    sys.path.pop(0)
    sys.modules.pop("attention_machine", None)


@pytest.fixture(scope="module")
def page(browser, extension):
    page = browser.new_page(viewport={"width": 760, "height": 900})
    page.set_default_timeout(60_000)
    drawn = extension.figure(LIT, {"asked": "are asked: all eleven words"})
    page.goto("about:blank")
    page.set_content(
        f"<!doctype html><html data-theme='light'><style>{(STATIC / 'custom.css').read_text()}"
        ".visually-hidden { position: absolute; clip-path: inset(50%); }</style>"
        f"<body class='bd-content'>{drawn}<p id='after'>After it.</p>"
    )
    page.locator(".machine-change").evaluate("fold => fold.open = true")
    page.before = page.locator("figure.machine").evaluate(CELLS)
    page.places = {width: place(page, width) for width in WIDTHS}
    for script in ("attention.js", "machine.js"):
        page.add_script_tag(path=STATIC / script)
    page.evaluate("document.dispatchEvent(new Event('DOMContentLoaded'))")
    yield page
    page.close()


def place(page, width: int) -> float:
    """Where what follows the machine stands."""
    page.set_viewport_size({"width": width, "height": 900})
    return page.locator("#after").bounding_box()["y"]


@pytest.fixture
def figure(page):
    """The machine as it starts."""
    figure = page.locator("figure.machine")
    figure.locator(".machine-again").click()
    choose(figure, "milk")
    figure.locator(".machine-again").click()
    return figure


def choose(figure, token: str) -> None:
    row = machine.TOKENS.index(token)
    figure.locator(f"input[type=radio][value='{row}']").check(force=True)


def change(figure, name: str, value: float) -> None:
    slider = figure.locator(f"[data-change={name}]")
    slider.evaluate("(slider, value) => (slider.value = value)", value)
    slider.dispatch_event("input")


def wanted(query=None, keys=None, values=None, mask=None, scaling=True):
    """Weights and the output's first two numbers; the other thirty of each vector stay."""
    query, keys, values = (
        torch.tensor(given if given is not None else stored)
        for given, stored in (
            (query, machine.QUERY),
            (keys, machine.KEYS),
            (values, machine.VALUES),
        )
    )
    others = torch.tensor(machine.SCORES) - torch.tensor(machine.KEYS) @ torch.tensor(machine.QUERY)
    scores = others + keys @ query
    divided = scores / machine.WIDTH**0.5 if scaling else scores
    if mask is not None:
        divided = divided.masked_fill(~mask, -torch.inf)
    weights = divided.softmax(dim=0)
    return scores, weights, weights @ values


def shows(figure, scores, weights, output) -> None:
    cells = figure.evaluate(CELLS)
    for row, score, weight in zip(cells, scores, weights, strict=True):
        assert float(row[2]) == pytest.approx(float(score), abs=0.051)
        assert float(row[5]) == pytest.approx(float(weight), abs=0.0051)
    shown = figure.locator("[data-number=output]").inner_text().replace("−", "-").split()
    assert [float(number) for number in shown] == pytest.approx(output.tolist(), abs=0.051)


def said(figure, words: str) -> str:
    """What the live region says, once it has these words."""
    region = figure.locator("[role=status]", has_text=words)
    region.wait_for()
    return region.inner_text()


def test_is_the_row_the_same_with_scripts_and_without(page, figure):
    assert figure.evaluate(CELLS) == page.before
    shows(figure, *wanted())
    assert page.before[MILK][5] == "0.41"
    assert "“milk”: a weight of 0.41" in said(figure, "takes most")
    assert figure.evaluate(LIT_NOW) == sorted(LIT)


def test_does_nothing_move_when_it_starts_and_at_any_step(page, figure):
    for width in WIDTHS:
        assert place(page, width) == page.places[width]
        for _ in range(8):
            figure.locator(".machine-next").click()
            assert place(page, width) == page.places[width], said(figure, "")
        figure.locator(".machine-again").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    place(page, 760)


def test_says_each_step_what_is_computed(figure):
    _, weights, output = wanted()
    steps = []
    for _ in range(8):
        figure.locator(".machine-next").click()
        steps.append((figure.evaluate(LIT_NOW), figure.locator("[role=status]").inner_text()))
    assert len({words for _, words in steps}) == 8
    words = steps[2][1].replace("−", "-")
    assert "-0.25 × -2.29 + 0.68 × -0.09 = 0.51" in words and "17.98 from thirty more" in words
    assert "18.5 ÷ 5.66 = 3.3" in steps[3][1]
    assert "a weight of 0.41" in steps[5][1] and steps[5][0] == ["softmax", "weights"]
    assert f"0.41 × 1.54 + 0.24 × 0.60 + … = {output[1]:.2f}" in steps[6][1]
    assert not [words for _, words in steps if "_" in words or "{" in words]
    assert set().union(*(lit for lit, _ in steps)) == set(machine.PARTS)
    assert figure.locator(".machine-next").get_attribute("aria-disabled") == "true"


def test_stand_matrices_with_their_subscripts_where_they_are_said(figure):
    for letter in "qk":
        figure.locator(".machine-next").click()
        said_of = figure.locator("[role=status]")
        assert said_of.locator("sub").inner_text() == letter and said_of.locator("i").count() == 1


def test_leads_the_text_to_the_switch_of_which_it_speaks(page, figure):
    figure.locator(".machine-change").evaluate("fold => fold.open = false")
    for _ in range(5):
        figure.locator(".machine-next").click()
    figure.locator("[role=status]").get_by_role("button", name="the switch").click()
    causal = figure.locator("[data-change=causal]")
    assert causal.is_visible() and causal.evaluate("it => it === document.activeElement")
    page.keyboard.press("Space")
    assert "What follows “get” is masked" in said(figure, "is masked")


@pytest.mark.parametrize("width", [304, 344, 374])  # what the page leaves of 320, 360 and 390
def test_is_the_whole_drawing_seen_on_a_narrow_phone(page, figure, width):
    page.set_viewport_size({"width": width, "height": 900})
    sizes = figure.evaluate(
        """(figure) => [figure.querySelector(".machine-drawing"), figure].map((it) =>
          [it.scrollWidth, it.clientWidth])"""
    )
    right = figure.locator("td[data-part=values]").first.bounding_box()
    page.set_viewport_size({"width": 760, "height": 900})
    assert all(needed <= there for needed, there in sizes), sizes
    assert right["x"] + right["width"] <= width


def test_is_a_step_seen_in_forced_colors(page, figure):
    page.emulate_media(forced_colors="active")
    figure.locator(".machine-next").click()
    found = figure.locator(".machine-drawing [data-part]").evaluate_all(
        "parts => parts.map((it) => ['lit' in it.dataset, getComputedStyle(it).backgroundColor])"
    )
    page.emulate_media(forced_colors="none")
    lit, unlit = (
        {ground for is_lit, ground in found if is_lit is wanted} for wanted in (True, False)
    )
    assert lit and not lit & unlit


def test_is_it_said_whose_row_it_is_and_what_a_chapter_has_in_its_place(figure, extension):
    assert figure.locator("[data-part=asked]").inner_text() == "are asked: all eleven tokens"
    words = figure.locator(".machine-row-of").inner_text()
    assert "the encoder of chapter 13" in words
    assert words.endswith("In this chapter, all eleven words are asked.")
    assert "In this chapter, the newest asks." in extension.otherwise(
        {"asking": "asks: the newest"}
    )
    assert "In this chapter" not in extension.otherwise({})


def test_can_it_be_stepped_through_by_keyboard(page, figure):
    figure.locator(".machine-next").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    assert "2 of 8" in figure.locator(".machine-place").inner_text()
    page.keyboard.press("ArrowLeft")
    assert "1 of 8" in figure.locator(".machine-place").inner_text()


@pytest.fixture
def scrolling(page, figure):
    """The machine on a long page, stepping by scrolling."""
    page.set_viewport_size({"width": 760, "height": 900})
    page.add_style_tag(content="body { padding: 600px 0 2000px; }")
    wish = figure.get_by_label("step by scrolling")
    wish.check()
    yield wish
    wish.uncheck()
    page.evaluate("document.querySelector('style:last-of-type').remove(); scrollTo(0, 0)")


def step_of(figure) -> int:
    words = figure.locator(".machine-place").inner_text()
    return int(words.split()[0]) if " of " in words else 0


def test_steps_it_by_scrolling_where_the_reader_wants_it(page, figure, scrolling):
    inside = figure.locator(".machine-inside")
    seen = []
    for _ in range(80):
        page.mouse.wheel(0, 90)
        page.wait_for_timeout(30)
        seen.append((step_of(figure), round(inside.bounding_box()["y"])))
        if seen[-1][1] < -200:
            break
    steps = [step for step, _ in seen]
    assert steps == sorted(steps) and set(steps) == set(range(9))
    assert len({y for step, y in seen if 1 <= step < 8}) == 1  # it stays where it is
    assert said(figure, "Eleven other heads")
    page.mouse.wheel(0, -10_000)
    page.wait_for_function("document.scrollingElement.scrollTop === 0")
    assert said(figure, "takes most") and step_of(figure) == 0


def test_agree_its_buttons_with_scrolling_and_does_nothing_jump_after_it(page, figure, scrolling):
    for _ in range(3):
        figure.locator(".machine-next").click()
    page.wait_for_timeout(100)
    assert step_of(figure) == 3 and figure.evaluate(LIT_NOW) == ["keys", "query", "scores"]
    before = figure.locator(".machine-inside").bounding_box()["y"]
    scrolling.focus()
    page.keyboard.press("Space")
    assert not scrolling.is_checked()
    assert figure.locator(".machine-inside").bounding_box()["y"] == pytest.approx(before, abs=1)
    page.mouse.wheel(0, 50)
    page.wait_for_timeout(100)
    assert step_of(figure) == 3


def test_does_touching_a_part_lead_to_its_step(figure):
    figure.locator("th[data-part=mask]").click()
    assert "5 of 8" in figure.locator(".machine-place").inner_text()
    assert figure.evaluate(LIT_NOW) == ["mask"]


def test_follows_what_it_shows_from_a_changed_query(figure):
    change(figure, "query-0", -2.0)
    scores, weights, output = wanted(query=[-2.0, machine.QUERY[1]])
    shows(figure, scores, weights, output)
    words = said(figure, "first number: from −0.25 to −2.00")
    assert f"goes from 0.41 to {weights[MILK]:.2f}" in words


def test_follows_what_it_shows_from_a_changed_key_and_value(figure):
    choose(figure, "store")
    change(figure, "key-1", 4.0)
    change(figure, "value-0", -3.0)
    store = machine.TOKENS.index("store")
    keys, values = ([list(row) for row in rows] for rows in (machine.KEYS, machine.VALUES))
    keys[store][1], values[store][0] = 4.0, -3.0
    scores, weights, output = wanted(keys=keys, values=values)
    shows(figure, scores, weights, output)
    words = said(figure, "first number: from 1.42 to −3.00")
    assert f"The score of “store” is {scores[store]:.1f}" in words
    assert f"The largest weight has “milk”: {weights[MILK]:.2f}" in words
    assert f"The output begins with {output[0]:.2f}".replace("-", "−") in words


def test_is_what_is_masked_given_no_weight(figure):
    figure.locator("[data-change=causal]").check()
    after = torch.arange(len(machine.TOKENS)) > machine.ASKING
    shows(figure, *wanted(mask=~after))
    assert figure.evaluate(CELLS)[MILK][4:6] == ["no", "0.00"]
    figure.locator("[data-change=causal]").uncheck()
    figure.locator("[data-change=mask]").uncheck()
    shows(figure, *wanted(mask=torch.arange(len(machine.TOKENS)) != MILK))
    assert "not look at “milk”" in said(figure, "may not")


def test_are_weights_nearly_all_or_nothing_without_the_scale(figure):
    figure.locator("[data-change=scale]").uncheck()
    scores, weights, output = wanted(scaling=False)
    assert weights.max() > 0.9
    shows(figure, scores, weights, output)


def test_does_start_over_bring_back_the_models_own_row(page, figure):
    change(figure, "query-1", -4.0)
    figure.locator("[data-change=scale]").uncheck()
    figure.locator(".machine-again").click()
    assert figure.evaluate(CELLS) == page.before
    assert figure.locator("[data-change=scale]").is_checked()


def test_is_a_wish_for_less_motion_heard(page, figure):
    bar = figure.locator(".machine-bar").first
    duration = "bar => getComputedStyle(bar).transitionDuration"
    page.emulate_media(reduced_motion="reduce")
    assert bar.evaluate(duration) == "0s"
    page.emulate_media(reduced_motion="no-preference")
    assert bar.evaluate(duration) == "0.3s"


def test_has_every_control_a_name(figure):
    for control in figure.locator("input, button").all():
        name = control.evaluate("it => (it.labels?.[0] ?? it).textContent.trim()")
        assert name


def test_are_a_cells_arguments_read(extension):
    lit, labels = extension.called(
        'from lab.machine import machine\n\nmachine("scores", "mask", labels={"asked": "nine"},\n'
        '    caption="The machine.")'
    )
    assert lit == ["scores", "mask"] and labels == {"asked": "nine"}
    with pytest.raises(ValueError, match="no call of machine"):
        extension.called("plt.show()")


def test_rounds_as_the_script_does(page, extension):
    numbers = [-0.25, 0.25, -0.04, 0.05, 1.005, -17.01, 2.5, -2.46, 13.4]
    for digits in (0, 1, 2):
        found = page.evaluate(
            "([numbers, digits]) => numbers.map((number) => number.toFixed(digits))",
            [numbers, digits],
        )
        ours = [extension.number(value, digits).replace("−", "-") for value in numbers]
        assert [float(text) for text in ours] == [float(text) for text in found]
