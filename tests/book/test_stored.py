"""Trained models in files: what is written, and when."""

import pytest
import torch
from lab import stored
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.embedding, self.output = nn.Embedding(5, 4), nn.Linear(4, 5)

    def forward(self, tokens):
        return self.output(self.embedding(tokens))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "FOLDER", tmp_path / "models")
    return tmp_path / "models"


def test_a_model_comes_back_with_its_sizes_and_an_example(folder, monkeypatch):
    monkeypatch.setenv(stored.KEEP, "1")
    model, example = Model(), torch.tensor([1, 4, 2])
    stored.keep("small", model, example, sizes={"embed_dim": 4})
    assert (folder / "small.safetensors").stat().st_mode & 0o444 == 0o444
    numbers, about = stored.stored("small")
    assert about["sizes"] == {"embed_dim": 4}
    assert about["parameters"]["output.weight"] == [5, 4]
    for key, tensor in model.state_dict().items():
        torch.testing.assert_close(numbers[key], tensor, atol=1e-3, rtol=1e-3)
    other = Model()
    other.load_state_dict(numbers)
    given = torch.tensor(about["example"]["tokens"])
    wanted = torch.tensor(about["example"]["logits"])
    torch.testing.assert_close(other(given[None])[0, -1], wanted, atol=5e-3, rtol=0)


def test_come_a_large_models_matrices_back_within_half_a_step_of_eight_bits(folder, monkeypatch):
    monkeypatch.setenv(stored.KEEP, "1")
    monkeypatch.setattr(stored, "LARGE", 100)
    model = nn.Sequential(nn.Embedding(5, 64), nn.Linear(64, 3))
    stored.keep("large", model, torch.tensor([1, 4]))
    numbers, about = stored.stored("large")
    assert set(numbers) == set(model.state_dict())
    assert about["parameters"]["0.weight"] == [5, 64]
    for name, tensor in model.state_dict().items():
        groups = tensor.view(-1, 32) if tensor.ndim == 2 else tensor.view(1, -1)
        step = groups.abs().amax(dim=-1, keepdim=True) / 127  # torch's own largest, by group
        difference = (numbers[name].view_as(groups) - groups).abs()
        assert (difference <= step * 0.51 + 1e-3).all()
    size = (folder / "large.safetensors").stat().st_size
    assert size < 1.5 * sum(tensor.numel() for tensor in model.state_dict().values()) + 600


def test_nothing_is_written_where_nobody_asked(folder, monkeypatch):
    monkeypatch.delenv(stored.KEEP, raising=False)
    stored.keep("small", Model(), torch.tensor([0]))
    assert not folder.exists()


def test_a_model_of_images_comes_with_an_image(folder, monkeypatch):
    monkeypatch.setenv(stored.KEEP, "1")
    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 3))
    image = torch.tensor([[[0.0, 0.5], [1.0, 0.25]]])  # (C, height, width)
    stored.keep("picture", model, image)
    _, about = stored.stored("picture")
    assert about["example"]["image"] == image.tolist()
    wanted = model(image[None])[0]
    torch.testing.assert_close(torch.tensor(about["example"]["logits"]), wanted, atol=1e-4, rtol=0)


def test_a_translator_comes_with_a_source_and_a_target(folder, monkeypatch):
    monkeypatch.setenv(stored.KEEP, "1")

    class Translator(Model):
        def forward(self, source, previous):
            return super().forward(previous) + super().forward(source).mean(dim=1, keepdim=True)

    model, source, previous = Translator(), torch.tensor([3, 4, 2]), torch.tensor([1, 0])
    stored.keep("pair", model, (source, previous))
    _, about = stored.stored("pair")
    example = about["example"]
    assert (example["tokens"], example["previous"]) == (source.tolist(), previous.tolist())
    wanted = model(source[None], previous[None])[0, -1]
    torch.testing.assert_close(torch.tensor(example["logits"]), wanted, atol=1e-4, rtol=0)


@pytest.fixture
def looks(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "LOOKS", tmp_path / "looks")
    return tmp_path / "looks"


def test_a_look_comes_back_with_two_digits(looks, monkeypatch):
    monkeypatch.setenv(stored.KEEP, "1")
    scores = torch.tensor([[0.123, -torch.inf], [1.0, -2.345]])
    stored.keep_look(
        "one", items=["é", "b"], scores=scores, heads={"H0": scores}, likely={"a": 0.5}
    )
    rows = [[0.12, None], [1.0, -2.35]]
    assert stored.look("one") == {
        "items": ["é", "b"],
        "scores": rows,
        "heads": {"H0": rows},
        "likely": {"a": 0.5},
    }


def test_no_look_is_written_where_nobody_asked(looks, monkeypatch):
    monkeypatch.delenv(stored.KEEP, raising=False)
    stored.keep_look("one", items=["a"])
    assert not looks.exists()
