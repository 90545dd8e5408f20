"""A notebook's bytes without what grading does not read: outputs, attachments, states of widgets.

They are cut out of the text before it is parsed, so that megabytes of pictures cost nothing.
"""

import re

# A string (also one without an end, so that it is passed over once), or a bracket.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_OPENS = re.compile(rb"\s*:\s*([\[{])")
_LEFT_OUT = {b'"outputs"': b"[", b'"attachments"': b"{", b'"widgets"': b"{"}
_EMPTY = {b"[": b"[]", b"{": b"{}"}
TOKENS_AT_MOST = 4 * 10**6


def skimmed(content: bytes) -> bytes:
    """The same notebook, its large parts empty; what is not JSON stays as it is, or is none."""
    parts: list[bytes] = []
    start, depth = 0, 0  # of what is kept next; of the brackets in what is left out
    for number, token in enumerate(_TOKEN.finditer(content)):
        if number > TOKENS_AT_MOST:
            return content
        text = token[0]
        if start < 0:
            if text in (b"[", b"{"):
                depth += 1
            elif text in (b"]", b"}"):
                depth -= 1
                start = token.end() if depth == 0 else start
        elif text in _LEFT_OUT:
            value = _OPENS.match(content, token.end())
            if value and value[1] == _LEFT_OUT[text]:
                parts += [content[start : token.end()], b": ", _EMPTY[value[1]]]
                start = -1
    return b"".join(parts) + content[start:] if start >= 0 else content
