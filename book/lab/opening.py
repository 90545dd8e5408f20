"""What a chapter's notebook begins with: a still of the live figure on its page's first screen.

It needs no training and no scripts. The page leaves the cell out, since it has the figure itself.
`make/openings.py` draws the stills from what the notebooks store.
"""

from pathlib import Path

from lab.plots import Picture

FOLDER = Path(__file__).parent / "openings"


def opening(chapter: str, alt: str, caption: str) -> None:
    """Display the chapter's still, with what is seen in it in words."""
    from IPython.display import display

    display(Picture((FOLDER / f"{chapter}.png").read_bytes(), alt, "opening", caption))
