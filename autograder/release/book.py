"""The published book, as far as the students' notebooks link to it: addresses, labels, sources."""

import codecs
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml
from docutils.nodes import make_id

from autograder.errors import ReleaseError

SETTINGS = "_config.yml"

TARGET = re.compile(r"^\((?P<label>[^()\s]+)\)=\s*$\n*(?:#+ +(?P<title>.+))?", re.MULTILINE)
DIRECTIVE = re.compile(
    r"^[:`]{3,}\{(?P<name>[\w:-]+)\} *(?P<title>.*)\n(?P<options>(?: *:[\w-]+:.*\n?)*)",
    re.MULTILINE,
)
FORMULA = re.compile(r"\$\$ *\((?P<label>[\w:.-]+)\)")
OPTION = re.compile(r"^ *:(?:label|name): *(\S+)", re.MULTILINE)
PLAYED = re.compile(r'<figure class="(?:play|live \w+)"[^>]* data-name="(?P<name>[^"]+)"')
HEADING = re.compile(r"^#+ +(?P<title>.+?)\s*$", re.MULTILINE)
FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1`*\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Label:
    """What a label stands for."""

    page: str
    title: str


class Book:
    """The book's pages in a folder, and where they are published."""

    def __init__(self, folder: Path, site: str, title: str = ""):
        self.folder = folder
        self.site = site.rstrip("/")
        self.title = title

    @classmethod
    def of(cls, root: Path) -> "Book":
        """The book of a repository; its address is `html: baseurl:` of the settings.

        Where that is empty the notebooks link to no page of the book.
        """
        settings = root / SETTINGS
        config = yaml.safe_load(settings.read_text(encoding="utf-8")) if settings.exists() else {}
        config = config or {}
        site = (config.get("html") or {}).get("baseurl") or ""
        return cls(root / "book", site, config.get("title", ""))

    def address(self, page: str, anchor: str = "") -> str:
        """The address of a page, or of a place in it; empty where the book has none."""
        if not self.site:
            return ""
        return f"{self.site}/{page}.html" + (f"#{anchor}" if anchor else "")

    def picture(self, path: str) -> str:
        """The address of a picture file of the book; empty where the book has none."""
        return f"{self.site}/_images/{Path(path).name}" if self.site else ""

    @staticmethod
    def last_anchor(text: str) -> str:
        """The anchor of the last heading in a Markdown text; empty without one."""
        titles = HEADING.findall(FENCED.sub("", text))
        return make_id(_without_marks(titles[-1])) if titles else ""

    @cached_property
    def pages(self) -> dict[str, str]:
        """The Markdown text of every page."""
        pages = {}
        for path in sorted(self.folder.glob("*.md")):
            pages[path.stem] = path.read_text(encoding="utf-8")
        for path in sorted(self.folder.glob("*.ipynb")):
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            texts = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
            pages[path.stem] = "\n\n".join(texts)
        return pages

    @cached_property
    def labels(self) -> dict[str, Label]:
        """Every label of the book."""
        labels = {}
        for page, text in self.pages.items():
            for match in TARGET.finditer(text):
                labels[match["label"]] = Label(page, _without_marks(match["title"] or ""))
            for match in FORMULA.finditer(text):
                labels[match["label"]] = Label(page, "")
            for match in DIRECTIVE.finditer(text):
                for label in OPTION.findall(match["options"]):
                    labels[label] = Label(page, _without_marks(match["title"]))
        return labels | self._figures

    @cached_property
    def _figures(self) -> dict[str, Label]:
        """The figures that chapters draw, under the labels that the book gives them."""
        figures = {}
        for path in sorted(self.folder.glob("[0-9][0-9]-*.ipynb")):
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            outputs = [output for cell in cells for output in cell.get("outputs", [])]
            for i, name in enumerate(filter(None, map(_figure_name, outputs)), start=1):
                chapter, label = path.stem[:2], f"fig-{path.stem[:2]}-{name}"
                label += "-play" if label in figures else ""  # as the book's own figures.py has it
                figures[label] = Label(path.stem, f"Figure {int(chapter)}.{i}")
        return figures

    def title_of(self, page: str) -> str:
        """The first heading of a page."""
        if page not in self.pages:
            raise ReleaseError(f"There is no page {page!r} in the book to link to.")
        heading = HEADING.search(FENCED.sub("", self.pages[page]))
        return _without_marks(heading["title"]) if heading else page

    def page_with(self, directive: str) -> str:
        """The page that holds the glossary or the bibliography."""
        for page, text in self.pages.items():
            if re.search(rf"^[:`]{{3,}}\{{{directive}\}}", text, re.MULTILINE):
                return page
        raise ReleaseError(f"No page of the book has a {{{directive}}}.")

    def term(self, word: str) -> str:
        """The address of a word in the glossary."""
        page = self.page_with("glossary")
        spelled = re.search(rf"^{re.escape(word)}\s*$", self.pages[page], re.MULTILINE | re.I)
        if not spelled:
            raise ReleaseError(f"The glossary has no entry {word!r}.")
        slug = re.sub(r"[^a-zA-Z0-9._ -]", "", spelled[0].strip()).replace(" ", "-")
        return self.address(page, f"term-{slug}")

    def citation(self, key: str) -> tuple[str, str, str]:
        """Authors, year and address of a source in references.bib."""
        if key not in self._sources:
            raise ReleaseError(f"references.bib has no entry {key!r}.")
        entry = self._sources[key]
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [
            " ".join(map(_without_marks, [*one.prelast_names, *one.last_names])) for one in people
        ]
        if len(names) > 2:
            names = [f"{names[0]} et al."]
        fields = entry.fields
        address = fields.get("url") or (fields.get("doi") and f"https://doi.org/{fields['doi']}")
        return " and ".join(names), fields.get("year", ""), address or self._bibliography()

    def _bibliography(self) -> str:
        return self.address(self.page_with("bibliography"))

    @cached_property
    def _sources(self) -> dict:
        from pybtex.database import parse_file

        return dict(parse_file(str(self.folder / "references.bib")).entries.items())


def _figure_name(output: dict) -> str:
    """The name that a function of `lab` gave the figure; empty without one."""
    if played := PLAYED.search("".join(output.get("data", {}).get("text/html", ""))):
        return played["name"]
    return output.get("metadata", {}).get("image/png", {}).get("name", "")


def link(text: str, address: str) -> str:
    """A link, or its words alone where there is nothing to link to."""
    return f"[{text}]({address})" if address else text


def _without_marks(text: str) -> str:
    """A title or name without its marks: roles, code, LaTeX accents and braces."""
    text = re.sub(r"\{[\w:-]+\}`([^`]*)`", r"\1", text)
    if "\\" in text and "$" not in text:
        import latexcodec  # noqa: F401  registers the codec; pybtex brings it

        text, _ = codecs.getdecoder("ulatex")(text)  # type: ignore[arg-type]  # text to text
    return re.sub(r"[`*{}]", "", text).strip()
