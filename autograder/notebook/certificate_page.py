"""The certificate as one page that loads nothing: what was solved, and by which files."""

import html
import re
from collections.abc import Iterator

from autograder.notebook.certificate import SAID, TITLE, Certificate, Judged

STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --soft: #5b6470; --line: #d9dee4;
  --paper: #fff; --done: #007a5a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #a3acb8; --line: #3b444f;
  --paper: #14181d; --done: #3fc79a; } }
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
  margin: 0; padding: 2rem 1rem; }
main { border: 1px solid var(--line); border-top: 0.4rem solid var(--done); margin: 0 auto;
  max-width: 52rem; padding: clamp(1.25rem, 5vw, 3.5rem); }
h1, h2, .sum { font-family: "Source Serif 4", Charter, Georgia, serif; line-height: 1.2; }
h1 { font-size: clamp(1.6rem, 5vw, 2.4rem); margin: 0; }
.sum { display: flex; flex-wrap: wrap; font-size: 1.35rem; gap: 0 2rem; margin: 0.75rem 0 1.75rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 0.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.3rem 0.75rem 0.3rem 0; text-align: left; }
td { white-space: nowrap; }
.bar { width: 40%; }
.bar span { border: 1px solid var(--soft); display: block; height: 0.8rem;
  background: linear-gradient(90deg, var(--done) var(--part), transparent 0);
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
dl { display: grid; gap: 0 1rem; grid-template-columns: max-content minmax(0, 1fr); margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
.files { font-size: 0.85rem; }
code { font-family: ui-monospace, monospace; font-size: 0.92em; }
@media (max-width: 34rem) { main { border-width: 0.4rem 0 0; padding: 1rem 0; }
  body { padding: 1rem; } .bar { display: none; } dl { grid-template-columns: 1fr; } }
@media print { main { border: 0; padding: 0; } section { break-inside: avoid; } }
""".strip()


def page(certificate: Certificate) -> str:
    """The whole page."""
    said = "".join(f"<p>{_with_code(sentence)}</p>\n" for sentence in SAID)
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style></head>\n<body><main>\n<h1>{TITLE}</h1>\n"
        f'<p class="sum"><strong>{certificate.points}</strong> '
        f"<span>{certificate.exercises}</span></p>\n"
        "<table><thead><tr><th scope=col>Chapter</th><th class=bar></th>"
        "<th scope=col>Points</th><th scope=col>Exercises</th></tr></thead>\n<tbody>\n"
        f"{''.join(map(_row, certificate.chapters))}</tbody></table>\n"
        f"<h2>What this says</h2>\n{said}"
        f"<h2>What it was made from</h2>\n"
        f'<dl class="files"><dt>course</dt><dd><code>{certificate.course}</code></dd></dl>\n'
        f"{''.join(''.join(_section(one)) for one in certificate.chapters)}"
        "</main></body>\n</html>\n"
    )


def _with_code(sentence: str) -> str:
    return re.sub("`(.*?)`", r"<code>\1</code>", html.escape(sentence))


def _row(chapter: Judged) -> str:
    part = f"{100 * chapter.points / chapter.max_points:.0f}%"
    solved = f"{len(chapter.solved)} of {len(chapter.passed)}"
    return (
        f"<tr><th scope=row>{chapter.chapter}</th>"
        f'<td class=bar><span style="--part: {part}"></span></td>'
        f"<td>{chapter.points:g} of {chapter.max_points:g}</td><td>{solved}</td></tr>\n"
    )


def _section(chapter: Judged) -> Iterator[str]:
    """What is known of a chapter, and the hashes of what it was judged from and by."""
    yield f"<section><h3>{chapter.chapter}</h3>\n<dl class=files>"
    if chapter.notebook:
        for word, names in (("solved", chapter.solved), ("open", chapter.open)):
            if names:
                yield f"<dt>{word}</dt><dd>{html.escape(', '.join(names))}</dd>\n"
        yield f"<dt>notebook</dt><dd><code>{chapter.notebook}</code></dd>\n"
    else:
        yield "<dt>notebook</dt><dd>not there</dd>\n"
    yield f"<dt>checks</dt><dd><code>{chapter.checks}</code></dd></dl></section>\n"
