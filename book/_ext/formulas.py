"""Formulas drawn when the book is built: MathML, which browsers draw and screen readers read.

`math-core` turns LaTeX into MathML, so a page needs no script for its formulas. Their font is cut
down to the characters that the book uses.
"""

import html
import importlib.util
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from fontTools import subset
from fontTools.ttLib import TTFont
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator
from spoken import spoken

log = logging.getLogger(__name__)

# Each role's macro, and the color that stands for the role until it becomes a class.
ROLES = {"q": "query", "k": "key", "v": "value", "w": "weight"}
STAND_INS = {"q": "Cyan", "k": "Magenta", "v": "Green", "w": "Orange"}
MACROS = {macro: f"\\textcolor{{{color}}}{{#1}}" for macro, color in STAND_INS.items()}
MACROS |= {"R": r"\mathbb{R}", "softmax": r"\operatorname{softmax}"}
COLORED = re.compile(r'style="(color:#[0-9A-F]{6});"')
EXTRA_SPACE = re.compile(
    r"(\\\\)\[[\d.]+(?:ex|em|pt)\]"
)  # after a line, which math-core does not know
ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}(?:(?!\\begin).)*?\\end\{\1\}", re.DOTALL)
NAMES = ("quiz_label", "quiz_question", "exercise_title")
TAG = re.compile(r"<[^>]+>")
LONG = 36  # characters
PUNCTUATION = re.compile(r"[.,;:!?)]+")

FONT = "course-math.woff"
RADICAL = "\N{SQUARE ROOT}"
TEXT = re.compile(r"<math[ >].*?</math>", re.DOTALL)
# A letter that stands alone is drawn in italics, which are characters of their own.
ITALICS = {chr(0x61 + i): 0x1D44E + i for i in range(26)} | {"h": 0x210E}
ITALICS |= {chr(0x41 + i): 0x1D434 + i for i in range(26)}
ITALICS |= {chr(0x3B1 + i): 0x1D6FC + i for i in range(25)}
ITALICS |= {chr(0x391 + i): 0x1D6E2 + i for i in range(25)}


@cache
def converter() -> tuple[LatexToMathML, dict[str, str]]:
    """The converter, and the class of each color that stands for a role."""
    latex = LatexToMathML(macros=MACROS, fancy_error=False)
    classes = {}
    for macro, role in ROLES.items():
        drawn = latex.convert_with_local_state(f"\\{macro}{{x}}", displaystyle=False)
        classes[COLORED.search(drawn)[1]] = role
    return latex, classes


def mathml(formula: str, display: bool = False) -> str:
    """A formula as MathML, roles as classes. Raises LatexError where it is not LaTeX."""
    made, classes = converter()
    formula = EXTRA_SPACE.sub(r"\1", formula)
    drawn = made.convert_with_local_state(formula, displaystyle=display)
    return COLORED.sub(lambda match: f'class="{classes[match[1]]}"', drawn)


def in_lines(formula: str) -> str:
    """A formula whose lines are broken outside any environment, within one."""
    rest, replaced = formula, 1
    while replaced:
        rest, replaced = ENVIRONMENT.subn("", rest)
    return rf"\begin{{aligned}}{formula}\end{{aligned}}" if r"\\" in rest else formula


def draw(node: nodes.Node, display: bool = False) -> str:
    try:
        return mathml(in_lines(node.astext()) if display else node.astext(), display)
    except LatexError as error:
        log.warning("a formula is not understood: %s in %r", error, node.astext(), location=node)
        return ""


def names_something(node: nodes.Node) -> bool:
    """Whether a formula is part of the name of a control, a link or a heading."""
    while (node := node.parent) is not None:
        if isinstance(node, nodes.title | nodes.reference) or type(node).__name__ in NAMES:
            return True
    return False


def keep_together(app: Sphinx, doctree: nodes.document) -> None:
    """Let no line begin with the comma after a formula: browsers break a line there."""
    for formula in list(doctree.findall(nodes.math)):
        place = formula.parent.index(formula) + 1
        text = formula.parent[place] if place < len(formula.parent) else None
        match = PUNCTUATION.match(text) if isinstance(text, nodes.Text) else None
        if match:
            parent, rest = formula.parent, nodes.Text(text[match.end() :])
            both = nodes.inline("", "", formula.deepcopy(), nodes.Text(match[0]), classes=["nobr"])
            parent[place - 1 : place + 1] = [both, rest]


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    drawn = draw(node)
    if names_something(node):
        drawn = drawn.replace("<math", f'<math aria-label="{html.escape(spoken(drawn))}"', 1)
    # A formula within a line is never broken: a long one scrolls where the window is narrow.
    long = len(TAG.sub("", drawn)) > LONG
    self.body.append(f'<span class="long-formula">{drawn}</span>' if long else drawn)
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append(draw(node, display=True) + "</div>\n")
    raise nodes.SkipNode


def characters(site: Path) -> set[int]:
    """The characters in the formulas of all pages, upright and in italics."""
    texts = (page.read_text(encoding="utf-8") for page in site.glob("*.html"))
    used = {letter for text in texts for formula in TEXT.findall(text) for letter in formula}
    used |= {RADICAL}  # a root's sign, which stands in no element
    return set(map(ord, used)) | {ITALICS[letter] for letter in used if letter in ITALICS}


def write_font(app: Sphinx, error: Exception | None) -> None:
    """Write the font of the formulas, STIX Two Math from `ziamath`."""
    if error or app.builder.format != "html":
        return
    package = Path(importlib.util.find_spec("ziamath").origin).parent
    font = TTFont(package / "fonts" / "STIXTwoMath-Regular.ttf")
    # What is drawn smaller in an index or an exponent has a shape of its own (ssty).
    options = subset.Options(layout_features=["ssty", "dtls"], notdef_outline=True, hinting=False)
    maker = subset.Subsetter(options)
    maker.populate(unicodes=characters(Path(app.outdir)))
    maker.subset(font)
    font.flavor = "woff"
    font.save(Path(app.outdir) / "_static" / FONT)


def setup(app: Sphinx) -> dict:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("doctree-read", keep_together, priority=900)
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
