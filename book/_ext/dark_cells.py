"""Heat maps on a dark page: from dark to light, where on a light page they go from white to dark.

A heat map is a picture within the figure, one pixel a cell, in the colors of one of the course's
maps. A second one in the same map's dark colors lies beside it, and the page's theme shows one of
the two. The numbers in the cells change with them.
"""

import base64
import io
import re

import numpy as np
from lab.plots import (
    CELL_INK,
    CELL_PAPER,
    KEY,
    NEUTRAL,
    PAPER,
    QUERY,
    SIGNED_MAP,
    VALUE,
    WEIGHT,
    WEIGHT_MAP,
)
from matplotlib import colormaps
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb
from PIL import Image

PICTURE = re.compile(r"<image [^>]*?/>")
DATA = re.compile(r"data:image/png;base64,([^\"]*)")
NEAR = 6  # of 255: a color so near to a map's is the map's
DIGITS = 32  # pixels: no picture of digits is larger
STEPS = 256  # colors of a map

# Numbers are dark on the lighter half of a map; where that half ends, its dark colors leap.
DARK_WEIGHTS = LinearSegmentedColormap.from_list(
    "dark weights",
    [
        (0, "#121212"),
        (0.2, "#341D2C"),
        (0.4, "#552B46"),
        (0.569, "#743659"),
        (0.572, "#CC7BAA"),
        (0.8, "#E9B3D3"),
        (1, "#FDF0F8"),
    ],
)
DARK_SIGNED = LinearSegmentedColormap.from_list(
    "dark signed",
    [
        (0, "#E2F3FE"),
        (0.17, "#7DC4F3"),
        (0.243, "#58A6DC"),
        (0.247, "#1F5F8C"),
        (0.35, "#1B4460"),
        (0.5, "#121212"),
        (0.66, "#57321A"),
        (0.792, "#7F4312"),
        (0.795, "#E58A4F"),
        (0.83, "#FF9D5C"),
        (1, "#FFEBDC"),
    ],
)
DARK_GRAYS = LinearSegmentedColormap.from_list(
    "dark grays", [(0, "#121212"), (0.534, "#5C636B"), (0.536, "#98A0A8"), (1, "#F2F4F6")]
)
DARK_PAPER = "#121212"
# From paper to one color (in the light, in the dark): chapter 5 draws queries, keys and values so.
SHADES = {
    QUERY: "#6DB9EE",
    KEY: "#FF9D5C",
    VALUE: "#3FC79A",
    WEIGHT: "#E39CC8",
    NEUTRAL: "#9AA3AF",
}
BOLD = 0.7  # above it, that chapter's numbers are light on a light page


def shades(color: str) -> Colormap:
    """From dark paper to a color, with a leap where the numbers change theirs."""
    paper, full = np.array(to_rgb(DARK_PAPER)), np.array(to_rgb(color))

    def mixed(part: float) -> np.ndarray:
        return paper + part * (full - paper)

    places = [(0, paper), (BOLD - 0.005, mixed(0.4)), (BOLD + 0.005, mixed(0.85)), (1, full)]
    return LinearSegmentedColormap.from_list("dark shades", places)


GRAYS = (colormaps["Greys"], DARK_GRAYS)
EVEN_GRAYS = (  # where there are no numbers
    colormaps["Greys"],
    LinearSegmentedColormap.from_list("even grays", [DARK_PAPER, "#F2F4F6"]),
)
MAPS = [
    (WEIGHT_MAP, DARK_WEIGHTS),
    (SIGNED_MAP, DARK_SIGNED),
    *((LinearSegmentedColormap.from_list("", [PAPER, at]), shades(SHADES[at])) for at in SHADES),
]


def table(colors: Colormap) -> np.ndarray:
    return (255 * colors(np.arange(STEPS))[:, :3]).round()


def darkened(pixels: np.ndarray, maps: list[tuple[Colormap, Colormap]]) -> np.ndarray | None:
    """The pixels in the dark colors of their map; nothing where they are of none."""
    seen = pixels[..., 3] > 0
    used, back = np.unique(pixels[seen][:, :3], axis=0, return_inverse=True)
    if not len(used) or len(used) > 5000:
        return None
    for light, dark in maps:
        apart = np.abs(used[:, None, :].astype(float) - table(light)[None]).max(axis=2)
        if apart.min(axis=1).max() <= NEAR:
            copy = pixels.copy()
            copy[seen, :3] = table(dark)[apart.argmin(axis=1)][back.reshape(-1)]
            return copy
    return None


def with_dark_cells(svg: str) -> str:
    """A figure with a dark twin of each heat map; as it is where a picture is none."""
    twins = {}
    # What is small, gray and without numbers is a picture of digits: black strokes on white, as the
    # text says.
    numbers = re.search(f"{CELL_INK}|{CELL_PAPER}", svg, re.IGNORECASE)
    for tag in PICTURE.findall(svg):
        if not DATA.search(tag):
            return svg  # a photograph
        content = base64.b64decode(DATA.search(tag)[1])
        with Image.open(io.BytesIO(content)) as opened:
            grays = [GRAYS] if numbers else [EVEN_GRAYS] if max(opened.size) > DIGITS else []
            picture = darkened(np.asarray(opened.convert("RGBA")), [*MAPS, *grays])
        if picture is None:
            return svg
        written = io.BytesIO()
        Image.fromarray(picture).save(written, format="png", optimize=True)
        data = base64.b64encode(written.getvalue()).decode()
        twin = DATA.sub(f"data:image/png;base64,{data}", tag)
        twin = re.sub(r' id="[^"]*"', "", twin)
        twins[tag] = tag.replace("<image ", '<image class="light" ') + twin.replace(
            "<image ", '<image class="dark" '
        )
    for tag, both in twins.items():
        svg = svg.replace(tag, both)
    return svg
