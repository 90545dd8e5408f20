"""Does the command that judges wrong answers put keys where they belong, and nothing else?"""

import runpy

from tests.content import judge_wrong

TEXT = '''"""Wrong answers."""

WRONG = {
    "halve": [
        ("multiplication", {"0.5 * x": "2 * x"}, "doubled"),
        (
            "division",
            {"x / 2": "x // 2"},
            None,
        ),
    ],
    "third": [("division", {"x / 3": "3 / x"}, None)],
}
'''


def test_only_the_keys_that_were_said_change(tmp_path, monkeypatch):
    path = tmp_path / "start_here" / "wrong.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    monkeypatch.setattr(judge_wrong, "SOLUTIONS", tmp_path)
    judge_wrong.write({("halve", 0): None, ("halve", 1): "rounded-down", ("third", 0): "turned"})
    assert runpy.run_path(str(path))["WRONG"] == {
        "halve": [
            ("multiplication", {"0.5 * x": "2 * x"}, None),
            ("division", {"x / 2": "x // 2"}, "rounded-down"),
        ],
        "third": [("division", {"x / 3": "3 / x"}, "turned")],
    }
