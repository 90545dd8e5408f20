"""Draw the stills that the notebooks begin with, from the figures that they store further down.

A still is the chart of the cell that the page shows first, as it stands before anything is moved;
or, where that is no chart, the picture of the cell with the tag `opening-picture`.
"""

import base64
import hashlib
import html
import io
import json
import re
import sys
from pathlib import Path

import nbformat
import vl_convert
from lab.opening import FOLDER
from lab.play import theme
from nbformat import NotebookNode
from PIL import Image
from PIL.PngImagePlugin import PngInfo

BOOK = Path(__file__).resolve().parent.parent / "book"
SHOWN_BY = ("opening-picture", "first-screen")  # tags, the first that a notebook has
OPENS = "notebook-only"  # the tag of the cell that shows the still
CHART = re.compile(r"data-spec='([^']*)'")
DRAWN_FROM = "drawn from"  # what a still says of its figure, to be compared
WIDTH = 560  # pixels of a chart that takes the page's width


def main() -> int:
    """Draw those that their figures have changed since; the exit code says whether there were."""
    drawn = 0
    for path in chapters():
        figure, still = figure_of(path), FOLDER / f"{path.stem}.png"
        if not still.exists() or drawn_from(still) != digest(figure):
            still.parent.mkdir(exist_ok=True)
            draw(figure, still)
            print(
                f"{still.name} is drawn anew: run make/notebooks.py {path.relative_to(BOOK.parent)}"
            )
            drawn += 1
    return 1 if drawn else 0


def chapters() -> list[Path]:
    """The notebooks that begin with a still."""
    return [path for path in sorted(BOOK.glob("*.ipynb")) if f'"{OPENS}"' in path.read_text()]


def figure_of(path: Path) -> str:
    """What a notebook's still is drawn from: a chart's specification, or a picture in base64."""
    cells = nbformat.read(path, as_version=4).cells
    for tag in SHOWN_BY:
        for cell in cells:
            if tag in cell.metadata.get("tags", []):
                return shown(cell)
    raise LookupError(f"{path.name}: no cell has a figure to begin with")


def shown(cell: NotebookNode) -> str:
    (data,) = [output.data for output in cell.outputs if "data" in output]
    chart = CHART.search(data.get("text/html", ""))
    return html.unescape(chart[1]) if chart else data["image/png"]


def digest(figure: str) -> str:
    return hashlib.sha256(figure.encode()).hexdigest()[:16]


def drawn_from(still: Path) -> str:
    with Image.open(still) as picture:
        return picture.info.get(DRAWN_FROM, "")


def draw(figure: str, still: Path) -> None:
    """Write the still as PNG in 256 colors, on white: a notebook may be dark."""
    if figure.startswith("{"):
        chart = json.loads(figure)
        if chart.get("width") == "container":
            chart["width"] = WIDTH
        look = theme() | {"background": "white"}
        drawn = vl_convert.vegalite_to_png(chart, config=look, scale=1.5)
    else:
        drawn = base64.b64decode(figure)
    colors = Image.open(io.BytesIO(drawn)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    about = PngInfo()
    about.add_text(DRAWN_FROM, digest(figure))
    colors.save(still, optimize=True, pnginfo=about)


if __name__ == "__main__":
    sys.exit(main())
