"""What a reader can take away from a chapter: its notebook, on a computer or in the cloud.

All addresses are made from the two in `_config.yml`, `repository: url:` and `html: baseurl:`, and
from its `html_context: take_away:`. The students' notebooks lie in the site's folder `student/`,
and on the repository's branch `student`, from which Colab and Binder read (`make site`,
`.github/workflows/publish.yml`).
"""

from course import CHAPTER
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.docutils import SphinxDirective

FOLDER = "student"
BUNDLE = "attention-course-student.zip"
BOOK_PDF = "attention-step-by-step.pdf"


def for_all(config: Config) -> dict[str, str]:
    """What there is of the whole course: words and address."""
    site = config.html_baseurl.rstrip("/")
    return {
        "All notebooks, as one zip": f"{site}/{FOLDER}/{BUNDLE}",
        "The whole book as PDF": f"{site}/{BOOK_PDF}",
    }


def places(config: Config, chapter: str) -> dict[str, str]:
    """Where a chapter's notebook can be had or opened: words and address."""
    repository = config.html_theme_options["repository_url"].rstrip("/")
    owner = "/".join(repository.split("/")[-2:])
    named = config.html_context["take_away"]
    branch, file = named["branch"], f"{chapter}.ipynb"
    notebook = f"{config.html_baseurl.rstrip('/')}/{FOLDER}/{file}"
    return (
        {"Notebook with the exercises": notebook}
        | for_all(config)
        | {
            "Open in Colab": f"{named['colab']}/github/{owner}/blob/{branch}/{file}",
            "Open in Binder": f"{named['binder']}/v2/gh/{owner}/{branch}?urlpath=lab/tree/{file}",
            "Open in your JupyterLab": f"{named['jupyterlab']}/lab/tree/{file}",
        }
    )


class Downloads(SphinxDirective):
    """The directive `{downloads}`: what there is of the whole course, as a list."""

    def run(self) -> list[nodes.Node]:
        items = []
        for words, address in for_all(self.config).items():
            link = nodes.reference("", words, internal=False, refuri=address)
            items.append(nodes.list_item("", nodes.paragraph("", "", link)))
        return [nodes.bullet_list("", *items)]


def add_buttons(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Put the chapter's places into a menu of the page's header."""
    if not CHAPTER.fullmatch(page) or "header_buttons" not in context:
        return
    buttons = [
        {"type": "link", "text": words, "tooltip": words, "url": address, "icon": "fas fa-file"}
        for words, address in places(app.config, page).items()
    ]
    context["header_buttons"].insert(
        0,
        {
            "type": "group",
            "tooltip": "Take this chapter with you",
            "icon": "fas fa-download",
            "buttons": buttons,
            "label": "take-away",
        },
    )


def add_line(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Say the same in words at the chapter's end."""
    if not CHAPTER.fullmatch(docname):
        return
    said: list[nodes.Node] = [nodes.Text("Take it with you: ")]
    for i, (words, address) in enumerate(places(app.config, docname).items()):
        said += [nodes.Text(" · ")] if i else []
        said.append(nodes.reference("", words, internal=False, refuri=address))
    first = next(doctree.findall(nodes.section), None)
    if first is not None:
        first += nodes.paragraph("", "", *said, nodes.Text("."), classes=["take-away"])


def setup(app: Sphinx) -> dict:
    app.add_directive("downloads", Downloads)
    app.connect("html-page-context", add_buttons, priority=600)  # after the theme's own
    app.connect("doctree-resolved", add_line)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
