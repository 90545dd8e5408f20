"""Does chapter 3's stored translator of dates still do what the chapter's run measured?"""

import torch
from lab import dates, stored

from solutions.bahdanau import AttentionDecoder, BidirectionalEncoder, greedy_decode
from tests.book.live_page import open_bare

IN_THE_PAGE = """async (source) => {
  const model = await attention.loadModel("aligner");
  const steps = [...attention.translation(model, source, { start: 1, end: 2, longest: 40 })];
  return [steps.map(({ token }) => token), steps.map(({ logits }) => [...logits.numbers]),
    steps.map(({ weights }) => [...weights[0][0].numbers])];
}"""


def aligner():
    numbers, about = stored.stored("aligner")
    sizes = about["sizes"]
    hidden = sizes["hidden_dim"]
    encoder = BidirectionalEncoder(sizes["source_vocab"], sizes["source_dim"], hidden)
    decoder = AttentionDecoder(
        sizes["target_vocab"], sizes["target_dim"], hidden, 2 * hidden, sizes["attention_dim"]
    )
    torch.nn.ModuleDict({"encoder": encoder, "decoder": decoder}).load_state_dict(numbers)
    return encoder, decoder, about


@torch.no_grad()
def translate(examples):
    """Tokens (B, T), the logits (B, V) of each step, and weights (B, T, S)."""
    encoder, decoder, _ = aligner()
    batch = dates.collate(examples)
    annotations, state = encoder(batch.source, batch.lengths)
    all_logits = []

    def step(previous, state):
        logits, state, weights = decoder(previous, state, annotations, batch.mask)
        all_logits.append(logits)
        return logits, state, weights

    tokens, weights = greedy_decode(step, state, dates.BOS, dates.EOS, 40)
    return tokens, all_logits, weights


def strings(number, count):
    return dates.examples("test", count, number, torch.Generator().manual_seed(100 + number))


def test_gives_the_runs_own_logits():
    encoder, decoder, about = aligner()
    example = about["example"]
    source = torch.tensor([example["tokens"]])
    with torch.no_grad():
        annotations, state = encoder(source, torch.tensor([source.shape[1]]))
        for token in example["previous"]:
            logits, state, _ = decoder(torch.tensor([token]), state, annotations, None)
    wanted = torch.tensor(example["logits"])
    torch.testing.assert_close(logits[0], wanted, atol=0.1, rtol=0)  # float16 against float32


def test_translates_as_many_test_strings_as_in_its_run():
    _, _, about = aligner()
    examples = strings(2, 1000)
    tokens, _, _ = translate(examples)
    written = [dates.target_vocabulary().decode(row) for row in tokens]
    right = sum(text == one.target + "$" for text, one in zip(written, examples, strict=True))
    assert abs(right - about["results"]["2"]) <= 3  # float16 may tip a few


def test_gives_the_page_the_same_symbols_logits_and_weights(browser, tmp_path):
    page = open_bare(browser, tmp_path, stored.FOLDER / "aligner.safetensors")
    for example in strings(1, 3) + strings(3, 2):
        source = dates.source_vocabulary().encode(example.source)
        found = page.evaluate(IN_THE_PAGE, source)
        tokens, logits, weights = translate([example])
        assert found[0] == tokens[0].tolist()
        for got, wanted in zip(found[1:], (torch.cat(logits), weights[0]), strict=True):
            torch.testing.assert_close(torch.tensor(got), wanted, atol=1e-4, rtol=1e-4)
    page.close()


def test_knows_the_characters_and_is_small():
    _, _, about = aligner()
    assert about["source_characters"] == "".join(dates.source_vocabulary().characters)
    assert about["target_characters"] == "".join(dates.target_vocabulary().characters)
    assert (stored.FOLDER / "aligner.safetensors").stat().st_size < 1e6
