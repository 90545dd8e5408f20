"""The chapters' shared figures and numbers, held to the formats and the rules that they serve."""

import base64
import html
import io
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from lab import plots
from lab.numbers import glue, interval
from lab.training import train
from matplotlib import pyplot as plt
from PIL import Image
from torch import nn

ROLES = ("QUERY", "KEY", "VALUE", "WEIGHT")
COLORS = {name: getattr(plots, name) for name in (*ROLES, "NEUTRAL")}
SERIES = {f"SERIES[{i}]": color for i, color in enumerate(plots.SERIES)}


def luminance(color: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


@pytest.mark.parametrize("name", COLORS | SERIES)
@pytest.mark.parametrize("page", ["#FFFFFF", "#121212"])
def test_colors_stand_out_from_light_and_dark_pages(name, page):
    dark, light = sorted((luminance((COLORS | SERIES)[name]), luminance(page)))
    assert (light + 0.05) / (dark + 0.05) >= 3  # WCAG 2, success criterion 1.4.11


def test_has_no_series_the_color_of_a_role():
    from matplotlib.colors import rgb_to_hsv, to_rgb

    for color in plots.SERIES[:-1]:  # the last is gray
        hues = [rgb_to_hsv(to_rgb(other))[0] for other in [color, *map(COLORS.get, ROLES)]]
        apart = [min(abs(hues[0] - hue), 1 - abs(hues[0] - hue)) for hue in hues[1:]]
        assert min(apart) > 10 / 360
    plots.use_style()
    assert [style["color"] for style in plt.rcParams["axes.prop_cycle"]] == plots.SERIES


def displayed(monkeypatch) -> list:
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda *args, **kwargs: shown.append(args[0]))
    return shown


def test_a_shown_figure_carries_its_description(monkeypatch):
    shown = displayed(monkeypatch)
    fig, _ = plt.subplots()
    plots.show(fig, alt="A line that rises.", name="line")
    data, metadata = shown[0]._repr_mimebundle_()
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")
    assert data["text/plain"] == "Figure: A line that rises."
    about = metadata["image/png"]
    assert (about["alt"], about["name"]) == ("A line that rises.", "line")
    assert about["svg"].startswith("<svg") and "caption" not in about
    assert not plt.fignum_exists(fig.number)


def test_a_figure_without_description_is_refused():
    with pytest.raises(ValueError, match="alt is empty"):
        plots.show(plt.figure(), alt=" ")
    plt.close("all")


def test_the_same_figure_gives_the_same_bytes(monkeypatch):
    shown = displayed(monkeypatch)
    for _ in range(2):
        fig, ax = plt.subplots()
        ax.plot([1, 2, 4])
        plots.show(fig, alt="A line.")
    assert (shown[0].png, shown[0].svg) == (shown[1].png, shown[1].svg)


def test_a_figures_colors_stay_what_they_mean(monkeypatch):
    shown = displayed(monkeypatch)
    fig, ax = plt.subplots()
    ax.imshow(np.random.default_rng(0).random((40, 40, 3)))  # far more colors than are kept
    for x, color in enumerate(COLORS.values()):
        ax.add_patch(plt.Rectangle((7 * x, 10), 6, 6, color=color))
    plots.show(fig, alt="Five colors on a noisy ground.")
    pixels = np.array(Image.open(io.BytesIO(shown[0].png)).convert("RGB"), dtype=int)
    for color in COLORS.values():
        wanted = [int(color[i : i + 2], 16) for i in (1, 3, 5)]
        assert (np.abs(pixels - wanted).max(axis=2) <= 12).sum() > 1000


@pytest.mark.parametrize("signed", [False, True])
def test_a_heatmap_writes_every_number_readably(signed):
    matrix = torch.tensor([[0.25, 0.75, float("-inf")], [1.0, 0.0, float("nan")]])
    fig, ax = plt.subplots()
    image = plots.heatmap(ax, matrix, ["a", "b"], ["x", "y", "z"], signed=signed)
    written = [text.get_text() for text in ax.texts]
    assert written == ["0.25", "0.75", "-inf", "1.00", "0.00", "nan"]
    for text, number in zip(ax.texts, matrix.flatten().tolist(), strict=True):
        ground = image.cmap(image.norm(number)) if np.isfinite(number) else (1, 1, 1, 1)
        ground = "#" + "".join(f"{round(255 * part):02x}" for part in ground[:3])
        dark, light = sorted((luminance(text.get_color()), luminance(ground)))
        assert (light + 0.05) / (dark + 0.05) >= 4.5
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    plt.close(fig)


@pytest.mark.slow
def test_glue_stores_what_myst_nb_reads():
    glue_module = pytest.importorskip("myst_nb.ext.glue")
    import nbformat
    from nbclient import NotebookClient

    source = "import torch\nfrom lab.numbers import glue\n"
    source += "glue('half', torch.tensor(0.5)); glue('who', 'Luke')\n"
    source += "glue('shown', 3, display=True); glue('share', '9.5% and 7%')"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    notebook = NotebookClient(notebook, timeout=120).execute()
    glued = dict(glue_module.extract_glue_data_cell(notebook.cells[0]))
    assert {name: output["data"]["text/plain"] for name, output in glued.items()} == {
        "half": "0.5",
        "who": "'Luke'",
        "shown": "3",
        "share": "'9.5% and 7%'",
    }
    assert [output["data"] for output in notebook.cells[0].outputs] == [{"text/plain": "3"}]


def test_glue_works_without_a_notebook(capsys):
    glue("quiet", torch.tensor([1.0, 2.0]))


def test_lab_needs_no_altair():
    code = "import sys; sys.modules['altair'] = None; import lab.plots, lab.numbers, lab.play"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def chart():
    alt = pytest.importorskip("altair")
    size = alt.param(name="size", value=2, bind=alt.binding_range(min=0, max=4, name="Size: "))
    rows = alt.Data(values=[{"word": 'it\'s <here> & "there"', "y": 2}])
    return alt.Chart(rows).mark_bar().encode(x="word:N", y="y:Q").add_params(size)


def test_a_figure_to_play_with_keeps_its_specification_whole(chart):
    from lab.play import play

    figure = play(chart, alt="A bar's <size>.", name="a-bar")
    found = {}

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag == "figure":
                found.update(attributes)

    Reader().feed(figure._repr_html_())
    spec = json.loads(found["data-spec"])
    assert spec == figure.spec
    assert spec["width"] == "container" and spec["description"] == "A bar's <size>."
    assert found["id"] == "play-a-bar"
    assert repr(figure) == "Figure to play with: A bar's <size>."


def test_a_figure_says_how_a_readers_function_computes_its_numbers(chart):
    from lab.play import play

    yours = {"exercise": "softmax", "expression": 'f("a") > 1', "as": "e", "at": "datum['i']"}
    shown = play(chart, "A bar.", "bar", yours=yours)._repr_html_()
    found = re.search(r'<figure class="play"[^>]* data-yours="([^"]*)"', shown)
    assert json.loads(html.unescape(found[1])) == yours
    assert "data-yours" not in play(chart, "A bar.", "bar")._repr_html_()


def test_its_output_does_not_change_with_altair(chart):
    from lab.play import play

    assert re.fullmatch(r".*/v\d+\.json", play(chart, "A bar.", "bar").spec["$schema"])


def test_a_figure_to_play_with_needs_description_and_plain_name(chart):
    from lab.play import play

    with pytest.raises(ValueError, match="alt is empty"):
        play(chart, alt="", name="bar")
    with pytest.raises(ValueError, match="letters, digits and hyphens"):
        play(chart, alt="A bar.", name='bar"')


@pytest.mark.parametrize("right, total", [(0, 10), (10, 10), (97, 100), (1, 3), (1987, 2000)])
def test_the_interval_is_the_one_that_scipy_computes(right, total):
    from scipy.stats import binomtest

    wanted = binomtest(right, total).proportion_ci(0.95, method="wilson")
    assert interval(right, total) == pytest.approx(tuple(wanted), abs=1e-6)


def test_training_finds_the_least_squares_solution_and_repeats_itself():
    inputs = torch.randn(64, 3, generator=torch.Generator().manual_seed(0))
    targets = inputs @ torch.tensor([1.0, -2.0, 0.5]) + 3

    def run():
        torch.manual_seed(0)
        layer = nn.Linear(3, 1)

        def loss_of(random):
            chosen = torch.randint(64, (16,), generator=random)
            return (layer(inputs[chosen])[:, 0] - targets[chosen]).square().mean()

        return layer, train(layer, loss_of, 400, learning_rate=0.1)

    layer, trained = run()
    augmented = torch.cat([inputs, torch.ones(64, 1)], dim=1)
    exact = torch.linalg.lstsq(augmented, targets[:, None]).solution[:, 0]
    found = torch.cat([layer.weight[0], layer.bias]).detach()
    torch.testing.assert_close(found, exact, rtol=0, atol=1e-2)
    assert run()[1].losses == trained.losses
    assert len(trained.losses) == 400 and trained.seconds > 0


def test_a_quick_run_takes_three_steps(monkeypatch):
    monkeypatch.setenv("ATTENTION_COURSE_QUICK", "1")
    layer = nn.Linear(2, 1)
    trained = train(layer, lambda random: layer(torch.ones(1, 2)).sum(), 500)
    assert len(trained.losses) == 3


def test_no_step_at_all_is_refused():
    with pytest.raises(ValueError, match="steps is 0"):
        train(nn.Linear(1, 1), lambda random: torch.zeros(()), 0)
