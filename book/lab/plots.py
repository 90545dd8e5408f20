"""One look for every figure: colors with a meaning, and pictures that come with a description.

Colors mean the same thing in the whole course: a query is blue, a key orange, a value green,
a weight magenta. Whatever is none of these has a color of `SERIES`. All can be told apart without
color vision by lightness or by their lines, and stand out from a white page and from a dark one.
"""

import base64
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LinearSegmentedColormap

if TYPE_CHECKING:  # loading them takes a third of a second, which a notebook's check has not
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

QUERY = "#0072B2"
KEY = "#D55E00"
VALUE = "#009E73"
WEIGHT = "#C0609A"
NEUTRAL = "#6B7280"
INK = "#1F2933"
PAPER = "#FFFFFF"
SERIES = ["#7A68C8", "#9A7D00", "#C23B4B", "#2F8796", NEUTRAL]  # models, runs, layers, ...
# Numbers on colored cells: the page turns ink and paper around in the dark, but not these.
CELL_INK, CELL_PAPER = "#1F2934", "#FFFFFE"
PIXELS = re.compile(r'data:image/png;base64,([^"]*)')
COLORS_OF_A_MAP = 257  # and the clear one

WEIGHT_MAP = LinearSegmentedColormap.from_list(
    "weight", [PAPER, "#F3DCEA", "#E0A8CB", WEIGHT, "#7C2E60", "#451533"]
)
SIGNED_MAP = LinearSegmentedColormap.from_list(
    "signed", ["#003E63", QUERY, "#A9D3EC", PAPER, "#F7C9A3", KEY, "#7A3600"]
)


def use_style() -> None:
    """Give every figure drawn from here on the course's look."""
    for colors in (WEIGHT_MAP, SIGNED_MAP):
        if colors.name not in mpl.colormaps:
            mpl.colormaps.register(colors)
    mpl.rcParams.update(
        {
            "figure.figsize": (7.0, 3.6),
            "figure.dpi": 110,
            "figure.facecolor": PAPER,
            "figure.constrained_layout.use": True,
            "savefig.facecolor": PAPER,
            "font.family": ["DejaVu Sans"],
            "font.size": 11,
            "text.color": INK,
            "axes.labelcolor": INK,
            "axes.edgecolor": NEUTRAL,
            "axes.titlesize": 12,
            "axes.titlelocation": "left",
            "axes.titlepad": 10,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.axisbelow": True,
            "axes.prop_cycle": mpl.cycler(  # type: ignore[attr-defined]
                color=SERIES,
                linestyle=["-", "--", "-.", ":", (0, (5, 1))],
            ),
            "grid.color": "#D9DEE4",
            "lines.linewidth": 2.0,
            "lines.markersize": 7,
            "legend.frameon": False,
            "xtick.color": INK,
            "ytick.color": INK,
            "image.cmap": WEIGHT_MAP.name,
        }
    )


class Picture:
    """A PNG with its description: `image/png` for the eyes, `text/plain` for everyone else.

    The description travels in the output's metadata as well, where the book (and nbconvert)
    find the `alt` of the page's image. So do the caption, and the same figure as SVG, which the
    page shows in its own colors.
    """

    def __init__(
        self, png: bytes, alt: str, name: str | None = None, caption: str = "", svg: str = ""
    ):
        self.png, self.alt, self.name, self.caption, self.svg = png, alt, name, caption, svg

    def __repr__(self) -> str:
        return f"Figure: {self.alt}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {"text/plain": repr(self), "image/png": base64.b64encode(self.png).decode()}
        about = {"alt": self.alt, "name": self.name, "caption": self.caption, "svg": self.svg}
        metadata = {key: text for key, text in about.items() if text}
        return data, {"image/png": metadata}


def show(fig: "Figure", alt: str, name: str | None = None, caption: str = "") -> None:
    """Display a figure with a description of what it shows, and close it.

    `alt` says in a sentence or two what a reader learns from the picture; `name` is a short
    stable name of the figure, `caption` what stands below it beside its number. Raises ValueError
    if `alt` is empty.
    """
    if not alt.strip():
        raise ValueError("show: a figure needs a description; alt is empty")
    from IPython.display import display

    png, svg = as_png(fig), as_svg(fig)
    plt.close(fig)
    display(Picture(png, alt, name, caption, svg))


def as_png(fig: "Figure") -> bytes:
    """A figure as PNG in 256 colors: it looks the same and has a third of the bytes."""
    from PIL import Image

    drawn, png = io.BytesIO(), io.BytesIO()
    fig.savefig(drawn, format="png", dpi=144)
    colors = Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    colors.save(png, format="png", optimize=True)
    return png.getvalue()


def as_svg(fig: "Figure") -> str:
    """A figure as SVG, the same text every time; empty where it would be larger than 200 kB."""
    from matplotlib.image import AxesImage

    for image in fig.findobj(AxesImage):
        image.set_interpolation("none")  # the matrix itself, not a photograph of it
    drawn = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "course"}):
        fig.savefig(drawn, format="svg", facecolor="none", metadata={"Date": None})
    text = re.sub(r"<metadata>.*?</metadata>|<\?.*?\?>|<!.*?>", "", drawn.getvalue(), flags=re.S)
    # Places to a hundredth of a point. What is below one may be a scale, and stays.
    text = re.sub(r"[1-9]\d*\.\d{3,}", lambda found: f"{float(found[0]):.2f}", text)
    text = re.sub(r">\s+<", "><", text).strip()
    text = PIXELS.sub(lambda found: photograph(found[1]) or found[0], text)
    return text if len(text) <= 200_000 else ""


def photograph(png: str) -> str:
    """A photograph's data as WebP, a sixth the size; empty for a matrix in a map's colors."""
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        if picture.convert("RGBA").getcolors(COLORS_OF_A_MAP) is not None:
            return ""
        written = io.BytesIO()
        picture.save(written, format="webp", quality=90, method=6)
    return f"data:image/webp;base64,{base64.b64encode(written.getvalue()).decode()}"


def heatmap(
    ax: "Axes",
    matrix: Any,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    title: str = "",
    row_label: str = "",
    column_label: str = "",
    form: str | None = ".2f",
    signed: bool = False,
    low: float | None = None,
    high: float | None = None,
    colors: str | LinearSegmentedColormap | None = None,
) -> "AxesImage":
    """Draw a matrix with its row and column names, each cell with its number.

    `matrix` is anything of shape (rows, columns): a tensor, an array, nested lists. `form` is the
    numbers' format, None leaves them out. Weights (the default) go from white to dark magenta, from
    0 to 1 unless `low` and `high` say otherwise; `signed` ones from blue over white to orange,
    symmetric about zero. `colors` names another map, for what is neither: "Greys" for shares.
    `-inf` and NaN are left white with their name in the cell.
    Returns the image, for a color bar.
    """
    if hasattr(matrix, "detach"):
        matrix = matrix.detach().cpu().numpy()
    matrix = np.asarray(matrix, dtype=float)
    finite = np.isfinite(matrix)
    if signed:
        reach = np.abs(matrix[finite]).max(initial=0.0) or 1.0
        low, high = (-reach if low is None else low), (reach if high is None else high)
    else:
        low, high = (0.0 if low is None else low), (1.0 if high is None else high)
    colors = colors or (SIGNED_MAP if signed else WEIGHT_MAP)
    image = ax.imshow(
        np.where(finite, matrix, np.nan), cmap=colors, vmin=low, vmax=high, aspect="auto"
    )
    height, width = matrix.shape
    ax.set_xticks(range(width), columns if columns is not None else [str(i) for i in range(width)])
    ax.set_yticks(range(height), rows if rows is not None else [str(i) for i in range(height)])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(width + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(height + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="#E3E7EC", linewidth=1)
    ax.tick_params(which="minor", length=0)
    ax.set(title=title, xlabel=column_label, ylabel=row_label)
    if form is not None:
        for i in range(height):
            for j in range(width):
                number = matrix[i, j]
                words = format(number, form) if finite[i, j] else str(number)
                r, g, b, _ = image.cmap(image.norm(number)) if finite[i, j] else (1, 1, 1, 1)
                dark = 0.299 * r + 0.587 * g + 0.114 * b < 0.55
                ax.text(
                    j, i, words, ha="center", va="center", color=CELL_PAPER if dark else CELL_INK
                )
    return image
