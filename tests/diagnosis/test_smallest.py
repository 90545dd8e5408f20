"""Is a small input shown that goes wrong, with what came and what should have come?"""

import json

import torch

from autograder.checking import find
from autograder.diagnosis.judge import judge
from autograder.diagnosis.recording import live
from autograder.diagnosis.section import section_of
from autograder.notebook.feedback import MARK, Feedback
from autograder.remote.calling import Home


def more_of(name, wrong):
    verdict = judge(name, Home({name: wrong}), live(find(name)), more=True)
    assert verdict.status == "failed"
    return verdict


def shifted_by_all(scores, dim=-1):
    powers = (scores - scores.max().clamp(min=-1e30)).exp()
    return powers / powers.sum(dim=dim, keepdim=True).clamp(min=1e-30)


def test_a_small_input_goes_wrong_in_the_cells_that_are_marked():
    more = more_of("softmax", shifted_by_all).more
    (name, written), *_ = more["given"]
    scores = torch.tensor(json.loads(written))
    assert name == "scores" and scores.numel() <= 4
    assert torch.equal(scores, scores.round())
    for table, code in (("got", shifted_by_all), ("want", torch.softmax)):
        shown = torch.tensor([[float(cell) for cell in row] for row in more[table]])
        assert torch.allclose(shown, code(scores.float(), dim=-1), atol=1e-4)
    got, want, wrong = (sum(more[table], []) for table in ("got", "want", "wrong"))
    assert wrong == [one != other for one, other in zip(got, want, strict=True)] and any(wrong)


def test_of_several_results_the_one_that_is_wrong_is_named():
    def attend(query, inputs):
        weights = torch.softmax(inputs @ query / len(query) ** 0.5, dim=-1)
        return weights @ inputs, 2 * weights

    assert more_of("attend", attend).more["result"] == "weights"


def test_an_error_stands_in_the_place_of_what_came():
    def attend(query, inputs):
        raise RuntimeError("not today")

    more = more_of("attend", attend).more
    assert more["error"] == "RuntimeError: not today" and more["got"] == []


def test_numbers_and_words_become_small_too():
    def causal_mask(length, past_length=0):
        return torch.ones(length, past_length + length, dtype=torch.bool).tril(past_length + 1)

    assert more_of("causal_mask", causal_mask).more["given"] == [["length", "2"]]


def test_what_is_drawn_at_random_is_not_compared():
    def random_patch_mask(batch, num_patches, ratio, generator=None):
        return torch.rand(batch, num_patches, generator=generator) < ratio

    assert more_of("random_patch_mask", random_patch_mask).more is None


def test_the_steps_of_the_students_own_code_are_shown():
    def attend(query, inputs):
        scores = inputs @ query
        weights = scores.softmax(0)
        weights *= 2
        return weights @ inputs, weights

    verdict = more_of("attend", attend)
    given = {name: torch.tensor(json.loads(text)).float() for name, text in verdict.more["given"]}
    scores = given["inputs"] @ given["query"]
    weights = scores.softmax(0)
    steps = [(name, torch.tensor(json.loads(text))) for name, text in verdict.more["steps"]]
    assert [name for name, _ in steps] == ["scores", "weights", "weights"]
    for (_, shown), right in zip(steps, (scores, weights, 2 * weights), strict=True):
        assert torch.allclose(shown.float(), right, atol=1e-4)
    assert "weights = [" in Feedback(verdict).text()
    assert "weights = [" in Feedback(verdict).html()


def test_steps_end_where_an_error_comes_up():
    def attend(query, inputs):
        scores = inputs @ query
        if scores.dim():
            raise RuntimeError("not today")

    more = more_of("attend", attend).more
    assert [name for name, _ in more["steps"]] == ["scores"]


def test_text_and_card_show_both_tables_and_where_to_read():
    feedback = Feedback(more_of("softmax", shifted_by_all))
    text, card = feedback.text(), feedback.html()
    assert text.count("What came") == text.count("What should have come") == 1
    assert f"0{MARK}" in text and card.count("<table>") == 2 and "<b>0</b>" in card
    assert section_of(find("softmax")) in text


def test_other_tools_read_what_they_read_before():
    verdict = more_of("softmax", shifted_by_all)
    assert (
        verdict.without_example()
        == judge(
            "softmax", Home({"softmax": shifted_by_all}), live(find("softmax"))
        ).without_example()
    )
    assert "more" not in verdict.without_example()


def test_the_section_above_the_check_is_found(tmp_path, monkeypatch):
    def cell(kind, text):
        return {"cell_type": kind, "source": [text]}

    cells = [
        cell("markdown", "# A chapter"),
        cell("markdown", "Words.\n\n## The shift\n\nMore words."),
        cell("code", 'check("softmax")'),
        cell("markdown", "## What comes after"),
    ]
    (tmp_path / "02-softmax.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "“The shift”" in section_of(find("softmax"))
    assert section_of(find("attend")) == "chapter 04-attention-layer"
