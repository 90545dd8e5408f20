"""Does the stored model of digits still read what it read in the chapter's run?"""

import torch
from lab import stored
from lab.digits import digits_split

from solutions.vit import VisionTransformer, attention_rollout
from tests.book.live_page import open_bare


def reader():
    numbers, about = stored.stored("digits")
    model = VisionTransformer(**about["sizes"])
    model.load_state_dict(numbers)
    return model, about


def test_gives_the_runs_own_logits():
    model, about = reader()
    image, wanted = (torch.tensor(about["example"][key]) for key in ("image", "logits"))
    with torch.no_grad():
        got = model(image[None])[0]
    torch.testing.assert_close(got, wanted, atol=0.05, rtol=0)  # float16 against float32


def test_reads_as_many_held_out_digits_as_in_its_run():
    model, about = reader()
    _, held_out = digits_split()
    with torch.no_grad():
        said = model(held_out.images).argmax(dim=-1)
    right = int((said == held_out.labels).sum())
    assert abs(right - about["results"]["right"]) <= 1  # a digit on the edge may tip in float16
    assert right / about["results"]["held_out"] > 0.98


def test_is_small_and_says_its_shapes():
    assert (stored.FOLDER / "digits.safetensors").stat().st_size < 1e6
    numbers, about = stored.stored("digits")
    assert about["parameters"] == {key: list(tensor.shape) for key, tensor in numbers.items()}


IN_THE_PAGE = """async (images) => {
  const model = await attention.loadModel("digits");
  return images.map((image) => {
    const pixels = attention.matrix(8, 8, Float32Array.from(image.flat()));
    const { logits, weights } = attention.visionTransformer(model, pixels);
    const rollout = attention.attentionRollout(weights);
    return [[...logits.numbers], [...attention.row(rollout, 0)]];
  });
}"""


def test_gives_the_page_the_same_logits_and_rollout(browser, tmp_path):
    model, _ = reader()
    images = digits_split()[1].images[:5]
    page = open_bare(browser, tmp_path, stored.FOLDER / "digits.safetensors")
    found = page.evaluate(IN_THE_PAGE, images[:, 0].tolist())
    page.close()
    with torch.no_grad():
        _, weights = model.encoder(model.patch_embedding(images))
        wanted = [model(images), attention_rollout(weights)[:, 0]]
    for got, one in zip(zip(*found, strict=True), wanted, strict=True):
        torch.testing.assert_close(torch.tensor(got), one, atol=1e-4, rtol=1e-4)
