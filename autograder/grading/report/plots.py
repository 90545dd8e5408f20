"""The report's figures, as SVG that stands in a page: its ink is the page's, its text is text."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from autograder.grading.report.survey import ChapterSurvey, ExerciseSurvey

INK = "#010203"  # stands for the page's own color
INCHES = 4.6  # on a phone this is the page's width, so that letters keep their size
BARS, FEW_POINTS = 10, 15
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def score_distribution(chapter: ChapterSurvey) -> str:
    """How many students have how many points: a bar for each point, or for each tenth of many."""
    few = chapter.max_score <= FEW_POINTS
    edges = (
        np.arange(-0.5, chapter.max_score + 1)
        if few
        else np.linspace(0, chapter.max_score, BARS + 1)
    )
    with mpl.rc_context(STYLE | {"svg.hashsalt": f"scores {chapter.name}"}):
        figure = Figure((INCHES, 2.4), layout="constrained")
        axes = figure.subplots()
        counts, _ = np.histogram(np.clip(chapter.scores, edges[0], edges[-1]), edges)
        middles = (edges[:-1] + edges[1:]) / 2
        axes.bar(middles, counts, np.diff(edges) * 0.9, color="#0072B2")
        axes.axvline(chapter.mean, color=INK, linestyle="--", linewidth=1.2)
        high = max(counts.max(), 1) * 1.22
        right = chapter.mean > chapter.max_score / 2
        axes.annotate(
            f"mean {chapter.mean:.1f}",
            (chapter.mean, high),
            xytext=(-5 if right else 5, -3),
            textcoords="offset points",
            ha="right" if right else "left",
            va="top",
        )
        axes.set(xlabel="points", ylabel="students", ylim=(0, high), xlim=(edges[0], edges[-1]))
        axes.yaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=True))
        axes.xaxis.set_major_locator(MaxNLocator("auto", steps=[1, 2, 2.5, 5, 10], integer=few))
        return _svg(figure)


def outcomes(exercises: Sequence[ExerciseSurvey], title: str, colors: Mapping[str, str]) -> str:
    """For each exercise: who passed, who tried in vain, who did not try, as shares."""
    with mpl.rc_context(STYLE | {"svg.hashsalt": f"outcomes {title}"}):
        figure = Figure((INCHES, 0.55 + 0.52 * len(exercises)), layout="constrained")
        axes = figure.subplots()
        rows = np.arange(len(exercises))
        total = np.array([max(one.handed_in, 1) for one in exercises])
        left = np.zeros(len(exercises))
        for name, color in colors.items():
            counts = np.array([getattr(one, name) for one in exercises])
            share = 100 * counts / total
            axes.barh(rows, share, 0.42, left, color=color)
            left += share
        for row, one in zip(rows, exercises, strict=True):
            axes.text(0, row - 0.28, one.name, va="bottom", fontsize=10)
            axes.text(100, row - 0.28, f"{100 * one.pass_rate:.0f}%", va="bottom", ha="right")
        axes.set(xlim=(0, 100), ylim=(len(exercises) - 0.6, -0.75), yticks=[])
        axes.set_xlabel("% of those who handed in")
        axes.spines["left"].set_visible(False)
        return _svg(figure)


def _svg(figure: Figure) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    return text[text.index("<svg") :].replace(INK, "currentColor")
