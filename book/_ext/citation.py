"""How to cite the course, `{citation}`: a sentence and a BibTeX entry, made from CITATION.cff."""

from pathlib import Path

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

SOURCE = "CITATION.cff"


class Citation(SphinxDirective):
    """The directive; it takes nothing."""

    def run(self) -> list[nodes.Node]:
        path = Path(self.env.srcdir).parent / SOURCE
        self.env.note_dependency(str(path))
        citation = yaml.safe_load(path.read_text(encoding="utf-8"))
        authors = " and ".join(author["name"] for author in citation["authors"])
        year, site = str(citation["date-released"])[:4], self.config.html_baseurl.rstrip("/")
        sentence = f"{authors} ({year}). {citation['title']}. Version {citation['version']}."
        fields = {
            "author": f"{{{authors}}}",
            "title": citation["title"],
            "version": citation["version"],
            "year": year,
        } | ({"url": site} if site else {})
        lines = "\n".join(f"  {name:<7} = {{{value}}}," for name, value in fields.items())
        entry = f"@misc{{{self.config.html_context['slug']},\n{lines}\n}}"
        words = f"{sentence} {site}" if site else sentence
        return [
            nodes.paragraph("", words),
            nodes.literal_block(entry, entry, language="bibtex"),
        ]


def setup(app: Sphinx) -> dict:
    app.add_directive("citation", Citation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
