"""A figure of several panels side by side as a phone shows it: the panels below each other.

Matplotlib writes each panel as a group of its own. Each becomes a picture within the picture, cut
to what it draws. Panels that share the names on an axis get a copy of them.
"""

import copy
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field

from fontTools.misc.transform import Transform

SVG = "http://www.w3.org/2000/svg"
WIDTH = 275  # points, which a phone shows in about their own size
MOST_PANELS = 6
GAP, MARGIN = 10, 3
SAME = 2  # points that edges may differ by
COLOR_BAR = 0.05  # of the figure's width: what is narrower belongs to the panel before it
LETTER = (65, 76)  # about the size of one, in hundredths of the font's
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
TRANSFORM = re.compile(r"(\w+)\(([^)]*)\)")

Point = tuple[float, float]

ET.register_namespace("", SVG)
ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")


@dataclass
class Area:
    """A rectangle, as large as what was put into it."""

    left: float = math.inf
    top: float = math.inf
    right: float = -math.inf
    bottom: float = -math.inf

    def add(self, x: float, y: float) -> None:
        self.left, self.right = min(self.left, x), max(self.right, x)
        self.top, self.bottom = min(self.top, y), max(self.bottom, y)

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass
class Panel:
    """A panel: its groups (a color bar's too), the area of its axes, and all that it draws."""

    groups: list[ET.Element]
    axes: Area
    drawn: Area = field(default_factory=Area)


def stacked(svg: str) -> str:
    """The figure with its panels below each other; empty where it has one column, or no order."""
    root = ET.fromstring(svg)
    figure = next(child for child in root if child.get("id", "").startswith("figure"))
    clips = {
        path.get("id"): area_of(path, {})
        for path in root.iter(f"{{{SVG}}}clipPath")
    }  # fmt: skip
    whole = float(root.get("viewBox").split()[2])
    panels, others = parts(figure, clips, whole)
    if not in_order(panels):
        return ""
    name_axes(panels)
    pieces: list[tuple[list[ET.Element], Area]] = []
    for panel in panels:
        panel.drawn = joined(panel.groups, clips)
        pieces.append((panel.groups, panel.drawn))
    top = min(panel.drawn.top for panel in panels)
    above: list[tuple[list[ET.Element], Area]] = []
    for other in others:
        for group in entries(other):
            area = joined(group, clips)
            if area.width > 0:
                (above if area.top < top else pieces).append((group, area))
    return written(root, above + pieces)


def entries(other: ET.Element) -> list[list[ET.Element]]:
    """A legend's entries, each a line or a mark and its words; all else as it is."""
    if not other.get("id", "").startswith("legend_"):
        return [[other]]
    groups: list[list[ET.Element]] = [[]]
    for part in other:
        if part.get("id", "").startswith("patch_") and part is other[0] and len(other) % 2:
            continue  # its frame
        groups[-1].append(part)
        if part.get("id", "").startswith("text_"):
            groups.append([])
    return [group for group in groups if group]


def parts(
    figure: ET.Element, clips: dict[str, Area], whole: float
) -> tuple[list[Panel], list[ET.Element]]:
    """A figure's panels, and what belongs to none: its title, its legend."""
    panels: list[Panel] = []
    others = []
    for group in figure:
        if not group.get("id", "").startswith("axes_"):
            others.append(group)
            continue
        ground = next((one for one in group if one.get("id", "").startswith("patch_")), group)
        axes = area_of(ground, clips)
        if panels and axes.width < COLOR_BAR * whole:
            panels[-1].groups.append(group)
        else:
            panels.append(Panel([group], axes))
    return panels, others[1:]  # the first is the paper


def in_order(panels: list[Panel]) -> bool:
    """Whether panels stand in a row, or in rows of the same columns."""
    if not 2 <= len(panels) <= MOST_PANELS:
        return False
    rows = sorted({round(panel.axes.top / SAME / 2) for panel in panels})
    columns = sorted({round(panel.axes.left / SAME / 2) for panel in panels})
    return len(columns) > 1 and len(rows) * len(columns) == len(panels)


def name_axes(panels: list[Panel]) -> None:
    """Copy the names on an axis to the panels that share it: from the left, and from below."""
    for panel in panels:
        for axis, beside in (("matplotlib.axis_2", in_row), ("matplotlib.axis_1", in_column)):
            if names_of(panel, axis):
                continue
            for other in panels:
                if beside(panel.axes, other.axes) and (found := names_of(other, axis)):
                    across = panel.axes.left - other.axes.left
                    down = panel.axes.bottom - other.axes.bottom
                    group = ET.Element(
                        f"{{{SVG}}}g", transform=f"translate({across:.2f} {down:.2f})"
                    )
                    group.extend(copy.deepcopy(found))
                    panel.groups.append(group)
                    break


def in_row(area: Area, other: Area) -> bool:
    return abs(area.top - other.top) < SAME and abs(area.bottom - other.bottom) < SAME


def in_column(area: Area, other: Area) -> bool:
    return abs(area.left - other.left) < SAME and abs(area.right - other.right) < SAME


def names_of(panel: Panel, axis: str) -> list[ET.Element]:
    """The words on an axis."""
    for group in panel.groups[0]:
        # Matplotlib counts on: a figure's second panel has matplotlib.axis_3 and axis_4.
        if group.get("id", "").startswith("matplotlib.axis_"):
            number = int(group.get("id").rpartition("_")[2])
            if number % 2 == int(axis[-1]) % 2:
                return [one for one in group.iter() if one.get("id", "").startswith("text_")]
    return []


def joined(groups: list[ET.Element], clips: dict[str, Area]) -> Area:
    area = Area()
    for group in groups:
        for point in points(group, Transform(), clips):
            area.add(*point)
    return area


def area_of(element: ET.Element, clips: dict[str, Area]) -> Area:
    return joined([element], clips)


def points(element: ET.Element, matrix: Transform, clips: dict[str, Area]) -> Iterator[Point]:
    """Points at the edges of all that an element draws."""
    kind = element.tag.rpartition("}")[2]
    if kind in {"defs", "style"}:
        return
    if clip := clips.get(element.get("clip-path", "").removeprefix("url(#").removesuffix(")")):
        yield (clip.left, clip.top)
        yield (clip.right, clip.bottom)
        return
    matrix = with_change(matrix, element.get("transform", ""))
    x, y = float(element.get("x", 0)), float(element.get("y", 0))
    corners: list[Point] = []
    if kind == "path":
        numbers = [float(number) for number in NUMBER.findall(element.get("d", ""))]
        corners = list(zip(numbers[::2], numbers[1::2], strict=False))
    elif kind in {"image", "rect"}:
        right, bottom = x + float(element.get("width", 0)), y + float(element.get("height", 0))
        corners = [(x, y), (right, bottom), (x, bottom), (right, y)]
    elif kind == "use":
        letter = "x" not in element.attrib
        wide, high = LETTER if letter else (0, 0)
        corners = [(x, y), (x + wide, y + high)]
    yield from matrix.transformPoints(corners)
    for child in element:
        yield from points(child, matrix, clips)


def with_change(matrix: Transform, change: str) -> Transform:
    """What an SVG's `transform` says, within what holds already."""
    for kind, said in TRANSFORM.findall(change):
        numbers = [float(number) for number in NUMBER.findall(said)]
        match kind:
            case "translate":
                matrix = matrix.translate(*numbers)
            case "scale":
                matrix = matrix.scale(*numbers)
            case "rotate":
                matrix = matrix.rotate(math.radians(numbers[0]))
            case _:
                matrix = matrix.transform(numbers)
    return matrix


def written(root: ET.Element, pieces: list[tuple[list[ET.Element], Area]]) -> str:
    """The pieces from left to right while there is room, and from top to bottom."""
    picture = ET.Element(f"{{{SVG}}}svg", version="1.1")
    picture.extend(child for child in root if child.tag == f"{{{SVG}}}defs")
    x = y = line = 0.0
    for groups, area in pieces:
        wide, high = area.width + 2 * MARGIN, area.height + 2 * MARGIN
        scale = min(1.0, WIDTH / wide)
        if x and x + wide * scale > WIDTH:
            x, y, line = 0.0, y + line + GAP, 0.0
        place = {"x": x, "y": y, "width": wide * scale, "height": high * scale}
        piece = ET.SubElement(
            picture,
            f"{{{SVG}}}svg",
            {name: f"{number:.2f}" for name, number in place.items()},
            viewBox=f"{area.left - MARGIN:.2f} {area.top - MARGIN:.2f} {wide:.2f} {high:.2f}",
        )
        piece.extend(groups)
        x, line = x + wide * scale + GAP, max(line, high * scale)
    height = y + line
    picture.set("width", f"{WIDTH}pt")
    picture.set("height", f"{height:.2f}pt")
    picture.set("viewBox", f"0 0 {WIDTH} {height:.2f}")
    text = ET.tostring(picture, encoding="unicode")
    return text.replace("&#10;", " ")  # breaks in paths and data
