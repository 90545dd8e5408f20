"""The figure to play with on what the next token is drawn from: temperature, top-k and top-p."""

from collections.abc import Sequence

from torch import Tensor

from lab import plots
from lab.play import Play, play

REST = "all others"
TEMPERATURES = [number / 10 for number in range(2, 21)]


def next_token_figure(
    tokens: Sequence[str], logits: Tensor, alt: str, name: str, caption: str = ""
) -> Play:
    """Bars of the likeliest tokens, with sliders for temperature, top_k and top_p.

    tokens: the names of the largest logits, the largest first; logits (V), all of them: those
    without a name are one bar. Needs Altair.
    """
    import altair

    ordered = logits.double().sort(descending=True).values
    named = len(tokens)
    rows = []
    for temperature in TEMPERATURES:
        chances = (ordered / temperature).softmax(dim=0)
        shares = [*chances[:named].tolist(), float(chances[named:].sum())]
        rows += [
            {"heat": temperature, "rank": rank, "token": token, "share": round(share, 4)}
            for rank, (token, share) in enumerate(zip([*tokens, REST], shares, strict=True), 1)
        ]
    if named == len(logits):
        rows = [row for row in rows if row["token"] != REST]

    def slider(parameter, label, value, low, high, step):
        bind = altair.binding_range(min=low, max=high, step=step, name=label)
        return altair.param(parameter, value=value, bind=bind)

    heat = slider("temperature", "temperature: ", 1.0, TEMPERATURES[0], TEMPERATURES[-1], 0.1)
    most = slider("topK", f"top_k ({named + 1}: off): ", named + 1, 1, named + 1, 1)
    reach = slider("topP", "top_p: ", 1.0, 0.05, 1.0, 0.05)
    # Each step as next_token_probabilities takes it. Of the bar of all others, top_p keeps a part.
    before = f"topK > {named} || datum.rank <= topK ? datum.share : 0"
    kept = "topP >= 1 ? datum.left : clamp(topP - datum.reached + datum.left, 0, datum.left)"
    whole = f"datum.token == '{REST}' ? ({kept}) : (datum.part > 0 ? datum.left : 0)"
    base = (
        altair.Chart(altair.Data(values=rows))
        .transform_filter("abs(datum.heat - temperature) < 0.01")
        .transform_calculate(first=before)
        .transform_joinaggregate(sum="sum(first)")
        .transform_calculate(left="datum.first / datum.sum")
        .transform_window(reached="sum(left)", sort=[altair.SortField("rank")], frame=[None, 0])
        .transform_calculate(part=f"datum.left > 0 ? ({kept}) : 0")
        .transform_calculate(whole=whole)
        .transform_joinaggregate(all="sum(whole)")
        .transform_calculate(chance="datum.whole / datum.all")
        .transform_calculate(label="datum.chance > 0 ? format(datum.chance, '.2f') : ''")
    )
    ticks = altair.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", title="probability")
    places = list(dict.fromkeys(row["token"] for row in rows))
    place = altair.Y("token:N", scale=altair.Scale(domain=places), title=None)
    length = altair.X("chance:Q", scale=altair.Scale(domain=[0, 1.12]), axis=ticks)
    bars = base.mark_bar(color=plots.NEUTRAL).encode(x=length, y=place)
    numbers = base.mark_text(align="left", dx=4).encode(x=length, y=place, text="label:N")
    chart = (bars + numbers).add_params(heat, most, reach).properties(height=25 * (named + 1))
    return play(chart, alt=alt, name=name, caption=caption)
