"""The figure to draw a digit in: does the page read what the model reads?"""

import pytest
import torch
from lab.live import digit_figure

from solutions.vit import VisionTransformer, attention_rollout, patchify, unpatchify
from tests.book.live_page import open_figure, open_while_loading, written
from tests.book.parsed import needs_book
from tests.book.written_model import random

SIZES = {
    **{"image_size": 8, "patch_size": 2, "channels": 1, "num_classes": 10},
    **{"embed_dim": 12, "num_heads": 3, "hidden_dim": 24, "num_layers": 2},
}
ORDER = [9, 2, 14, 5, 0, 11, 7, 12, 3, 15, 6, 8, 1, 13, 4, 10]  # as in drawing.js
ALT = "A grid to draw on."


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(12)
    return random(VisionTransformer(**SIZES))


@pytest.fixture(scope="module")
def examples():
    random = torch.Generator().manual_seed(0)
    return torch.randint(17, (10, 1, 8, 8), generator=random) / 16


@pytest.fixture(scope="module")
def page(browser, model, examples, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawing")
    said = written(model, folder, "digits", sizes=SIZES)
    drawn = digit_figure("digits", examples, ALT, "drawing")
    page = open_figure(browser, folder, drawn, said, has_touch=True)
    yield page
    assert page.troubles == []
    page.close()


@pytest.fixture
def figure(page):
    figure = page.locator("figure.drawing")
    figure.get_by_role("button", name="Wipe all").click()
    figure.get_by_label("shuffle the patches").uncheck()
    figure.get_by_label("positions").select_option("own")
    figure.locator("[aria-pressed=true]").evaluate_all("all => all.forEach((one) => one.click())")
    return figure


def ink(figure) -> torch.Tensor:
    """What the grid says of its pixels."""
    cells = figure.get_by_role("gridcell").evaluate_all("all => all.map((one) => one.ariaLabel)")
    return torch.tensor([int(cell.split()[-1].rstrip("%")) / 100 for cell in cells]).view(8, 8)


def bars(figure) -> torch.Tensor:
    lines = figure.locator(".live-bars span").all_text_contents()
    return torch.tensor([float(line.strip("<%")) / 100 for line in lines])


def reads(figure, model, image) -> None:
    with torch.no_grad():
        wanted = model(image[None]).softmax(dim=-1)[0]
    shown = bars(figure)
    # What is less than half of a percent is written as "<1%".
    torch.testing.assert_close(shown, wanted, atol=0.0101, rtol=0)
    torch.testing.assert_close(shown[wanted > 0.005], wanted[wanted > 0.005], atol=0.0051, rtol=0)


def test_is_the_model_loaded_when_it_is_asked_for(page):
    assert len(page.asked) == 1


def test_reads_an_example_as_the_model_does(figure, model, examples):
    figure.get_by_role("button", name="A held-out 3").click()
    torch.testing.assert_close(ink(figure), examples[3, 0], atol=0.0051, rtol=0)
    reads(figure, model, examples[3])
    figure.locator("[role=status]", has_text="The held-out 3 is read as").wait_for()


def test_shows_the_rollout_over_the_patches(figure, model, examples):
    figure.get_by_role("button", name="A held-out 7").click()
    with torch.no_grad():
        weights = model.encoder(model.patch_embedding(examples[7:8]))[1]
    rolled = attention_rollout(weights)[0, 0, 1:]
    row, column = divmod(int(rolled.argmax()), 4)
    said = figure.get_by_role("img").get_attribute("aria-label")
    assert f"row {row + 1}, column {column + 1}: {rolled.max():.0%}" in said
    drawn = figure.locator(".drawing-seen").evaluate(
        """(canvas) => {
          canvas.style.color = "transparent";
          document.documentElement.dataset.theme = "light";
          return new Promise((done) => setTimeout(() => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, 160, 160);
            canvas.style.color = "";
            done(Array.from({ length: 16 }, (_, n) =>
              data[4 * (((n >> 2) * 40 + 20) * 160 + (n % 4) * 40 + 20) + 3] / 255));
          }, 50));
        }"""
    )
    torch.testing.assert_close(torch.tensor(drawn), 0.9 * rolled / rolled.max(), atol=0.01, rtol=0)


def test_moves_patches_and_takes_positions_along_or_away(figure, model, examples):
    figure.get_by_role("button", name="A held-out 5").click()
    figure.get_by_label("shuffle the patches").check()
    image = examples[5:6]
    moved = unpatchify(patchify(image, 2)[:, ORDER], 2, 1, 8, 8)[0]
    reads(figure, model, moved)
    figure.get_by_label("positions").select_option("along")
    reads(figure, model, image[0])
    figure.get_by_label("positions").select_option("none")
    shuffled = bars(figure)
    figure.get_by_label("shuffle the patches").uncheck()
    assert torch.equal(bars(figure), shuffled)
    positions = model.patch_embedding.positions
    kept = positions.detach().clone()
    with torch.no_grad():
        positions.zero_()
        reads(figure, model, image[0])
        positions.copy_(kept)


def without(model, image, places: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Of a shorter sequence, without the patches at these places: the chances, and the rollout."""
    stays = [0, *(n + 1 for n in range(16) if n not in places)]
    with torch.no_grad():
        x, weights = model.encoder(model.patch_embedding(image)[:, stays])
        chances = model.head(model.norm(x[:, 0])).softmax(dim=-1)[0]
        return chances, attention_rollout(weights)[0, 0, 1:]


def test_reads_without_the_patches_that_are_tapped(page, figure, model, examples):
    figure.get_by_role("button", name="A held-out 3").click()
    figure.get_by_label("shuffle the patches").check()
    patches = figure.get_by_role("toolbar", name="Patches").get_by_role("button")
    assert patches.count() == 16
    figure.locator(".drawing-seen").scroll_into_view_if_needed()
    patches.nth(5).tap()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    moved = unpatchify(patchify(examples[3:4], 2)[:, ORDER], 2, 1, 8, 8)
    chances, rolled = without(model, moved, [5, 6])
    torch.testing.assert_close(bars(figure), chances, atol=0.0101, rtol=0)
    at = [n for n in range(16) if n not in (5, 6)][int(rolled.argmax())]
    said = figure.get_by_role("img").get_attribute("aria-label")
    assert f"row {at // 4 + 1}, column {at % 4 + 1}: {rolled.max():.0%}" in said
    figure.locator("[role=status]", has_text="It got 14 of the 16 patches.").wait_for()
    pressed = patches.evaluate_all("all => all.map((one) => one.ariaPressed === 'true')")
    assert [place for place in range(16) if pressed[place]] == [5, 6]


@needs_book
@pytest.mark.parametrize("width", [1280, 320])
def test_lies_a_button_over_each_patch(opened, width):
    page = opened("12-vit", width).page
    seen = page.locator(".drawing-seen").bounding_box()
    side = seen["width"] / 4
    buttons = page.locator(".drawing-patches button").all()
    assert len(buttons) == 16 and side >= 24  # px, of a finger
    for place, button in enumerate(buttons):
        box = button.bounding_box()
        assert box["x"] == pytest.approx(seen["x"] + place % 4 * side, abs=2)
        assert box["y"] == pytest.approx(seen["y"] + place // 4 * side, abs=2)
        assert box["width"] == pytest.approx(side, abs=2) == box["height"]


def test_reads_the_class_token_alone_where_no_patch_is_left(figure, model, examples):
    figure.get_by_role("button", name="A held-out 3").click()
    for patch in figure.get_by_role("toolbar", name="Patches").get_by_role("button").all():
        patch.click()
    chances, _ = without(model, examples[3:4], list(range(16)))
    torch.testing.assert_close(bars(figure), chances, atol=0.0101, rtol=0)
    assert figure.get_by_role("img").get_attribute("aria-label") == "No patch is left"


def test_is_drawn_on_by_keyboard(page, figure, model):
    cells = figure.get_by_role("gridcell")
    figure.locator("[role=gridcell][tabindex='0']").focus()
    for key in ("Home", *["ArrowUp"] * 7, *["ArrowLeft"] * 7):
        page.keyboard.press(key)
    for key in ("Space", "ArrowRight", "ArrowDown", "Enter", "ArrowLeft", "Space", "Space"):
        page.keyboard.press(key)
    image = torch.zeros(1, 8, 8)
    image[0, 0, 0] = image[0, 1, 1] = 1
    assert torch.equal(ink(figure), image[0])
    assert cells.nth(8).evaluate("cell => cell === document.activeElement")
    reads(figure, model, image)


def test_is_drawn_on_by_mouse_and_by_touch(page, figure, model):
    box = figure.get_by_role("grid").bounding_box()
    side = box["width"] / 8

    def place(row, column):
        return box["x"] + (column + 0.5) * side, box["y"] + (row + 0.5) * side

    page.mouse.move(*place(1, 1))
    page.mouse.down()
    page.mouse.move(*place(1, 5))
    page.mouse.up()
    page.mouse.move(*place(5, 5))
    line = ink(figure)
    assert (line[1, 1:6] > 0.9).all()  # no gap, though the mouse jumped
    assert (line[3:] == 0).all() and (line[:, 7] == 0).all()
    figure.get_by_role("grid").scroll_into_view_if_needed()
    page.touchscreen.tap(*place(6, 2))
    assert ink(figure)[6, 2] > 0.9
    image = torch.tensor(
        figure.get_by_role("gridcell").evaluate_all(
            "all => all.map((one) => Number(one.style.getPropertyValue('--ink')))"
        )
    )
    reads(figure, model, image.view(1, 8, 8))


def test_opens_with_an_example_that_is_read_and_makes_room_for_the_first_stroke(
    browser, model, tmp_path, examples
):
    said = written(model, tmp_path, "digits", sizes=SIZES)
    drawn = digit_figure("digits", examples, ALT, "drawing", first=7)
    page = open_figure(browser, tmp_path, drawn, said)
    figure = page.locator("figure.drawing")
    torch.testing.assert_close(ink(figure), examples[7, 0], atol=0.0051, rtol=0)
    reads(figure, model, examples[7])
    figure.get_by_role("gridcell").nth(9).click()
    assert ink(figure)[3:].eq(0).all() and ink(figure)[1, 1] > 0.9
    page.close()


def test_says_that_nothing_is_drawn(figure):
    figure.get_by_role("button", name="Wipe all").click()
    figure.locator("[role=status]", has_text="Nothing is drawn yet").wait_for()
    assert bars(figure).eq(0).all()


def test_says_what_it_reads_when_its_bars_say_it(figure):
    seen = figure.evaluate(
        """(figure) => {
          figure.querySelector("[aria-label='A held-out 3']").click();
          const bars = [...figure.querySelectorAll(".live-bars span")].map((b) => b.textContent);
          const most = Math.max(...bars.map((text) => parseInt(text) || 0));
          return [figure.querySelector(".live-said").innerText, `${most}%`];
        }"""
    )
    assert "The held-out 3 is read as" in seen[0] and seen[1] in seen[0]


@pytest.mark.parametrize("how", ["example", "pen", "keyboard"])
def test_is_nothing_lost_that_is_drawn_while_the_model_loads(
    browser, model, tmp_path, how, examples
):
    said = written(model, tmp_path, "digits", sizes=SIZES)
    drawn = digit_figure("digits", examples, ALT, "drawing")

    def act(figure):
        if how == "example":
            return figure.get_by_role("button", name="A held-out 3").click()
        figure.get_by_role("gridcell").nth(9).focus()
        if how == "keyboard":
            return figure.page.keyboard.press("Space")
        figure.get_by_role("gridcell").nth(9).click()

    page = open_while_loading(browser, tmp_path, drawn, said, act)
    figure = page.locator("figure.drawing")
    image = ink(figure)
    assert image.any()
    if how == "example":
        torch.testing.assert_close(image, examples[3, 0], atol=0.0051, rtol=0)
        reads(figure, model, examples[3])
    assert bars(figure).sum() == pytest.approx(1, abs=0.05)
    figure.locator(".live-said", has_text="is read as").wait_for()
    page.close()


TALLEST = 800 - 60  # a laptop's window, below the bar that stays on the screen


@pytest.mark.parametrize("width", [1280, 760])
def test_is_the_whole_figure_in_the_window_while_one_draws(page, figure, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.add_style_tag(content="main { max-width: 735px; }")
    panel = figure.locator(".live-panel").bounding_box()
    assert panel["height"] < TALLEST
    grid, last = (
        figure.locator(place).last.bounding_box() for place in (".drawing-grid", ".live-bars > li")
    )
    assert last["x"] > grid["x"] + grid["width"]
    assert last["y"] + last["height"] < grid["y"] + grid["height"] + 40
    page.set_viewport_size({"width": 1280, "height": 720})


def test_refuses_a_figure_without_a_description(examples):
    with pytest.raises(ValueError, match="drawing: a figure needs a description; alt is empty"):
        digit_figure("digits", examples, "", "drawing")
