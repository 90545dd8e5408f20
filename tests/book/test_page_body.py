"""Is a page's text as Sphinx wrote it, but for what is changed on purpose?"""

from types import SimpleNamespace

BODY = """<section id="a">
<figure class="live drawing" id="live-a" data-name="a" aria-label="x &lt; y"></figure>
<pre>    def f():
        return "a" &amp; b</pre>
<svg class="b" viewBox="0 0 1 1"><path d="M0 0"></path></svg><br/>
</section>"""


def test_stay_attributes_in_their_order_and_blanks_in_code(extension):
    context = {"body": BODY}
    app = SimpleNamespace(builder=SimpleNamespace(images={}))
    extension("page_body").change(app, "notation", "", context, None)
    assert context["body"] == BODY.replace("viewBox", "viewbox")  # as HTML has them: of any case
