# Scripts, frames and pictures from outside, as outputs of cells.
#
# /// expect
# double = "failed"
# ///

# %% outputs
from IPython.display import HTML, SVG, Image, Javascript, IFrame, Markdown, Latex, display
for made in (HTML("<script>alert(1)</script>"), Javascript("alert(1)"), IFrame("https://a.b", 9, 9),
             SVG("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
             Image(url="https://example.org/seen.png"), Markdown("![](https://a.b/seen.png)"),
             Latex(r"\href{javascript:alert(1)}{x}")):
    display(made)
display({"image/png": 'x"><script>alert(1)</script>', "text/plain": "<script>alert(1)</script>"}, raw=True)
print("<script>alert(1)</script><img src=x onerror=alert(1)>")
# %% double
def double(x):
    return "<script>alert(1)</script>"
