# Markup, templates and ends of tags in errors, types and names.
#
# /// expect
# double = "failed: <script>"
# softmax = "failed"
# ///

# %% double
def double(x):
    raise ValueError("<script>alert(1)</script></p></article><iframe src=//a.b>{{7*7}}{% raw %}")
# %% softmax
def softmax(scores, dim=-1):
    raise type("<img src=x onerror=alert(1)>", (Exception,), {})("' onmouseover='alert(1)")
