"""Draw the course's cover, book/_static/cover.png: `.venv/bin/python make/cover.py`.

Every position of a sequence attends to the others, by the scaled dot products of their sinusoidal
positions; the pictures differ in sharpness alone. All weights come from the references.
"""

import math
from pathlib import Path

import torch
from lab import plots
from matplotlib import pyplot as plt

from solutions.softmax import scaled_dot_product_scores, sharpen

COVER = Path(__file__).resolve().parent.parent / "book" / "_static" / "cover.png"
L, D = 48, 64  # positions, dimension


def positions() -> torch.Tensor:
    """The sine and cosine table (L, D). Source: Vaswani et al. 2017, section 3.5."""
    rates = torch.exp(torch.arange(0, D, 2) * (-math.log(10_000.0) / D))  # (D/2)
    angles = torch.arange(L)[:, None] * rates  # (L, D/2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)  # (L, D)


def main() -> None:
    plots.use_style()
    scores = scaled_dot_product_scores(positions(), positions())  # (L, L)
    captions = {0.0: "an average", 0.4: "attention", 0.75: "attention, sharper", 1.0: "a lookup"}
    fig, axes = plt.subplots(1, len(captions), figsize=(11, 3.2))
    for ax, (sharpness, caption) in zip(axes, captions.items(), strict=True):
        weights = sharpen(scores, sharpness)  # (L, L)
        high = max(float(weights.max()), 0.04)
        plots.heatmap(ax, weights, form=None, high=high)  # dark is the largest weight
        ax.grid(visible=False, which="both")
        ax.set(xticks=[], yticks=[], aspect="equal", xlabel="keys")
        ax.set_title(caption, loc="center", fontsize=15)
    axes[0].set_ylabel("queries")
    fig.savefig(COVER, dpi=144, bbox_inches="tight", pad_inches=0.15, metadata={"Software": None})


if __name__ == "__main__":
    main()
