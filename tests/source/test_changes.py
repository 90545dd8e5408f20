"""Are the words of code, by which changes are looked up, those of Python's own tokenizer?"""

import io
import sys
import tokenize
from pathlib import Path

import pytest

from autograder.source import changes

ROOT = Path(__file__).resolve().parents[2]
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
LAYOUT |= {tokenize.ENDMARKER}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="its f-strings are several words")
@pytest.mark.parametrize("name", ["reference", "alternatives", "check"])
def test_words_are_those_of_python(name):
    for path in ROOT.glob(f"solutions/*/{name}.py"):
        code = path.read_text()
        tokens = tokenize.generate_tokens(io.StringIO(code).readline)
        expected = [token.string for token in tokens if token.type not in LAYOUT]
        assert [word for word, _, _ in changes._words(code)] == expected, path


def test_a_part_of_a_string_is_told_apart_from_what_is_not_there():
    code = "return einsum('bhij,bhjd', weights, values)"
    with pytest.raises(changes.StaleMisconception, match="0 times in attend but as a part of"):
        changes.changes_of(code, {"bhjd": "bhid"}, "attend")
    with pytest.raises(changes.StaleMisconception, match="0 times in attend, wanted once"):
        changes.changes_of(code, {"softmax": "sigmoid"}, "attend")
