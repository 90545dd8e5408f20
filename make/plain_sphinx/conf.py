"""The book for Sphinx alone, from the same `_config.yml` and `_toc.yml` that Jupyter Book reads.

    sphinx-build -c make/plain_sphinx book build/plain

Jupyter Book 1 holds Sphinx back; should it fall behind for good, the book goes on with this.
"""

import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
BOOK = ROOT / "book"
sys.path[:0] = map(str, (BOOK / "_ext", BOOK, ROOT))

course = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
page, repository = course["html"], course["repository"]

author, copyright, html_title = course["author"], course["copyright"], course["title"]
html_theme = "sphinx_book_theme"
html_baseurl = page["baseurl"]
html_favicon = str(BOOK / page["favicon"])
html_static_path = [str(BOOK / "_static")]
html_css_files = sorted(path.name for path in (BOOK / "_static").glob("*.css"))
html_js_files = sorted(path.name for path in (BOOK / "_static").glob("*.js"))
html_sourcelink_suffix = ""
external_toc_path = str(BOOK / "_toc.yml")
external_toc_exclude_missing = course["only_build_toc_files"]
use_multitoc_numbering = page["use_multitoc_numbering"]
bibtex_bibfiles = [str(BOOK / name) for name in course["bibtex_bibfiles"]]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
nb_execution_mode = course["execute"]["execute_notebooks"]
myst_enable_extensions = course["parse"]["myst_enable_extensions"]
myst_url_schemes = ["mailto", "http", "https"]

of_sphinx = course["sphinx"]["config"]
globals().update(of_sphinx)
extensions = [
    name for name in of_sphinx["extensions"] if name not in ("jupyter_book", "sphinx_comments")
]
templates_path = [str(BOOK / folder) for folder in of_sphinx["templates_path"]]
html_theme_options = of_sphinx["html_theme_options"] | {
    "extra_footer": page["extra_footer"],
    "home_page_in_toc": True,
    "path_to_docs": repository["path_to_book"],
    "repository_branch": repository["branch"],
    "repository_url": repository["url"],
}
