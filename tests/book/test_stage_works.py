"""The machine's stage in the page: everything on it follows from the data, who asks and a time."""

import math
import re
from itertools import pairwise

import pytest
import torch
from lab.machine import milk
from lab.stage import described

from solutions.softmax import sharpen
from tests.book.test_pages import LOOK_AT, TARGETS
from tests.chromium import PATIENCE

WIDTHS = [1280, 700, 390, 320]
STATIC = "book/_static"
SCRIPTS = ["stage", "stage-line", "stage-keys", "stage-answer", "stage-table", "stage-parts"]
SCRIPTS.append("stage-rows")  # in any order: the browser gets them as the disk has them
THEME = """
  html { --pst-color-text-base: #222832; --pst-color-text-muted: #48566b;
    --pst-color-background: #fff; --pst-color-surface: #f3f4f5; --pst-color-border: #d1d5da;
    --pst-color-primary: #0a7d91; --pst-color-link: #176de8; }
  html[data-theme=dark] { --pst-color-text-base: #ced6dd; --pst-color-text-muted: #9ca4af;
    --pst-color-background: #121212; --pst-color-surface: #29313d; --pst-color-border: #48566b;
    --pst-color-primary: #3fb1c5; --pst-color-link: #5c8dff; color-scheme: dark; }
  body { background: var(--pst-color-background); color: var(--pst-color-text-base);
    font: 16px/1.6 sans-serif; margin: 0; }
  main { box-sizing: border-box; margin: 0 auto; max-width: 735px; padding: 0 8px; }
  * { box-sizing: border-box; }
  button { font: inherit; } b { font-weight: 700; }
  .visually-hidden { clip-path: inset(50%); height: 1px; overflow: hidden;
    position: absolute !important; white-space: nowrap; width: 1px; }
"""
ROOM = torch.Generator().manual_seed(4)
WORDS = milk()["items"]
MADE = torch.randn(len(WORDS), len(WORDS), generator=ROOM)
GIVEN = {
    "sentence": dict(milk()),
    "causal": {**milk(), "leaking": MADE},
    "one ahead": {
        "items": WORDS,
        "scores": MADE,
        "leaking": MADE.masked_fill(torch.ones_like(MADE).triu(2).bool(), -torch.inf),
        "asks": "get",
    },
    "heads": {"items": WORDS, "heads": {"one": milk()["scores"], "two": MADE}, "asks": "get"},
    "small": {
        "items": ["river", "bank", "dirty"],
        "queries": [[2, 0], [1, 1], [1, 0]],
        "keys": [[2, 0], [1, 1], [1, 0]],
        "values": [[2, 0], [1, 1], [1, 0]],
        "asks": "bank",
    },
    "crossing": {
        "items": list("22 mai"),
        "askers": list("0522$"),
        "scores": MADE[:5, :6],
        "noun": "character",
    },
    "patches": {
        "items": [f"patch {i}" for i in range(8)],
        "scores": MADE[:8, :8],
        "pictures": torch.rand(8, 2, 2, generator=ROOM),
        "noun": "patch",
    },
    "keys": {
        "items": ["Luke", "Lena", "Hans"],
        "keys": [[1, 0], [0, 1], [-1, 0]],
        "values": [20, 12, 8],
        "query": [0.5, 0.2],
        "bandwidth": 0.5,
        "noun": "key",
    },
    "line": {
        "items": ["a", "b", "c"],
        "keys": [1.0, 2, 4],
        "values": [20, 12, 8],
        "query": 1.4,
        "noun": "key",
    },
    "dial": {
        "items": ["a", "b", "c", "d"],
        "scores": [2, 2, 0.5, -1],
        "values": [10, 20, 30, 40],
        "noun": "key",
    },
}
MODES = {
    "one ahead": "causal",
    "small": "sentence",
    "crossing": "sentence",
    "patches": "sentence",
    "line": "keys",
}
# What is seen of a figure: texts, and places as drawn, but for what scripts alone add.
SEEN = """(figure) => [
  figure.querySelector(".stage-said").innerHTML,
  ...[...figure.querySelectorAll(".stage-share, .stage-sum, .stage-key-share, td, th, svg text")]
    .map((part) => part.textContent),
  ...[...figure.querySelectorAll("path")].map((path) => path.getAttribute("d")),
  ...[...figure.querySelectorAll(".stage-item, .stage-strip > *, .stage-strand")]
    .map((part) => ["--w", "--b", "--s"].map((name) => part.style.getPropertyValue(name)).join()),
  ...[...figure.querySelectorAll(".stage-bar, .stage-curves, .stage-query, .stage-key-mark")]
    .map((part) => { const { x, y, width, height } = part.getBoundingClientRect();
      return [x, y, width, height].map(Math.round).join(); }),
]"""
NUMBERS = re.compile(r"\d+(?:\.\d+)?")
SHARES = """(figure) => [...figure.querySelectorAll(".stage-item")]
  .map((item) => Number(item.style.getPropertyValue("--w")))"""
CELLS = """rows => rows.map((row) =>
  [...row.cells].map((cell) => cell.textContent.replaceAll("−", "-")))"""


def data_of(kind: str) -> dict:
    given = dict(GIVEN[kind])
    return described(MODES.get(kind, kind), given.pop("items"), **given)


class Shown:
    """A page with one stage."""

    def __init__(self, page, kind: str):
        self.page, self.data = page, data_of(kind)
        self.figure = page.locator("figure.stage")
        self.before = self.figure.evaluate(SEEN)

    def run(self, root) -> "Shown":
        for name in SCRIPTS:
            self.page.add_script_tag(path=root / STATIC / f"{name}.js")
        self.page.evaluate("document.dispatchEvent(new Event('DOMContentLoaded'))")
        return self

    def show(self, **state) -> None:
        self.figure.evaluate("(figure, state) => figure.stage.show(state)", state)

    def state(self) -> dict:
        return self.figure.evaluate("figure => figure.stage.state")

    def heard(self) -> str:
        return self.figure.locator("[role=status]").inner_text()

    def until(self, **wanted) -> None:
        self.page.wait_for_function(
            """([figure, wanted]) => Object.entries(wanted).every(([name, value]) =>
              JSON.stringify(figure.stage.state[name]) === JSON.stringify(value))""",
            arg=[self.figure.element_handle(), wanted],
        )

    def boxes(self, selector: str) -> list[dict]:
        return [part.bounding_box() for part in self.figure.locator(selector).all()]

    def bottom(self) -> float:
        return self.page.locator("#after").bounding_box()["y"]


@pytest.fixture
def opened_stage(browser, extension, pytestconfig):
    """Opens a page with a stage; without motion, unless a test is about it."""
    machine_stage, pages = extension("machine_stage"), []
    sheets = [
        (pytestconfig.rootpath / STATIC / f"{name}.css").read_text()
        for name in ("custom", "machine")
    ]

    def open_page(kind: str, width=760, scheme="light", motion="reduce", scripts=True, **view):
        page = browser.new_page(
            viewport={"width": width, "height": 900}, reduced_motion=motion, **view
        )
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.set_content(
            f"<!doctype html><html lang='en' data-theme='{scheme}'><title>A stage</title>"
            f"<style>{THEME}{''.join(sheets)}</style>"
            "<body><main class='bd-content'><h1>A stage</h1>"
            f"{machine_stage.figure(data_of(kind))}<p id='after'>After it.</p></main>"
        )
        shown = Shown(page, kind)
        return shown.run(pytestconfig.rootpath) if scripts else shown

    yield open_page
    for page in pages:
        page.close()


@pytest.mark.parametrize("kind", GIVEN)
def test_is_the_end_the_same_with_scripts_and_without(opened_stage, pytestconfig, kind):
    shown = opened_stage(kind, scripts=False)
    assert len(shown.before) > 20
    after = shown.run(pytestconfig.rootpath).figure.evaluate(SEEN)
    for one, other in zip(after, shown.before, strict=True):
        assert NUMBERS.sub("", one) == NUMBERS.sub("", other)
        # A half is rounded up here, and to the even number there.
        found, stored = ([float(number) for number in NUMBERS.findall(it)] for it in (one, other))
        assert found == pytest.approx(stored, abs=0.11 if "M" in one else 1e-4)


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("width", WIDTHS)
def test_does_nothing_move_and_is_nothing_too_wide(opened_stage, pytestconfig, kind, width):
    shown = opened_stage(kind, width, scripts=False)
    before = shown.bottom()
    shown.run(pytestconfig.rootpath)
    asking = range(len(shown.data.get("askers") or WORDS)) if "heads" in shown.data else [0]
    states = [{"time": time / 2} for time in range(9)]
    if shown.data["mode"] != "dial":
        states += [
            {"asks": i} for i in asking if i < len(shown.data.get("askers") or shown.data["items"])
        ]
    for state in states:
        shown.show(**state)
        assert shown.bottom() == before, state
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width, state


def test_is_what_stands_there_a_function_of_who_asks_and_of_the_time(opened_stage):
    shown = opened_stage("sentence")
    times = [0, 0.4, 1, 1.5, 2, 2.5, 3, 3.6, 4]
    first = []
    for time in times:
        shown.show(asks=6, time=time)
        first.append(shown.figure.evaluate("figure => figure.outerHTML"))
    for time, before in reversed(list(zip(times, first, strict=True))):
        shown.show(asks=2, time=4)
        shown.show(asks=6, time=time)
        assert shown.figure.evaluate("figure => figure.outerHTML") == before
    assert len(set(first)) == len(times)


def test_are_lengths_scores_and_then_shares_that_sum_to_one(opened_stage):
    shown = opened_stage("sentence")
    asks = milk()["asks"]
    scores = torch.tensor(milk()["scores"][asks])
    shown.show(time=2)
    heights = torch.tensor([box["height"] for box in shown.boxes(".stage-item > .stage-bar")])
    large = scores.abs() > 0.5
    assert torch.allclose(
        heights[large] / heights.max(), scores.abs()[large] / scores.abs().max(), atol=0.03
    )
    low = shown.figure.locator(".stage-item[data-low]")
    assert low.count() == int((scores < 0).sum())
    shown.show(time=3)
    strip = shown.boxes(".stage-item > .stage-bar")
    whole = shown.figure.locator(".stage-line").bounding_box()["width"]
    widths = torch.tensor([box["width"] for box in strip])
    assert torch.allclose(widths / whole, scores.softmax(dim=0), atol=0.005)
    assert strip[0]["y"] == strip[-1]["y"] and sum(widths) == pytest.approx(whole, rel=0.05)


def test_are_strands_as_thick_as_weights(opened_stage):
    shown = opened_stage("sentence")
    weights = torch.tensor(milk()["scores"]).softmax(dim=-1)
    for asks in (2, 7):
        shown.show(asks=asks, time=4)
        thick = shown.figure.locator(".stage-line .stage-strand").evaluate_all(
            "paths => paths.map((path) => parseFloat(getComputedStyle(path).strokeWidth))"
        )
        ratio = torch.tensor(thick)[weights[asks] > 0.05] / weights[asks][weights[asks] > 0.05]
        assert torch.allclose(ratio, ratio.mean(), rtol=0.01)


def test_can_each_number_be_checked_by_hand(opened_stage):
    shown = opened_stage("small")
    for asks, query in enumerate([[2, 0], [1, 1], [1, 0]]):
        shown.show(asks=asks)
        rows = shown.figure.locator("tbody tr, tfoot tr").evaluate_all(CELLS)
        *items, total = rows
        powers = 0
        for key, (_, product, score, power, weight, value, taken) in zip(
            [[2, 0], [1, 1], [1, 0]], items, strict=True
        ):
            assert eval(product.replace("×", "*")) == query[0] * key[0] + query[1] * key[1]
            assert float(score) == pytest.approx(
                eval(product.replace("×", "*")) / math.sqrt(2), abs=0.005
            )
            assert float(power) == pytest.approx(math.exp(float(score)), abs=0.006)
            powers += float(power)
            shares = [float(weight) * part for part in eval(value)]
            assert list(eval(taken)) == pytest.approx(shares, abs=0.011)
        assert float(total[3]) == pytest.approx(powers, abs=0.02) and total[4] == "1.00"
        assert list(eval(total[6])) == pytest.approx(
            [sum(eval(row[6])[axis] for row in items) for axis in (0, 1)], abs=0.02
        )


def test_says_each_move_in_a_sentence(opened_stage):
    shown = opened_stage("sentence")
    said = []
    for move in ("Ask", "Compare", "Share out", "Take"):
        shown.figure.get_by_role("button", name=move).click()
        said.append(shown.heard())
        current = shown.figure.locator("[aria-current=step]")
        assert current.count() == 1 and current.inner_text() == move
        assert said[-1] == shown.figure.locator(".stage-said").inner_text()
    assert said[0] == "get asks all 11 words, itself too: what do you have for me?"
    assert "a poor one hangs below it. milk fits best, please worst" in said[1]
    assert "24% from some, 17% from store, and the rest from the other 8 together" in said[2]
    assert said[3].endswith("Such a share is a weight; all weights together make 100%.")


def test_says_that_shares_are_rounded_where_they_miss_the_whole(opened_stage):
    shown = opened_stage("small")
    for asks, words in ((0, "16% from dirty (each rounded)."), (1, "20% from dirty.")):
        shown.show(asks=asks, time=4)  # 67 + 16 + 16, and 40 + 40 + 20
        assert words in shown.figure.locator(".stage-said").inner_text()


def test_ends_a_sum_in_its_result(opened_stage):
    shown = opened_stage("small")
    keys = torch.tensor([[2.0, 0], [1, 1], [1, 0]])
    for asks, answer in enumerate(torch.nn.functional.scaled_dot_product_attention(*3 * [keys])):
        shown.show(asks=asks, time=4)
        result = ", ".join(f"{part:.2f}" for part in answer.tolist())
        assert shown.figure.locator(".stage-sum").inner_text().endswith(f" = ({result})")


def test_can_the_keyboard_choose_who_asks(opened_stage):
    shown = opened_stage("sentence")
    page = shown.page
    shown.figure.locator(".stage-play").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert shown.state()["asks"] == 8 and "some looks at every word" in shown.heard()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert shown.state()["asks"] == 6
    focused = page.evaluate("document.activeElement.closest('label').textContent")
    assert focused == "and"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.parametrize("width", [760, 390])
def test_does_a_touched_word_ask(opened_stage, width):
    shown = opened_stage("sentence", width, has_touch=True)
    for place in (2, 10, 0):
        shown.figure.locator("label.stage-word").nth(place).tap()
        assert shown.state()["asks"] == place
        shares = torch.tensor(shown.figure.evaluate(SHARES))
        assert torch.allclose(shares, torch.tensor(milk()["scores"][place]).softmax(0), atol=1e-4)


def test_does_another_who_asks_animate_to_the_end(opened_stage):
    shown = opened_stage("sentence", motion="no-preference")
    shown.figure.locator("label.stage-word").nth(3).click()
    times = []
    while not times or times[-1] < 4:
        times.append(shown.state()["time"])
    assert times == sorted(times) and len(set(times)) > 2 and times[0] < 4


def test_plays_by_itself_once_when_seen_and_can_be_stopped(opened_stage):
    shown = opened_stage("sentence", motion="no-preference")
    shown.page.wait_for_function("document.querySelector('.stage-play').textContent === 'Pause'")
    shown.page.wait_for_function("document.querySelector('figure.stage').stage.state.time < 4")
    assert shown.heard() == ""  # nobody asked for it: nothing is read aloud
    shown.figure.locator(".stage-play").click()
    stopped = shown.state()["time"]
    assert shown.figure.locator(".stage-play").inner_text() == "Play"
    shown.page.wait_for_timeout(300)
    assert shown.state()["time"] == stopped


def test_do_moves_become_steps_where_less_motion_is_wished(opened_stage):
    shown = opened_stage("sentence")
    shown.page.wait_for_timeout(300)
    assert shown.state()["time"] == 4 and shown.figure.locator(".stage-play").inner_text() == "Play"
    found = shown.figure.evaluate(
        """(figure) => { figure.querySelectorAll(".stage-moves li button")[1].click();
          return figure.stage.state.time; }"""
    )
    assert found == 2


def test_is_the_later_hidden_until_it_leaks(opened_stage):
    shown = opened_stage("causal")
    asks = milk()["asks"]
    scores = torch.tensor(milk()["scores"][asks])
    assert shown.figure.locator(".stage-item[data-masked]").count() == len(WORDS) - asks - 1
    shares = torch.tensor(shown.figure.evaluate(SHARES))
    assert torch.allclose(shares[: asks + 1], scores[: asks + 1].softmax(dim=0), atol=1e-4)
    assert shares[asks + 1 :].sum() == 0
    assert shown.figure.locator(".stage-line .stage-strand").count() == asks + 1
    shown.figure.get_by_label("let it look ahead").check()
    leaking = torch.tensor(shown.figure.evaluate(SHARES))
    assert torch.allclose(leaking, MADE[WORDS.index("get")].softmax(dim=0), atol=0.01)
    assert shown.figure.locator(".stage-item[data-masked]").count() == 0


def test_are_the_moves_one_stop_and_do_arrow_keys_lead_along_them(opened_stage):
    shown = opened_stage("sentence")
    moves = shown.figure.locator(".stage-moves li button")
    assert moves.evaluate_all("all => all.map((one) => one.tabIndex)") == [0, -1, -1, -1]
    moves.first.focus()
    for key, reached in (("ArrowRight", "Compare"), ("ArrowLeft", "Ask"), ("ArrowLeft", "Take")):
        shown.page.keyboard.press(key)
        focused = shown.page.evaluate("document.activeElement.textContent")
        assert focused.strip() == reached
    assert moves.evaluate_all("all => all.map((one) => one.tabIndex)") == [-1, -1, -1, 0]


def test_does_it_say_how_far_a_leaking_model_sees(opened_stage):
    shown = opened_stage("one ahead")
    shown.figure.get_by_label("let it look ahead").check()
    for asks, words in ((2, "every word up to the next one"), (len(WORDS) - 1, "every word and")):
        shown.show(asks=asks, time=4)
        assert words in shown.figure.locator(".stage-said").inner_text()


def test_shows_a_map_the_triangle_of_all_rows_and_lets_one_be_chosen(opened_stage):
    shown = opened_stage("causal")
    cells = """cells => cells.map((cell) => [cell.getAttribute("d").match(/\\d+ \\d+/)[0],
      Number(cell.getAttribute("opacity"))])"""
    n = len(WORDS)
    masked = torch.tensor(milk()["scores"]).masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)
    found = torch.zeros(n, n)
    for place, weight in shown.figure.locator(".stage-map g path").evaluate_all(cells):
        column, row = map(int, place.split())
        found[row, column] = weight
    assert torch.allclose(found, masked.softmax(dim=-1), atol=1e-3)
    drawing = shown.figure.locator(".stage-map svg")
    box = drawing.bounding_box()
    drawing.click(position={"x": 5, "y": box["height"] * 2.5 / n})
    assert shown.state()["asks"] == 2


def test_is_a_picture_seen_and_its_name_read(opened_stage):
    shown = opened_stage("patches")
    pictures = GIVEN["patches"]["pictures"]
    for i, (item, picture) in enumerate(
        zip(shown.figure.locator("label.stage-word").all(), pictures, strict=True)
    ):
        assert item.text_content() == f"patch {i}"
        shades = item.locator(".stage-picture path").evaluate_all(
            "paths => paths.map((path) => Number(path.getAttribute('opacity')))"
        )
        inked = picture.flatten()[(15 * picture.flatten()).round() > 0]
        assert torch.allclose(torch.tensor(shades), inked, atol=0.04)
    shown.show(time=1)
    assert "all 8 patches" in shown.figure.locator(".stage-said").inner_text()


def test_shows_a_chosen_head_large(opened_stage):
    shown = opened_stage("heads")
    assert shown.figure.locator(".stage-mini").count() == 2
    shown.figure.get_by_label("two").check(force=True)
    shares = torch.tensor(shown.figure.evaluate(SHARES))
    assert torch.allclose(shares, MADE[WORDS.index("get")].softmax(dim=0), atol=0.005)


def test_does_the_answer_follow_a_dragged_query(opened_stage):
    shown = opened_stage("keys")
    box = shown.figure.locator(".stage-keys").bounding_box()
    mouse = shown.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    mouse.down()
    mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
    mouse.up()
    query = shown.state()["query"]
    (left, right), (low, high) = shown.data["bounds"]
    assert query == pytest.approx(
        [left + 0.3 * (right - left), low + 0.7 * (high - low)], abs=0.011
    )
    distances = (torch.tensor([[1.0, 0], [0, 1], [-1, 0]]) - torch.tensor(query)).norm(dim=-1)
    weights = torch.exp(-(distances**2) / 0.5).div(torch.exp(-(distances**2) / 0.5).sum())
    answer = float(weights @ torch.tensor([20.0, 12, 8]))
    assert shown.figure.locator(".stage-output-words").text_content() == f"{answer:.1f}"
    shown.figure.get_by_label("query, first number").focus()
    shown.page.keyboard.press("ArrowRight")
    assert shown.state()["query"][0] == pytest.approx(query[0] + 0.01)
    assert re.search(r"The query looks at every key and takes \d+% from", shown.heard())


def test_does_the_answer_follow_a_dragged_key(opened_stage):
    shown = opened_stage("line")
    values, query = torch.tensor([20.0, 12, 8]), 1.4

    def answer(keys: list[float]) -> str:
        weights = torch.softmax(query * torch.tensor(keys), dim=0)  # dot products as scores
        return f"{float(weights @ values):.1f}"

    words = shown.figure.locator(".stage-output-words")
    assert words.text_content() == answer([1, 2, 4])
    box = shown.figure.locator(".stage-keys").bounding_box()
    (left, right), height = shown.data["bounds"][0], box["y"] + 0.62 * box["height"]
    at = [box["x"] + box["width"] * (key - left) / (right - left) for key in (4, 2.5)]
    mouse = shown.page.mouse
    mouse.move(at[0] + 3, height)
    mouse.down()
    mouse.move(at[1], height)
    mouse.up()
    (moved,) = shown.state()["keys"][2]
    assert moved == pytest.approx(2.5, abs=0.02) and shown.state()["query"] == [1.4]
    assert words.text_content() == answer([1, 2, moved])
    shown.figure.get_by_role("slider", name="key a").focus()
    shown.page.keyboard.press("ArrowLeft")
    (pushed,) = shown.state()["keys"][0]
    assert pushed == pytest.approx(1 - (right - left) / 50, abs=0.011)
    assert words.text_content() == answer([pushed, 2, moved])
    assert shown.figure.locator("tbody td").first.text_content().startswith("1.40 × ")


def swipe(page, *places: tuple[float, float]) -> None:
    """A finger that is put down at the first place, goes to the others, and is taken away."""
    devtools = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        given = [{"x": x, "y": y} for x, y in points]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": given})

    touch("touchStart", places[0])
    for (x, y), (a, b) in pairwise(places):
        for step in range(1, 11):
            touch("touchMove", (x + (a - x) * step / 10, y + (b - y) * step / 10))
    touch("touchEnd")


def opened_for_fingers(opened_stage, kind: str):
    """On a phone, with a page below that can be scrolled."""
    shown = opened_stage(kind, width=390, has_touch=True)
    shown.page.evaluate("document.body.style.paddingBottom = '2000px'")
    return shown


@pytest.mark.parametrize("kind", ["line", "keys"])
def test_does_the_answer_follow_a_query_and_a_key_dragged_by_a_finger(opened_stage, kind):
    shown = opened_for_fingers(opened_stage, kind)
    bounds, values = shown.data["bounds"], torch.tensor([20.0, 12, 8])
    box = shown.figure.locator(".stage-keys").bounding_box()

    def place(shares: tuple[float, float]) -> tuple[float, float]:
        return box["x"] + shares[0] * box["width"], box["y"] + shares[1] * box["height"]

    def shares_of(point: list[float]) -> tuple[float, float]:
        parts = [(at - low) / (high - low) for at, (low, high) in zip(point, bounds, strict=True)]
        return parts[0], 1 - parts[1] if len(parts) == 2 else 0.62

    def weights(query: list[float], keys: list[list[float]]) -> torch.Tensor:
        query, keys = torch.tensor(query), torch.tensor(keys)
        if kind == "line":
            return torch.softmax(keys @ query, dim=0)
        nearness = torch.exp(-(keys - query).square().sum(dim=-1) / (2 * 0.5**2))
        return nearness / nearness.sum()

    def agrees(query: list[float], keys: list[list[float]]) -> None:
        wanted = weights(query, keys)
        seen = shown.figure.locator(".stage-key-share").all_text_contents()
        assert [int(share.strip("<%")) / 100 for share in seen] == pytest.approx(
            wanted.tolist(), abs=0.0101 if "<1%" in seen else 0.0051
        )
        answer = shown.figure.locator(".stage-output-words").text_content()
        assert float(answer) == pytest.approx(float(wanted @ values), abs=0.051)

    keys = [[float(part) for part in key] for key in shown.data["keys"]]
    target = (0.6, 0.8)  # far from all keys
    swipe(shown.page, place(shares_of(shown.data["query"])), place(target))
    query = shown.state()["query"]
    assert query == pytest.approx(
        [
            low + share * (high - low)
            for share, (low, high) in zip((target[0], 1 - target[1]), bounds, strict=False)
        ],
        abs=0.02,
    )
    agrees(query, keys)
    swipe(shown.page, place(shares_of(keys[0])), place((0.25, 0.3)))
    moved = shown.state()["keys"]
    assert moved[0] != keys[0] and moved[1:] == shown.data["keys"][1:]
    assert shown.state()["query"] == query
    agrees(query, moved)
    assert shown.page.evaluate("scrollY") == 0  # the page stayed


@pytest.mark.parametrize("kind", ["line", "keys"])
def test_does_a_finger_beside_query_and_keys_scroll_the_page_or_tap(opened_stage, kind):
    shown = opened_for_fingers(opened_stage, kind)
    box = shown.figure.locator(".stage-keys").bounding_box()
    x, y = box["x"] + 0.9 * box["width"], box["y"] + 0.85 * box["height"]
    shown.page.touchscreen.tap(x, y)
    shown.page.wait_for_function(
        "([figure, before]) => figure.stage.state.query[0] !== before",
        arg=[shown.figure.element_handle(), shown.data["query"][0]],
    )
    left, right = shown.data["bounds"][0]
    query = shown.state()["query"]
    assert query[0] == pytest.approx(left + 0.9 * (right - left), abs=0.02)
    shown.show(query=shown.data["query"])
    swipe(shown.page, (x, y), (x, y - 300))
    shown.page.wait_for_function("scrollY > 200")
    assert shown.state()["query"] == [*shown.data["query"]]


def test_is_the_dial_turned_by_a_finger_and_the_page_scrolls_beside_it(opened_stage):
    shown = opened_for_fingers(opened_stage, "dial")
    scores = torch.tensor([2, 2, 0.5, -1])
    slider = shown.figure.get_by_label("Dial from the average to the lookup")
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    swipe(shown.page, (box["x"] + box["width"] / 2, middle), (box["x"] + box["width"] - 2, middle))
    assert shown.state()["sharpness"] == 1  # the lookup: at a tie, both alike
    shares = torch.tensor(shown.figure.evaluate(SHARES))
    assert torch.allclose(shares, torch.tensor([0.5, 0.5, 0, 0]), atol=1e-4)
    swipe(
        shown.page, (box["x"] + box["width"] - 2, middle), (box["x"] + 0.3 * box["width"], middle)
    )
    sharpness = shown.state()["sharpness"]
    assert 0.2 < sharpness < 0.4
    shares = torch.tensor(shown.figure.evaluate(SHARES))
    assert torch.allclose(shares, (scores * sharpness / (1 - sharpness)).softmax(dim=0), atol=1e-4)
    assert shown.page.evaluate("scrollY") == 0
    line = shown.figure.locator(".stage-line").bounding_box()
    swipe(shown.page, (line["x"] + 100, line["y"] + 60), (line["x"] + 100, line["y"] - 200))
    shown.page.wait_for_function("scrollY > 100")
    assert shown.state()["sharpness"] == sharpness


def test_is_the_dial_sharpen(opened_stage):
    shown = opened_stage("dial")
    scores = torch.tensor([2, 2, 0.5, -1])
    slider = shown.figure.get_by_label("Dial from the average to the lookup")
    for sharpness in (0, 0.3, 0.5, 0.9, 1):
        slider.evaluate("(slider, value) => (slider.value = value)", sharpness)
        slider.dispatch_event("input")
        shares = torch.tensor(shown.figure.evaluate(SHARES))
        assert torch.allclose(shares, sharpen(scores, sharpness), atol=1e-4)
    shown.figure.get_by_role("button", name="Average").click()
    assert (
        shown.figure.evaluate(SHARES) == [0.25] * 4 and "all weights are the same" in shown.heard()
    )


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_finds_axe_nothing(opened_stage, kind, scheme):
    from axe_playwright_python.base import AXE_FILE_PATH

    shown = opened_stage(kind, scheme=scheme)
    shown.figure.locator("details").evaluate("fold => fold.open = true")
    with open(AXE_FILE_PATH, encoding="utf-8") as script:
        shown.page.evaluate(script.read())
    assert shown.page.evaluate(LOOK_AT, {"rules": TARGETS}) == []


def test_is_a_move_seen_in_forced_colors(opened_stage):
    shown = opened_stage("sentence", forced_colors="active")
    grounds = shown.figure.locator(".stage-moves li button").evaluate_all(
        "buttons => buttons.map((it) => getComputedStyle(it).backgroundColor)"
    )
    assert grounds.count(grounds[3]) == 1
    shown.show(time=2)
    bars = shown.figure.locator(".stage-item > .stage-bar").evaluate_all(
        """bars => bars.map((it) => [it.parentElement.matches("[data-low]"),
          getComputedStyle(it).backgroundColor])"""
    )
    high, low = ({ground for is_low, ground in bars if is_low is side} for side in (False, True))
    assert len(high) == 1 and not high & low  # a score below zero is told from one above


def test_has_paper_every_number_and_no_button(opened_stage):
    shown = opened_stage("sentence", scripts=False)
    shown.page.emulate_media(media="print")
    assert shown.figure.locator("tfoot").bounding_box()["height"] > 0
    assert not shown.figure.locator(".stage-moves").is_visible()
