# Scripts, frames and pictures from outside in text cells, in many spellings.
#
# /// expect
# ///

import nbformat

from tests.attacks.corpus import save


def hand_in(notebook, path):
    lively = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<iframe src='https://a.b'></iframe>",
        "[click](javascript:alert(1))",
        "![seen](https://example.org/seen.png)",
        "[a]\n\n[a]: javascript:alert(1)",
        "&lt;script&gt;",
        "<https://a.b>",
        "https://a.b",
        "```\n</code></pre><script>alert(1)</script>\n```",
        "````text\n```\n<script>alert(1)</script>",
        "$\\href{javascript:alert(1)}{x}$",
        "\u202eturned",
        "plain words",
        "<style>body{display:none}</style>",
        "<svg/onload=alert(1)>",
        "<math><mi xlink:href='javascript:a'>x</mi></math>",
    ]
    for number, text in enumerate(lively):
        notebook.cells.append(nbformat.v4.new_markdown_cell(text, id=f"text-{number}"))
    save(notebook, path)
