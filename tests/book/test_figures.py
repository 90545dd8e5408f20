"""Figures in the page: drawings in the page's own colors."""

import base64
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from lab import plots
from matplotlib import pyplot as plt
from PIL import Image

ROOT = Path(__file__).parents[2]
PICTURE = """<svg width="72pt" height="36pt" viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg">
<rect width="72" height="36" style="fill: #ffffff"/><path d="M0 0H9" stroke="#0072b2"/>
<text fill="#1f2933">a</text><text fill="#1f2934">in a cell</text></svg>"""


@pytest.fixture
def figures(extension):
    return extension("figures")


def test_are_a_figures_colors_the_pages_and_those_in_cells_its_own(figures):
    drawn = figures.themed(PICTURE)
    ET.fromstring(drawn)
    assert 'width="96" height="48"' in drawn
    assert "fill: var(--paper)" in drawn and 'stroke="var(--query)"' in drawn
    assert 'fill="var(--ink)">a<' in drawn and 'fill="#1f2934">in a cell<' in drawn


def test_has_every_words_color_the_same_in_figures(figures):
    """The page's words and its figures say the roles in one color, in the light and in the dark."""
    style = (ROOT / "book" / "_static" / "custom.css").read_text(encoding="utf-8")
    for role in ("query", "key", "value", "weight"):
        dark = re.findall(rf"--course-{role}: (#\w+);", style)[1]
        assert figures.THEMED[role][1].lower() == dark.lower()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "book").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_does_no_description_say_dark_of_what_is_light_on_a_dark_page(path):
    said = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            about = output["metadata"].get("image/png", {}) if "metadata" in output else {}
            plain = "".join(output.get("data", {}).get("text/plain", ""))
            said += [about.get("alt", ""), about.get("caption", "")]
            said += [plain] if plain.startswith("Figure") else []
    words = r"\b(dark|light|pal|bright)(e|er|est)?\b"
    assert [text for text in said if re.search(words, text)] == []


def test_does_a_drawing_follow_the_page_and_not_the_system(browser, figures, tmp_path):
    (tmp_path / "figure.svg").write_text(figures.themed(PICTURE))
    (tmp_path / "page.html").write_text(
        '<!doctype html><html style="color-scheme: light"><body style="margin: 0">'
        '<img src="figure.svg" width="96" height="48">'
    )
    page = browser.new_page(viewport={"width": 96, "height": 48}, color_scheme="dark")
    page.goto((tmp_path / "page.html").as_uri())
    light = page.screenshot()
    page.evaluate("document.documentElement.style.colorScheme = 'dark'")
    page.wait_for_timeout(300)
    assert page.screenshot() != light
    page.evaluate("document.documentElement.style.colorScheme = 'light'")
    page.wait_for_timeout(300)
    assert page.screenshot() == light
    page.close()


def luminance(color) -> float:
    """Of a color with numbers up to 255: WCAG 2.2, relative luminance."""
    parts = np.asarray(color)[..., :3] / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def rgb(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


@pytest.fixture
def cells():
    """A heat map of every value that weights have, or every signed one, and its numbers' colors."""
    plots.use_style()

    def draw(signed: bool):
        fig, ax = plt.subplots(figsize=(14, 2))
        values = np.linspace(-1, 1, 101) if signed else np.linspace(0, 1, 101)
        plots.heatmap(ax, values[None], signed=signed)
        return plots.as_svg(fig), [text.get_color() for text in ax.texts]

    yield draw
    plt.close("all")


@pytest.mark.parametrize("signed", [False, True], ids=["weights", "signed"])
def test_can_the_numbers_in_cells_be_read_in_the_dark(figures, cells, signed):
    svg, colors = cells(signed)
    import dark_cells

    twin = re.findall(r"<image class=.dark[^>]*>", dark_cells.with_dark_cells(svg))
    (content,) = dark_cells.DATA.findall(twin[0])
    with Image.open(io.BytesIO(base64.b64decode(content))) as picture:
        grounds = luminance(np.asarray(picture.convert("RGB"))[0])
    dark = {plots.CELL_INK: "cell-ink", plots.CELL_PAPER: "cell-paper"}
    words = luminance([rgb(figures.IN_CELLS[dark[color]][1]) for color in colors])
    lighter, darker = np.maximum(grounds, words), np.minimum(grounds, words)
    assert ((lighter + 0.05) / (darker + 0.05)).min() >= 4.5  # WCAG 2.2, 1.4.3


def test_is_a_picture_of_a_digit_no_heat_map(figures):
    """Its strokes stay black on white, as the text says, on a dark page too."""
    import dark_cells

    fig, ax = plt.subplots()
    ax.imshow(np.random.default_rng(1).random((8, 8)), cmap="Greys")
    svg = plots.as_svg(fig)
    assert dark_cells.with_dark_cells(svg) == svg
    plt.close(fig)


def test_is_a_large_gray_map_a_heat_map(figures):
    """On a dark page its largest entries are the lightest, and evenly so."""
    import dark_cells

    fig, ax = plt.subplots()
    ax.imshow(np.linspace(0, 1, 61)[None].repeat(61, axis=0), cmap="Greys")
    twin = re.findall(r"<image class=.dark[^>]*>", dark_cells.with_dark_cells(plots.as_svg(fig)))
    plt.close(fig)
    (content,) = dark_cells.DATA.findall(twin[0])
    with Image.open(io.BytesIO(base64.b64decode(content))) as picture:
        steps = np.diff(np.asarray(picture.convert("L"))[0].astype(int))
    assert steps.min() >= 0 and steps.max() < 12


def test_is_a_figure_with_a_photograph_a_drawing_around_it(figures):
    """Its words in the page's colors, the photograph as it is, and what is clear stays clear."""
    rng = np.random.default_rng(1)
    photo = (rng.random((20, 20, 4)) * 0.2 + 0.4).repeat(11, axis=0).repeat(11, axis=1)
    photo[..., 3] = 1
    photo += rng.random(photo.shape) * 0.02 - 0.02
    photo[:, 100:104] = 0  # a gap
    plots.use_style()
    fig, axes = plt.subplots(1, 2)
    for ax in axes:
        ax.imshow(photo)
        ax.set_title("temple")
    drawn = figures.themed(plots.as_svg(fig))
    plt.close(fig)
    assert len(drawn) < 100_000 and "var(--ink)" in drawn
    shown = re.findall(r"data:image/(\w+);base64,([^\"]*)", drawn)
    assert [kind for kind, _ in shown] == ["webp", "webp"]
    with Image.open(io.BytesIO(base64.b64decode(shown[0][1]))) as opened:
        back = np.asarray(opened.convert("RGBA")) / 255
    assert (back[:, 100:104, 3] == 0).all()
    solid = np.delete(np.arange(220), range(96, 108))
    assert np.abs(back[:, solid, :3] - photo[:, solid, :3]).mean() < 0.02


@pytest.mark.parametrize(
    "path", sorted((ROOT / "book").glob("*.ipynb")), ids=lambda path: path.stem
)
def test_is_every_figure_of_a_chapter_a_drawing_in_the_pages_colors(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    # What the page leaves out, such as a notebook's still of the live figure, is no figure of it.
    cells = [cell for cell in cells if "remove-cell" not in cell["metadata"].get("tags", [])]
    shown = [output for cell in cells for output in cell.get("outputs", [])]
    about = [
        output["metadata"]["image/png"] for output in shown if "image/png" in output.get("data", {})
    ]
    # A stage is drawn by the page itself, from its data.
    assert [each["name"] for each in about if not {"svg", "stage"} & each.keys()] == []


def drawn_in(svg: str) -> list[str]:
    """The shapes of all letters and lines of a figure."""
    root = ET.fromstring(svg)
    for defs in root.iter("{http://www.w3.org/2000/svg}defs"):
        defs.clear()
    href = "{http://www.w3.org/1999/xlink}href"
    return sorted(
        str(element.get(href) or element.get("d") or "").split("base64")[0]
        for element in root.iter()
        if element.get(href) or element.get("d")
    )


def test_do_panels_stand_below_each_other_on_a_phone_and_is_nothing_lost(figures):
    import narrow_figures

    plots.use_style()
    fig, axes = plt.subplots(1, 2, figsize=(7, 3))
    for ax, name in zip(axes, ("left", "right"), strict=True):
        ax.plot([0, 1, 2], [1, 0, 2], label=name)
        ax.set(title=f"The {name} panel", xlabel="steps", ylabel="loss")
        ax.legend()
    fig.suptitle("Both")
    wide = plots.as_svg(fig)
    narrow = narrow_figures.stacked(wide)
    size = [float(number) for number in ET.fromstring(narrow).get("viewBox").split()]
    assert size[2] <= 300 and size[3] > 350
    paper = drawn_in(wide).count("M 0 216 L 504 216 L 504 0 L 0 0 L 0 216 z")
    kept = [shape.replace("\n", " ").split() for shape in drawn_in(wide)][paper:]
    found = [shape.split() for shape in drawn_in(narrow)]
    assert [one for one in kept if one not in found and one[0] != "M"] == []
    assert len(found) >= len(kept) - 1  # the paper alone is left out
    plt.close(fig)


def test_has_each_panel_of_a_shared_axis_its_names_on_a_phone(figures):
    import narrow_figures

    fig, axes = plt.subplots(1, 3, figsize=(8, 3), sharey=True)
    for ax in axes:
        plots.heatmap(ax, np.eye(3), rows=["one", "two", "three"])
    axes[0].set(ylabel="queries")
    wide, narrow = plots.as_svg(fig), narrow_figures.stacked(plots.as_svg(fig))
    letters = [shape for shape in drawn_in(wide) if shape.startswith("#")]
    names = 3 + 3 + 5 + 7  # letters of the names and of the label, of which two panels get a copy
    assert len([shape for shape in drawn_in(narrow) if shape.startswith("#")]) >= (
        len(letters) + 2 * names
    )
    plt.close(fig)


def test_are_one_panel_and_a_table_of_many_left_as_they_are(figures):
    import narrow_figures

    for shape in ((1, 1), (3, 1), (3, 4)):
        fig, _ = plt.subplots(*shape)
        assert narrow_figures.stacked(plots.as_svg(fig)) == ""
        plt.close(fig)
