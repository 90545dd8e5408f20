"""A page's text, parsed once, when Sphinx is done with it: one function a change, in order."""

import emblems
import figures
import layers
import spoken
import stub_lines
import tab_stops
import typography
from bs4 import BeautifulSoup, Tag
from bs4.dammit import EntitySubstitution
from bs4.formatter import HTMLFormatter
from sphinx.application import Sphinx

PASS = (
    tab_stops.lessen,
    figures.size_images,
    typography.print_page,
    emblems.put_before_title,
    layers.name_lines,
    layers.show_first,
    stub_lines.mark,
    spoken.name_columns,
    spoken.modernize,
)


class AsWritten(HTMLFormatter):
    """Leaves attributes in their order, by which others know a figure; by itself it sorts them."""

    def attributes(self, tag: Tag):
        return tag.attrs.items()


def change(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Put the page's body through all changes."""
    if body := context.get("body"):
        soup = BeautifulSoup(body, "html.parser")
        for step in PASS:
            step(soup, page, app)
        context["body"] = soup.decode(formatter=AsWritten(EntitySubstitution.substitute_xml))


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", change)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
