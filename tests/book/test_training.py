"""A reader trains a model in the page: by the same steps as PyTorch, and with what comes of it."""

import pytest
import torch
from lab import induction, words
from lab.induction import AttentionOnly, learn_to_copy
from lab.live import training_figure
from lab.training import train
from torch import nn
from torch.nn import functional as F

from solutions.self_attention import SelfAttention
from solutions.writer import RotaryAttention, induction_score
from tests.book.live_page import STATIC, lay_page

ALT = "A model to train."
STEPS = 10
SEEDS = range(5)
# A worker begins with what it is given, and takes steps on these batches, or as many as it is told.
TRAINED = """async ([{ weights, ...task }, steps]) => {
  const { worker: text, data } = await attention.handedOver(task.name);
  const worker = new Worker(URL.createObjectURL(new Blob([text])));
  const answer = (message) => new Promise((resolve, reject) => {
    worker.onmessage = (heard) => resolve(heard.data);
    worker.onerror = (error) => reject(new Error(error.message));
    worker.postMessage(message);
  });
  const floats = (numbers) => numbers && Object.fromEntries(
    Object.entries(numbers).map(([name, values]) => [name, Float32Array.from(values)]));
  const begun = await answer({ begin: { ...task, data, weights: floats(weights) } });
  const take = Array.isArray(steps)
    ? steps.map(({ tokens, targets, counted }) => ({
        tokens: Int32Array.from(tokens),
        targets: Int32Array.from(targets),
        counted: Float32Array.from(counted),
      }))
    : begun.steps;
  const { losses, seen } = await answer({ take });
  worker.terminate();
  return { losses, right: seen?.right };
}"""


@pytest.fixture(params=["copying", "sentences"])
def task(request):
    return request.param


@pytest.fixture
def page(browser, extension, tmp_path, task):
    """The figure in a page on a disk."""
    (tmp_path / "models").mkdir()
    script = extension("learning").script(STATIC.parent, task)
    (tmp_path / "models" / f"{task}.js").write_text(script)
    losses = {1: [5.0, 4.0, 4.5], 2: [6.0, 3.0, 0.0]}
    drawn = training_figure(task, losses, 7, ALT, "training", tries=("another seed.",))
    page = browser.new_page(viewport={"width": 390, "height": 800}, reduced_motion="no-preference")
    page.set_default_timeout(60_000)
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.goto(lay_page(tmp_path, drawn, {"size": "0.4 MB"}))
    page.get_by_role("button", name="Train (loads 0.4 MB)").wait_for()
    yield page
    assert page.troubles == []
    page.close()


def copied(monkeypatch, layers: int) -> tuple[dict, list[dict], list[float]]:
    """Chapter 10's own training: the weights before it, its batches, and its losses."""
    torch.manual_seed(3)
    model = AttentionOnly([RotaryAttention(64, 2) for _ in range(layers)], 64)
    weights = {name: tensor.flatten().tolist() for name, tensor in model.state_dict().items()}
    batches = []

    def paired(number, random):
        tokens, known = drawn(number, random)
        if number == 32:  # not the rows that are held out
            shifted = [F.pad(rows[:, 1:], (0, 1)).flatten().tolist() for rows in (tokens, known)]
            batches.append(
                {"tokens": tokens.flatten().tolist(), "targets": shifted[0], "counted": shifted[1]}
            )
        return tokens, known

    drawn = induction.paired
    monkeypatch.setattr(induction, "paired", paired)
    learned = learn_to_copy(model, induction_score, STEPS, seed=3)
    return weights, batches, learned.trained.losses


def guessed(layers: int) -> tuple[dict, list[dict], list[float]]:
    """Chapter 5's model on pairs of its sentences: weights, batches, and PyTorch's losses."""
    torch.manual_seed(5)
    vocabulary, training = words.vocabulary(), words.sentences("train")
    rows = words.encode(training, vocabulary)
    nouns, company = (
        torch.tensor([get(s) for s in training]) for get in (lambda s: s.place, lambda s: s.company)
    )
    embedding, output = nn.Embedding(len(vocabulary), 32), nn.Linear(32, len(vocabulary))
    attention = nn.ModuleList(SelfAttention(32, 32, 32) for _ in range(layers))
    model = nn.ModuleDict({"embedding": embedding, "layers": attention, "output": output})
    weights = {name: tensor.flatten().tolist() for name, tensor in model.state_dict().items()}
    batches = []

    def loss_of(random):
        one, other = torch.randint(len(rows), (2, 64), generator=random)
        row, tokens = torch.arange(64), torch.cat([rows[one], rows[other]], dim=1)
        hidden = tokens[row, company[one, 0]]
        tokens[row, company[one, 0]] = vocabulary.index(words.GAP)
        x = embedding(tokens)
        for layer in attention:
            x = layer(x, (tokens != 0)[:, None, :])[0]
        targets, counted = torch.zeros_like(tokens), torch.zeros(tokens.shape)
        for place in (nouns[one], company[one, 1]):
            targets[row, place], counted[row, place] = hidden, 1.0
        batches.append(
            {
                name: tensor.flatten().tolist()
                for name, tensor in (("tokens", tokens), ("targets", targets), ("counted", counted))
            }
        )
        places = counted.bool()
        return F.cross_entropy(output(x)[places], targets[places])

    rate = {"schedule": lambda step: 2e-2 * step / 30, "weight_decay": 0.5}
    return weights, batches, train(model, loss_of, STEPS, **rate).losses


@pytest.mark.parametrize(
    ("task", "layers"), [("copying", 1), ("copying", 2), ("sentences", 1)], indirect=["task"]
)
def test_are_the_first_ten_losses_those_of_pytorch(page, task, layers, monkeypatch):
    """From the same weights, on the same batches; the oracle is the chapters' training."""
    weights, batches, wanted = copied(monkeypatch, layers) if task == "copying" else guessed(layers)
    asked = {"name": task, "layers": layers, "seed": 0, "weights": weights}
    found = page.evaluate(TRAINED, [asked, batches])["losses"]
    assert len(found) == STEPS
    assert found == pytest.approx(wanted, abs=1e-3)


def steps(figure, at_least: int = 0) -> int:
    """How many steps are said to be taken, once they are so many."""
    progress = figure.locator(".training-progress")
    while True:
        words = progress.inner_text()
        taken = int(words.split()[1]) if words.startswith("Step") else -1
        if taken >= at_least:
            return taken
        progress.locator(f":scope:not(:text-is('{words}'))").wait_for()


def test_trains_pauses_and_goes_on_by_the_keyboard(page, task):
    figure = page.locator("figure.training")
    button, said = figure.get_by_role("button"), figure.locator("[role=status]")
    button.press("Enter")
    figure.get_by_role("button", name="Pause").wait_for()
    assert 0 < steps(figure, 10) < 500
    button.press("Enter")
    said.filter(has_text="Paused. Step").wait_for(state="attached")
    figure.get_by_role("button", name="Go on").wait_for()
    page.evaluate("() => new Promise(requestIdleCallback)")
    stood = steps(figure)
    points = figure.locator("polyline").get_attribute("points").split()
    button.press("Enter")
    assert steps(figure, stood + 1) > len(points)
    figure.get_by_label("seed").select_option("3")
    figure.get_by_role("button", name="Train").press("Enter")
    said.filter(has_text="seed 3: training begins").wait_for(state="attached")
    (line,) = figure.locator(".training-runs li").all_inner_texts()
    assert ", seed 0, step " in line
    assert figure.locator("polyline").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_scripts_a_still_shows_the_runs(page, browser):
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(page.url)
    assert still.locator("polyline").count() == 2
    assert "It ends at 4.50 with 1 layer and 0.00 with 2 layers" in still.inner_text("figure")
    context.close()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("task", "layers", "least", "most"),
    [
        ("copying", 2, 0.9, 1),
        ("copying", 1, 0, 0.15),  # a guess is right 12% of the time
        ("sentences", 1, 0.95, 1),
        ("sentences", 0, 0.5, 0.5),
    ],
    indirect=["task"],
)
def test_comes_of_four_in_five_trainings_what_the_chapters_say(page, task, layers, least, most):
    asked = [{"name": task, "layers": layers, "seed": seed} for seed in SEEDS]
    ends = [page.evaluate(TRAINED, [each, None])["right"] for each in asked]
    assert sum(least <= right <= most for right in ends) >= 4, ends
