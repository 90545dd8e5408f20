"""Code in the page: the roles' names in their colors, contracts that can be read on a phone."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[2]
ROLES = ("query", "key", "value", "weight")
STUB = '''class Attention(nn.Module):
    """Attends to all.

    The score of an input is its dot product with the query; softmax makes weights
    of the scores. A new sentence.
    Shapes: query (D) and
    inputs (S, D). As scaled_dot_product_attention
    does.

    - an item of a list, which goes on
      below itself
    - another

        name         meaning of the name
        other name   another meaning
    """

    def forward(self, query: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Short."""
        raise NotImplementedError
'''
# Where each line of a contract's span is drawn.
DRAWN = """span => {
  const range = document.createRange();
  range.selectNodeContents(span);
  const lines = new Map();  // a text's parts that share one
  for (const { top, left, right } of range.getClientRects()) {
    const [start, end] = lines.get(Math.round(top)) ?? [left, right];
    lines.set(Math.round(top), [Math.min(start, left), Math.max(end, right)]);
  }
  return [...lines.values()];
}"""


@pytest.fixture
def stub_lines(extension):
    return extension("stub_lines")


def highlighted(code: str) -> str:
    """Code as the book has it: a span for each line of a docstring."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return highlight(code, PythonLexer(), HtmlFormatter(nowrap=True))


def test_does_a_contract_flow_where_it_is_one_sentence_and_keep_its_text(stub_lines):
    written = stub_lines.flowing(highlighted(STUB))
    page = BeautifulSoup(f"<pre>{written}</pre>", "html.parser")
    assert page.get_text() == STUB
    flows = [" ".join(span.get_text().split()) for span in page.select(".flowing")]
    assert flows == [
        "The score of an input is its dot product with the query; softmax makes weights of the "
        "scores. A new sentence.",
        "Shapes: query (D) and inputs (S, D). As scaled_dot_product_attention does.",
        "- an item of a list, which goes on below itself",
    ]
    assert "scaled_<wbr/>dot_<wbr/>product_<wbr/>attention" in str(page)
    hangs = [span["style"] for span in page.select(".long-line:has(> .flowing)")]
    assert hangs == ["--hang: 4ch", "--hang: 4ch", "--hang: 6ch"]
    assert "--hang: 12ch" in written  # the method's head
    assert [arrow.get_text() for arrow in page.select(".nobr")] == ["->"]


def test_is_a_contract_on_a_phone_without_short_lines_in_it(opened):
    page = opened("04-attention-layer", width=390).page
    flows = page.locator(".exercise-stub .flowing").all()
    assert len(flows) > 5
    for flow in flows:
        lines = flow.evaluate(DRAWN)
        left = min(start for start, _ in lines)
        assert all(start < left + 1 for start, _ in lines)  # each below where the first began
        widths = [end - start for start, end in lines]
        assert all(width > 0.55 * max(widths) for width in widths[:-1]), flow.inner_text()
    stub = page.locator(".exercise-stub pre").first
    assert stub.evaluate("stub => stub.scrollWidth <= stub.clientWidth")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_have_names_in_code_the_colors_of_their_roles(opened, scheme, scripts):
    page = opened("04-attention-layer", scheme=scheme, scripts=scripts).page
    style = (ROOT / "book" / "_static" / "custom.css").read_text(encoding="utf-8")
    for role in ROLES:
        wanted = re.findall(rf"--course-{role}: #(\w+);", style)[scheme == "dark"]
        red, green, blue = (int(wanted[i : i + 2], 16) for i in (0, 2, 4))
        name = page.locator(f"pre .n-{role.capitalize()}").first
        color = name.evaluate("name => getComputedStyle(name).color")
        assert color == f"rgb({red}, {green}, {blue})", role


def test_fades_code_toward_an_edge_behind_which_there_is_more(opened):
    page = opened("05-self-attention", width=390).page
    scrolled = """async (block, left) => {
      block.scrollLeft = left;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return getComputedStyle(block).maskImage;
    }"""
    blocks = page.locator(":is(div.cell_input, div.cell_output) pre:visible").all()
    more = [block for block in blocks if block.evaluate("b => b.scrollWidth > b.clientWidth + 20")]
    whole = [block for block in blocks if block.evaluate("b => b.scrollWidth == b.clientWidth")]
    more[0].scroll_into_view_if_needed()
    clear = "rgba(0, 0, 0, 0)"
    assert more[0].evaluate(scrolled, 0).endswith(f"calc(100% - 32px), {clear})")
    assert more[0].evaluate(scrolled, 10_000).endswith(f"{clear}, rgb(0, 0, 0) 32px)")
    assert whole[0].evaluate(scrolled, 0) == "none"
