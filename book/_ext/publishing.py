"""What a page says of itself to other sites, and what depends on where the course lives.

Two settings say where: `html: baseurl:` and `repository: url:`. Without the first there is no
sitemap, no canonical address and no picture for previews (all need whole addresses); without the
second no button leads to a repository.
"""

import html
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

PICTURE = "_static/cover.png"
LENGTH = 160  # characters of a description that search engines show
UNLISTED = {"404", "search", "genindex"}


def offer_buttons(app: Sphinx, config: Config) -> None:
    """Buttons to the repository, where there is one."""
    has_repository = bool(config.html_theme_options.get("repository_url"))
    for button in ("use_repository_button", "use_issues_button"):
        config.html_theme_options[button] = has_repository


def description(doctree: nodes.document | None) -> str:
    """A page's first paragraph, cut at a word."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        plain = " ".join(paragraph.astext().split())
        if {"chapter-roads", "take-away"} & set(paragraph["classes"]) or not plain:
            continue
        if len(plain) <= LENGTH:
            return plain
        return plain[: plain.rindex(" ", 0, LENGTH)].rstrip(" ,;:.") + " …"
    return ""


def describe(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Give a page's head its description, and what other sites show of it."""
    site, title = app.config.html_baseurl.rstrip("/"), context.get("title", "")
    context["site_address"] = site
    properties = {"og:type": "article", "og:site_name": app.config.html_title, "og:title": title}
    if about := description(doctree):
        properties |= {"description": about, "og:description": about}
    if site:
        properties |= {
            "og:url": f"{site}/{page}.html",
            "og:image": f"{site}/{PICTURE}",
            "og:image:alt": "Four heat maps of attention weights, from an average to a lookup.",
            "twitter:card": "summary_large_image",
        }
    tags = []
    for name, content in properties.items():
        kind = "property" if name.startswith("og:") else "name"
        plain = html.unescape(nodes.Text(content).astext())
        tags.append(f'<meta {kind}="{name}" content="{html.escape(plain)}">')
    context["metatags"] = context.get("metatags", "") + "\n".join(["", *tags])


def write_sitemap(app: Sphinx, error: Exception | None) -> None:
    """List all pages for search engines."""
    site = app.config.html_baseurl.rstrip("/")
    if error or app.builder.format != "html" or not site:
        return
    pages = sorted(path.stem for path in Path(app.outdir).glob("*.html"))
    listed = "".join(
        f"  <url><loc>{html.escape(f'{site}/{page}.html')}</loc></url>\n"
        for page in pages
        if page not in UNLISTED
    )
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    text = f'<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="{schema}">\n{listed}</urlset>\n'
    (Path(app.outdir) / "sitemap.xml").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", offer_buttons)
    app.connect("html-page-context", describe)
    app.connect("html-collect-pages", lambda app: [("404", {}, "404.html")])
    app.connect("build-finished", write_sitemap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
