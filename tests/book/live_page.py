"""A page on a disk with one figure in which a model works, as the build makes it."""

import json
import sys
from pathlib import Path

from lab.live import Live
from safetensors.torch import save_file
from torch import Tensor, nn

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"


def page_models():
    """The part of the build that hands models to the page."""
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    try:
        import page_models
    finally:
        sys.path.pop(0)
        sys.modules.pop("page_models", None)
    return page_models


def hand_over(file: Path, folder: Path) -> None:
    """Lay a model's scripts into the folder of a page."""
    page_models().write(file, folder / "models")


def open_bare(browser, folder: Path, file: Path):
    """A page with attention.js and this model beside it."""
    hand_over(file, folder)
    (folder / "attention.js").write_bytes((STATIC / "attention.js").read_bytes())
    (folder / "page.html").write_text("<!doctype html><script src='attention.js'></script>")
    page = browser.new_page()
    page.goto((folder / "page.html").as_uri())
    return page


def written(
    model: nn.Module | dict[str, Tensor], folder: Path, name: str, **about
) -> dict[str, str]:
    """Lay the model beside a page, as the build does; returns what the page says of it."""
    file = folder / f"{name}.safetensors"
    save_file(model if isinstance(model, dict) else model.state_dict(), file)
    file.with_suffix(".json").write_text(json.dumps(about))
    hand_over(file, folder)
    return page_models().attributes(file)


def lay_page(folder: Path, drawn: Live, said: dict[str, str]) -> str:
    """Lay a page with this figure and its scripts beside the models; returns its address."""
    scripts = []
    names = ["attention", drawn.kind, *page_models().PARTS.get(drawn.kind, ()), "live"]
    for name in names:  # in any order
        (folder / f"{name}.js").write_bytes((STATIC / f"{name}.js").read_bytes())
        scripts.append(f"<script defer src='{name}.js'></script>")
    attributes = "".join(f" data-{key}='{text}'" for key, text in said.items())
    figure = drawn._repr_html_().replace("<figure", f"<figure{attributes}")
    style = (STATIC / "custom.css").read_text()
    (folder / "page.html").write_text(
        "<!doctype html><html lang='en' data-theme='light'><meta charset='utf-8'><title>A</title>"
        f"<style>{style}</style>{''.join(scripts)}<body class='bd-content'><main>{figure}</main>"
    )
    return (folder / "page.html").as_uri()


def open_figure(browser, folder: Path, drawn: Live, said: dict[str, str], **view):
    """The page with this figure, whose model was loaded when it was seen; `asked` are requests."""
    address = lay_page(folder, drawn, said)
    page = browser.new_page(**view)
    page.set_default_timeout(60_000)
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.locator("figure[data-started]").wait_for()
    page.asked = [url for url in asked if "models/" in url]
    return page


def open_while_loading(browser, folder: Path, drawn: Live, said: dict[str, str], act, **view):
    """The page with this figure, after `act(figure)` was done while its model was on its way."""
    page = browser.new_page(**view)
    page.set_default_timeout(60_000)
    waiting, done = [], []
    page.route("**/models/*.js", lambda route: route.continue_() if done else waiting.append(route))
    page.goto(lay_page(folder, drawn, said))
    figure = page.locator("figure.live")
    figure.locator("[role=status]").first.wait_for(state="attached")
    act(figure)
    done.append(True)
    for route in waiting:
        route.continue_()
    page.locator("figure[data-started]").wait_for()
    return page
