"""What a reader can take away from a chapter, the inventory or the project.

It is the page's notebook, on a computer or in the cloud. The students' notebooks lie in the site's
folder `student/`, and on the repository's branch `student`, from which Colab and Binder read (`make
site`, `.github/workflows/publish.yml`). A book alone has none of them, so what links to them lies
in comments: `make site` and `make serve` show it where the files are (`make/downloads.py`).
"""

from course import CHAPTER
from docutils import nodes
from first_screen import put_below
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

FOLDER = "student"
BUNDLE = "attention-course-student.zip"
BESIDE = ("inventory", "project")  # handed out as chapters are
BEGIN, END = "<!--on-the-site", "/on-the-site-->"


def for_all(config: Config) -> dict[str, str]:
    """What there is of the whole course: words and address."""
    return {
        "All notebooks, as one zip": f"{FOLDER}/{BUNDLE}",
        "The whole book as PDF": f"{config.html_context['slug']}.pdf",
    }


def places(config: Config, chapter: str) -> dict[str, str]:
    """Where a chapter's notebook can be had or opened: words and address."""
    named = config.html_context["take_away"]
    branch, file = named["branch"], f"{chapter}.ipynb"
    words = "Notebook" if chapter in BESIDE else "Notebook with the exercises"
    links = {words: f"{FOLDER}/{file}"}
    if repository := config.html_theme_options.get("repository_url", "").rstrip("/"):
        owner = "/".join(repository.split("/")[-2:])
        links |= {
            "Open in Colab": f"{named['colab']}/github/{owner}/blob/{branch}/{file}",
            "Open in Binder": f"{named['binder']}/v2/gh/{owner}/{branch}?urlpath=lab/tree/{file}",
        }
    if named["jupyterlab"]:
        links["Open in your JupyterLab"] = f"{named['jupyterlab']}/lab/tree/{file}"
    return links


def on_the_site(*content: nodes.Node) -> list[nodes.Node]:
    """Content that is shown where its files are."""
    return [nodes.raw("", BEGIN, format="html"), *content, nodes.raw("", END, format="html")]


class OnTheSite(SphinxDirective):
    """The directive `{on-the-site}`: content that is shown where its files are."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        return on_the_site(*self.parse_content_to_nodes())


class Downloads(SphinxDirective):
    """The directive `{downloads}`: what there is of the whole course, as a list."""

    def run(self) -> list[nodes.Node]:
        items = []
        for words, address in for_all(self.config).items():
            link = nodes.reference("", words, internal=False, refuri=address)
            items.append(nodes.list_item("", nodes.paragraph("", "", link)))
        return [nodes.bullet_list("", *items)]


def line(said: str, links: dict[str, str]) -> list[nodes.Node]:
    """Links in a line."""
    words: list[nodes.Node] = [nodes.Text(said)]
    for i, (text, address) in enumerate(links.items()):
        words += [nodes.Text(" · ")] if i else []
        words.append(nodes.reference("", text, internal=False, refuri=address))
    return on_the_site(nodes.paragraph("", "", *words, nodes.Text("."), classes=["take-away"]))


def add_lines(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Offer a chapter's notebook below its title, and everything at its end."""
    first = next(doctree.findall(nodes.section), None)
    if first is None or not (docname in BESIDE or CHAPTER.fullmatch(docname)):
        return
    here = places(app.config, docname)
    first += line("Take it with you: ", here | for_all(app.config))
    title = next(first.findall(nodes.title))
    words = "To work in it yourself: " if docname in BESIDE else "To solve it yourself: "
    put_below(title, *line(words, here))


def setup(app: Sphinx) -> dict:
    app.add_directive("downloads", Downloads)
    app.add_directive("on-the-site", OnTheSite)
    app.connect("doctree-resolved", add_lines)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
