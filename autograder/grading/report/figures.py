"""The report's figures, kept until what they show changes: importing matplotlib takes a second."""

import json
from importlib.metadata import version
from pathlib import Path

from autograder.files import sha256, write_whole
from autograder.grading.report.survey import ChapterSurvey

DRAWN_BY = Path(__file__).with_name("plots.py")
# Apart without color vision too.
COLORS = {"passed": "#009E73", "stuck": "#D55E00", "untried": "#9AA4B1"}


def figures(chapter: ChapterSurvey, folder: Path) -> dict[str, str]:
    """A chapter's figures as SVG by name, from a file in `folder` if it has them."""
    path, key = folder / f"{chapter.name}.json", _key(chapter)
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        if stored["key"] == key:
            return stored["figures"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    from autograder.grading.report import plots

    drawn = {
        "scores": plots.score_distribution(chapter),
        "outcomes": plots.outcomes(chapter.exercises, chapter.name, COLORS),
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"key": key, "figures": drawn}).encode())
    return drawn


def _key(chapter: ChapterSurvey) -> str:
    """A hash of all that the figures show, and of what draws them."""
    outcomes = [
        [one.name, one.handed_in, *(getattr(one, name) for name in COLORS)]
        for one in chapter.exercises
    ]
    numbers = [chapter.name, chapter.max_score, chapter.scores, outcomes]
    drawn_by = [DRAWN_BY.read_text(encoding="utf-8"), COLORS, version("matplotlib")]
    return sha256(json.dumps([numbers, drawn_by]))
