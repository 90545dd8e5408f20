"""Does the stored translator of dates still do what it did in the chapter's run?"""

import pytest
import torch
from lab import dates, stored

from solutions.encoder_decoder import Transformer
from tests.book.live_page import open_bare

IN_THE_PAGE = """async (source) => {
  const model = await attention.loadModel("dates");
  const steps = [...attention.translation(model, source, { start: 1, end: 2, longest: 40 })];
  return [steps.map(({ token }) => token), steps.map(({ logits }) => [...logits.numbers])];
}"""


@pytest.fixture(scope="module")
def translator():
    numbers, about = stored.stored("dates")
    model = Transformer(**about["sizes"])
    model.load_state_dict(numbers)
    return model.eval(), about


def test_gives_the_runs_own_logits(translator):
    model, about = translator
    source, previous, wanted = (
        torch.tensor(about["example"][key]) for key in ("tokens", "previous", "logits")
    )
    with torch.no_grad():
        got = model(source[None], previous[None])[0, -1]
    torch.testing.assert_close(got, wanted, atol=0.05, rtol=0)  # float16 against float32


@pytest.mark.parametrize("number", [1, 4])
def test_gets_as_many_strings_right_as_in_its_run(translator, number):
    model, about = translator
    random = torch.Generator().manual_seed(100 + number)
    strings = dates.examples("test", 1000, number, random)
    right = 0
    with torch.no_grad():
        for start in range(0, 1000, 100):
            batch = dates.collate(strings[start : start + 100])
            written = model(batch.source, batch.previous).argmax(dim=-1)
            right += int(((written == batch.target) | (batch.target == dates.PAD)).all(-1).sum())
    assert abs(right - about["results"]["right"][str(number)]) <= 3  # one on the edge may tip
    assert right >= 990


def test_is_small_and_says_its_shapes_and_its_vocabularies(translator):
    assert (stored.FOLDER / "dates.safetensors").stat().st_size < 1e6
    numbers, about = stored.stored("dates")
    assert about["parameters"] == {key: list(tensor.shape) for key, tensor in numbers.items()}
    for side, vocabulary in (
        ("source", dates.source_vocabulary()),
        ("target", dates.target_vocabulary()),
    ):
        assert list(about[f"{side}_characters"]) == vocabulary.characters
        assert about["sizes"][f"{side}_vocab"] == len(vocabulary)


def test_gives_the_page_the_same_symbols_and_logits(translator, browser, tmp_path):
    model, _ = translator
    page = open_bare(browser, tmp_path, stored.FOLDER / "dates.safetensors")
    for number in (1, 3):
        random = torch.Generator().manual_seed(number)
        (example,) = dates.examples("test", 1, number, random)
        source = torch.tensor(dates.source_vocabulary().encode(example.source))
        tokens, logits = page.evaluate(IN_THE_PAGE, source.tolist())
        previous = torch.tensor([[dates.BOS, *tokens[:-1]]])
        with torch.no_grad():
            wanted = model(source[None], previous)[0]
        torch.testing.assert_close(torch.tensor(logits), wanted, atol=1e-4, rtol=1e-4)
        assert tokens == wanted.argmax(dim=-1).tolist()
    page.close()
