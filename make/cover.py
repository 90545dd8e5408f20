"""Draw the course's cover and its icon, in book/_static: `.venv/bin/python make/cover.py`.

On the cover, every position of a sequence attends to the others, by the scaled dot products of
their sinusoidal positions; the pictures differ in sharpness alone. The front page has them one by
one, a weight as opaque as it is large, so that they stand on a light page and on a dark one. On the
icon, two queries attend to two keys. All weights come from the references.
"""

import math
from pathlib import Path

import torch
from lab import plots
from matplotlib import pyplot as plt
from PIL import Image

from solutions.softmax import scaled_dot_product_scores, sharpen, softmax

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
COVER, ICON = STATIC / "cover.png", STATIC / "favicon.svg"
L, D = 48, 64  # positions, dimension
SHARPNESS = {0.0: "an average", 0.4: "attention", 0.75: "attention, sharper", 1.0: "a lookup"}
COLOR = (190, 90, 155)  # told apart from white and from black


def positions() -> torch.Tensor:
    """The sine and cosine table (L, D). Source: Vaswani et al. 2017, section 3.5."""
    rates = torch.exp(torch.arange(0, D, 2) * (-math.log(10_000.0) / D))  # (D/2)
    angles = torch.arange(L)[:, None] * rates  # (L, D/2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)  # (L, D)


def icon() -> str:
    """Two queries (left) and two keys (right); the wider a line, the larger the weight."""
    query = torch.tensor([[2.0, 0.4], [0.6, 1.2]])  # (L, D)
    key = torch.tensor([[0.2, 1.0], [1.0, 0.3]])  # (S, D)
    weights = softmax(scaled_dot_product_scores(query, key))  # (L, S)
    lines, left, right, heights = [], 7, 25, (9, 23)
    for row, start in zip(weights.tolist(), heights, strict=True):
        for weight, end in zip(row, heights, strict=True):
            width = f'stroke-width="{6 * weight:.1f}"'
            lines.append(f'  <path d="M{left} {start} {right} {end}" {width}/>')
    dots = [
        f'  <circle cx="{x}" cy="{y}" r="4" fill="{color}"/>'
        for x, color in ((left, plots.QUERY), (right, plots.KEY))
        for y in heights
    ]
    return "\n".join(
        [
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
            f'  <rect width="32" height="32" rx="6" fill="{plots.PAPER}"/>',
            f'  <g stroke="{plots.WEIGHT}">',
            *lines,
            "  </g>",
            *dots,
            "</svg>\n",
        ]
    )


def alone(strength: torch.Tensor) -> Image.Image:
    """One of the cover's pictures in one color, from clear (0) to opaque (1): a pixel a weight."""
    picture = Image.new("RGBA", strength.shape[::-1], COLOR)
    opacity = (strength.clamp(0, 1) * 255).round().to(torch.uint8).flatten()
    picture.putalpha(Image.frombytes("L", picture.size, bytes(opacity.tolist())))
    return picture


def main() -> None:
    plots.use_style()
    scores = scaled_dot_product_scores(positions(), positions())  # (L, L)
    fig, axes = plt.subplots(1, len(SHARPNESS), figsize=(11, 3.2))
    for ax, (sharpness, caption) in zip(axes, SHARPNESS.items(), strict=True):
        weights = sharpen(scores, sharpness)  # (L, L)
        high = max(float(weights.max()), 0.04)
        plots.heatmap(ax, weights, form=None, high=high)  # dark is the largest weight
        alone(weights / high).save(STATIC / f"cover-{caption.split()[-1]}.png", optimize=True)
        ax.grid(visible=False, which="both")
        ax.set(xticks=[], yticks=[], aspect="equal", xlabel="keys")
        ax.set_title(caption, loc="center", fontsize=15)
    axes[0].set_ylabel("queries")
    fig.savefig(COVER, dpi=144, bbox_inches="tight", pad_inches=0.15, metadata={"Software": None})
    ICON.write_text(icon(), encoding="utf-8")


if __name__ == "__main__":
    main()
