"""MyST in Markdown cells to the plain Markdown that Jupyter, VS Code and Colab show.

Boxes become block quotes, hints become `<details>`, references become text or links to the
published book. Formulas stay as they are. What has no plain form here stops the release.
"""

import html
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from docutils.nodes import make_id
from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from nbformat import NotebookNode

from autograder.errors import ReleaseError
from autograder.release.book import Book, Label, link
from autograder.release.chapter import ChapterNotebook

TITLED_BOX = "admonition"
BOXES = ("attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning")
DROPPED = {"bibliography", "contents", "glossary", "literalinclude", "tableofcontents", "toctree"}

BLOCKS = MarkdownIt("commonmark").use(colon_fence_plugin)
DIRECTIVE = re.compile(r"\{(?P<name>[\w:-]+)\}\s*(?P<argument>.*)", re.DOTALL)
ROLE_CODE_OR_LINK = re.compile(
    r"\{(?P<role>[A-Za-z][\w:+-]*)\}(?P<marks>`+)(?P<target>.+?)(?<!`)(?P=marks)(?!`)"
    r"|(?P<code>`+)(?!`).+?(?<!`)(?P=code)(?!`)"
    r"|(?P<picture>!?)\[(?P<text>(?:[^\[\]`]|`[^`]*`)*)\]\((?P<link>[^()\s]+)\)",
    re.DOTALL,
)
OPTIONS = re.compile(r"\A(?:---\n.*?^---$|(?:\s*:[\w-]+:[^\n]*)+)", re.DOTALL | re.MULTILINE)
TITLED = re.compile(r"(?P<title>.*?)\s*<(?P<target>[^<>]+)>", re.DOTALL)
FORMULA_AND_LABEL = re.compile(r"(\$\$.+?\$\$)(?: *\([\w:.-]+\))?", re.DOTALL)
ATTRIBUTES = re.compile(r"(?<=[)`])\{[.#][^{}\n]*\}")
ONLY_FOR_MYST = re.compile(r"^(\([^()\s]+\)=|%.*|\+\+\+.*)$\n?", re.MULTILINE)


def simplify_markdown(chapter: ChapterNotebook) -> None:
    """Translate every Markdown cell; drop the cells of which nothing is left."""
    glued = glued_values(chapter.original)
    cells = []
    for cell in chapter.notebook.cells:
        if cell.cell_type == "markdown":
            where = f"{chapter.name}: cell {cell.id!r}"
            cell.source = Translation(chapter.book, chapter.name, glued, where)(cell.source)
            if not cell.source:
                continue
        cells.append(cell)
    chapter.notebook.cells = cells


def glued_values(notebook: NotebookNode) -> dict[str, str]:
    """The values that the chapter's cells keep under a name, as text."""
    values = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            name = output.get("metadata", {}).get("scrapbook", {}).get("name")
            for kind, text in output.get("data", {}).items():
                if name and kind.endswith("text/plain"):
                    text = text if isinstance(text, str) else "".join(text)
                    values[name] = text.strip("'\"")
    return values


@dataclass(frozen=True)
class Directive:
    """A fenced block: its name, what stands beside the name, its text."""

    name: str
    argument: str
    body: str


@dataclass(frozen=True)
class Choice:
    """What can be chosen, and what there is to say to it."""

    label: str
    why: str
    right: bool


@dataclass(frozen=True)
class Quiz:
    """A self-test question."""

    question: str
    choices: tuple[Choice, ...]
    lines: tuple[str, ...]  # as they are written

    @classmethod
    def of(cls, block: Directive) -> "Quiz":
        """A block taken apart."""
        question, *parts = re.split(r"^- (?=\[[x ]\] )", block.body, flags=re.MULTILINE)
        choices = []
        for part in parts:
            label, _, why = textwrap.dedent("  " + part).partition("\n\n")
            choices.append(Choice(label[4:], why.strip(), label.startswith("[x]")))
        lines = (*filter(None, [block.argument]), *block.body.split("\n"))
        return cls(f"{block.argument}\n\n{question}".strip(), tuple(choices), lines)


def quizzes(text: str, kind: str = "quiz") -> Iterator[Quiz]:
    """The self-test questions of a text, those inside other blocks too."""
    for token in BLOCKS.parse(text):
        if found := DIRECTIVE.match(token.info.strip()):
            if found["name"] == kind:
                yield Quiz.of(_directive(found, token.content))
            else:
                yield from quizzes(token.content, kind)


@dataclass
class Translation:
    """The translation of one cell."""

    book: Book
    page: str
    glued: dict[str, str]
    where: str
    questions: int = 0  # so far

    def __call__(self, text: str) -> str:
        """The text in plain Markdown."""
        lines = text.split("\n")
        pieces, done = [], 0
        for token in BLOCKS.parse(text):
            start, end = token.map or (0, 0)
            if token.type not in ("fence", "colon_fence") or start < done:
                continue
            pieces.append(self.prose("\n".join(lines[done:start])))
            match = DIRECTIVE.match(token.info.strip())
            if match:
                first = lines[start]
                indent = first[: len(first) - len(first.lstrip())]
                block = self.directive(_directive(match, token.content))
                pieces.append(
                    "\n".join(indent + line if line else "" for line in block.split("\n"))
                )
            else:
                pieces.append("\n".join(lines[start:end]))
            done = end
        pieces.append(self.prose("\n".join(lines[done:])))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(pieces)).strip()

    def directive(self, block: Directive) -> str:
        """A fenced block in plain Markdown."""
        if block.name == TITLED_BOX:
            return _quote(self.prose(block.argument), self(block.body))
        if block.name in BOXES:
            body = self(f"{block.argument}\n{block.body}".strip())
            return _quote(block.name.capitalize(), body)
        if block.name in DROPPED:
            return ""
        if block.name not in self.directives:
            raise ReleaseError(
                f"{self.where} has a {{{block.name}}} block, for which there is no plain Markdown; "
                f"write it in another way or teach autograder/release/recipe/simplify_markdown.py."
            )
        return self.directives[block.name](block)

    @cached_property
    def directives(self) -> dict[str, Callable[[Directive], str]]:
        return {
            "dropdown": self._dropdown,
            "exercise": self._exercise,
            "quiz": self._quiz,
        }

    def _dropdown(self, block: Directive) -> str:
        body = self(block.body)
        if not body:  # the folded reference
            return ""
        summary = html.escape(self.prose(block.argument), quote=False)
        summary = re.sub(r"`+([^`]+)`+", r"<code>\1</code>", summary)
        summary = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", summary)
        summary = re.sub(r"(?<!\*)\*([^*]+)\*", r"<i>\1</i>", summary)
        return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>\n"

    def _quiz(self, block: Directive) -> str:
        """A question and its choices, each unfolding to what explains it."""
        quiz = Quiz.of(block)
        self.questions += 1
        pieces = [(f"**Question {self.questions}.** " + self(quiz.question)).strip()]
        for choice in quiz.choices:
            verdict = "**Right.**" if choice.right else "**Not this one.**"
            folded = Directive("dropdown", choice.label, f"{verdict} {choice.why}")
            pieces.append(self._dropdown(folded).strip())
        return "\n\n".join(pieces) + "\n"

    def _exercise(self, block: Directive) -> str:
        title = self.prose(block.argument)
        return f"### Exercise: {title}\n\n{self(block.body)}" if title else self(block.body)

    def prose(self, text: str) -> str:
        """Text without fenced blocks: roles and links translated, MyST's own lines left out."""
        text = FORMULA_AND_LABEL.sub(r"\1", ONLY_FOR_MYST.sub("", text))
        return ROLE_CODE_OR_LINK.sub(self._inline, ATTRIBUTES.sub("", text))

    def _inline(self, found: re.Match) -> str:
        if found["code"]:
            return found[0]
        if found["role"]:
            return self.role(found["role"], found["target"])
        if found["picture"]:
            return self._picture(found["text"], found["link"])
        return self._link(found["text"], found["link"])

    def role(self, name: str, target: str) -> str:
        """A role as text or as a link."""
        if name in ("cite:t", "cite:p"):
            return self._cite(name, target)
        if name.startswith("glue"):
            return self._glued(target)
        if name == "show":  # a notebook has no figure that moves
            return target.partition("<")[0].strip()
        titled = TITLED.fullmatch(target)
        title, target = (titled["title"], titled["target"]) if titled else ("", target)
        match name:
            case "ref":
                return self._reference(title, target)
            case "eq":
                return self._equation(target)
            case "doc":
                page = target.rpartition("/")[2].removesuffix(".md").removesuffix(".ipynb")
                return link(title or self.book.title_of(page), self.book.address(page))
            case "term":
                return link(title or target, self.book.term(target))
        raise ReleaseError(
            f"{self.where} has a {{{name}}} role, for which there is no plain Markdown; "
            f"write it in another way or teach autograder/release/recipe/simplify_markdown.py."
        )

    def _reference(self, title: str, label: str) -> str:
        place = self._label(label)
        text = title or place.title or "the figure"
        return link(text, self.book.address(place.page, make_id(label)))

    def _equation(self, label: str) -> str:
        place = self._label(label)
        return link("the equation", self.book.address(place.page, f"equation-{make_id(label)}"))

    def _label(self, label: str) -> Label:
        if label not in self.book.labels:
            raise ReleaseError(f"{self.where} refers to {label!r}, and no page has that label.")
        return self.book.labels[label]

    def _cite(self, role: str, keys: str) -> str:
        in_text = role == "cite:t"
        links = []
        for key in keys.split(","):
            authors, year, address = self.book.citation(key.strip())
            text = f"{authors} ({year})" if in_text else f"{authors}, {year}"
            links.append(link(text, address))
        return " and ".join(links) if in_text else f"({'; '.join(links)})"

    def _glued(self, target: str) -> str:
        name, _, form = target.partition(":")
        if name not in self.glued:
            raise ReleaseError(
                f"{self.where} quotes the number {name!r}, which no stored output of the chapter "
                f"has; run the chapter and save it with its outputs."
            )
        value = self.glued[name]
        return format(float(value), form) if form else value

    def _picture(self, alt: str, path: str) -> str:
        """A picture, or what it shows in words where the book has no address."""
        whole = _is_address(path) or path.startswith("data:")
        address = path if whole else self.book.picture(path)
        return f"![{alt}]({address})" if address else f"*{alt}*"

    def _link(self, text: str, target: str) -> str:
        if target.startswith("#") and target[1:] in self.book.labels:
            return self._reference(text, target[1:])
        path, _, anchor = target.partition("#")
        page = re.fullmatch(r"(?:\./|/)?([\w.-]+)\.(?:md|ipynb|html)", path)
        if _is_address(target) or not page:
            return f"[{text}]({target})"
        if page[1] not in self.book.pages:
            raise ReleaseError(f"{self.where} links to {path}, and the book has no such page.")
        return link(text or self.book.title_of(page[1]), self.book.address(page[1], anchor))


def _directive(found: re.Match, content: str) -> Directive:
    """A fenced block taken apart; its options, the lines above the text, are for the page alone."""
    body = OPTIONS.sub("", content.rstrip("\n")).strip("\n")
    return Directive(found["name"], found["argument"].strip(), body)


def _quote(title: str, body: str) -> str:
    text = f"**{title}**\n\n{body}" if title else body
    return "\n".join(f"> {line}" if line else ">" for line in text.split("\n")) + "\n"


def _is_address(target: str) -> bool:
    return bool(re.match(r"[a-z][a-z0-9+.-]*:", target))
