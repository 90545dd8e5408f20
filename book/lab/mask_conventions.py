"""The figure to play with on masks: one mask, written in one convention and read in another."""

from lab import plots
from lab.play import Play, play


def mask_conventions() -> Play:
    """A grid of queries and keys that shows what happens to each pair.

    A pair attends, is masked, leaks (it is seen though the mask forbids it) or is lost (it is
    hidden though the mask allows it). Needs Altair.
    """
    import altair as alt

    kinds = ["causal", "padding", "causal and padding"]
    ways = ["boolean, True = may attend", "boolean, True = may not", "additive, 0 and −∞"]
    readers = ["F.scaled_dot_product_attention", "nn.MultiheadAttention", "scores + mask, by hand"]

    def choice(name, options, label):
        return alt.param(
            name, value=options[0], bind=alt.binding_select(options=options, name=label)
        )

    kind = choice("kind", kinds, "Mask: ")
    convention = choice("convention", ways, "Written as: ")
    reader = choice("reader", readers, "Read by: ")
    slider = alt.binding_range(min=1, max=6, step=1, name="Real tokens: ")
    real_tokens = alt.param("realTokens", value=4, bind=slider)

    allowed = f"(kind == '{kinds[1]}' || datum.j <= datum.i)"
    allowed += f" && (kind == '{kinds[0]}' || datum.j < realTokens)"
    entry = f"convention == '{ways[0]}' ? datum.may : !datum.may"
    boolean = (
        f"reader == '{readers[0]}' ? datum.entry : reader == '{readers[1]}' ? !datum.entry : true"
    )
    outcomes = ["attends", "leak", "lost", "masked"]
    outcome = f"datum.may ? (datum.sees ? '{outcomes[0]}' : '{outcomes[2]}')"
    outcome += f" : (datum.sees ? '{outcomes[1]}' : '{outcomes[3]}')"
    holds = f"convention == '{ways[2]}' ? (datum.may ? '0' : '−∞')"
    holds += " : (datum.entry ? 'True' : 'False')"
    tokens = "['the', 'cat', 'sat', 'on', 'my', 'mat']"
    label = f"datum.value < realTokens ? {tokens}[datum.value] : 'pad'"
    axis = alt.Axis(labelExpr=label, labelAngle=0, domain=False, ticks=False)
    grid = [{"i": i, "j": j} for i in range(6) for j in range(6)]
    base = (
        alt.Chart(alt.Data(values=grid))
        .transform_calculate(may=allowed)
        .transform_calculate(entry=entry)
        .transform_calculate(sees=f"convention == '{ways[2]}' ? datum.may : ({boolean})")
        .transform_calculate(outcome=outcome, holds=holds)
        .encode(
            x=alt.X("j:O", title="key", axis=axis),
            y=alt.Y("i:O", title="query", axis=axis),
        )
    )
    colors = alt.Scale(domain=outcomes, range=[plots.WEIGHT, plots.KEY, plots.QUERY, "#E3E7EC"])
    legend = alt.Legend(orient="top", title=None, columns=2, symbolType="square")
    squares = base.mark_rect(stroke="#FFFFFF", strokeWidth=2).encode(
        color=alt.Color("outcome:N", scale=colors, legend=legend)
    )
    ink = alt.condition(
        f"datum.outcome == '{outcomes[3]}'", alt.value(plots.INK), alt.value("#FFFFFF")
    )
    letters = base.mark_text(fontSize=12).encode(text="holds:N", color=ink)
    chart = (
        (squares + letters).add_params(kind, convention, reader, real_tokens).properties(height=330)
    )
    return play(
        chart,
        alt="A grid of six queries and six keys, with drop-downs for the mask, for the convention "
        "it is written in, and for the function that reads it, and a slider for the number of real "
        "tokens. Where convention and reader fit, the allowed pairs are magenta and all others "
        "gray. Where they do not, orange squares show leaks and blue ones what is lost.",
        name="masks",
        caption="One mask, and what becomes of it. Write it in one convention and let a function "
        "read it in another: what leaks, and what is lost? (The number of real tokens counts in "
        "the masks with padding.)",
    )
