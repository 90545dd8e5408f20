"""Checks for chapter 3, Bahdanau."""

import itertools

import torch
from torch import Tensor

from autograder.checking import (
    Ask,
    agrees,
    backpropagates,
    by,
    close,
    exercise,
    misconceptions,
    portable,
    prediction,
    require,
    same,
)
from autograder.checking.cases import VALUES
from autograder.remote.calling import cotangent
from solutions.attention_layer.check import no_bias


def _filled(layer, draw):
    """The layer with drawn numbers in all of its parameters, whatever they are called."""
    old = layer.parameters()
    layer.load({name: 0.7 * draw.normal(*parameter.shape) for name, parameter in old.items()})
    return layer


def _alike(one, other):
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-6, atol=1e-8)


def _are(results, shapes):
    """Is it a tuple of tensors of these shapes?"""
    return (
        isinstance(results, tuple | list)
        and len(results) == len(shapes)
        and all(isinstance(one, Tensor) for one in results)
        and all(tuple(one.shape) == shape for one, shape in zip(results, shapes, strict=True))
    )


def _shapes(results):
    """What comes back in the place of tensors of given shapes, in words."""
    if not isinstance(results, tuple | list):
        return type(results).__name__
    return ", ".join(str(tuple(getattr(one, "shape", ()))) for one in results)


def _all_learn(layer, embedding, *arguments):
    """Gradients are finite and reach every parameter; returns those of the inputs."""
    found = layer.gradients(*arguments)
    bad = [name for name, one in found.parameters.items() if not one.isfinite().all()]
    require(not bad, f"The gradient is not finite: {', '.join(bad)}.")
    # A bias may have none for good reason: one that adds the same to all scores.
    dead = [
        "the embedding" if tuple(one.shape) == embedding else name
        for name, one in found.parameters.items()
        if one.dim() > 1 and not one.any()
    ]
    how = "embedding" if "the embedding" in dead else ""
    require(not dead, f"No gradient reaches {', '.join(dead)}, so it never learns.", how)
    return found.inputs


def _moved(one, other):
    """The positions (B = 1) at which two results differ."""
    gaps = (one - other).abs().amax(dim=(0, 2))
    return {position for position, gap in enumerate(gaps.tolist()) if gap > 1e-9}


def _affine(inputs, outputs):
    """Is there a linear layer that makes these outputs of these inputs?"""
    inputs = torch.cat([inputs, torch.ones_like(inputs[:, :1])], dim=1)
    missing = outputs - inputs @ torch.linalg.lstsq(inputs, outputs).solution
    return bool(missing.abs().max() < 1e-6 * outputs.abs().max().clamp(min=1))


@exercise("BidirectionalEncoder", chapter="03-bahdanau", points=4, behavior=True, mend="longest")
def _(student, reference, draw):
    B, S, V, H, pad = 4, 6, 11, 4, 3
    tokens = draw.integers(0, V - 1, 40, 5)
    tokens += tokens >= pad  # any token but padding
    tokens[:, 2] = 0  # which is a token like any other here
    lengths = torch.tensor([2, 5, 1, 4])
    padding = torch.arange(S) >= lengths[:, None]
    batch = torch.cat([tokens[:B], tokens[:B, :1]], dim=1).masked_fill(padding, pad)

    layer = _filled(student(V, 5, H, pad_id=pad), draw)
    returned = layer(tokens[:3], torch.full((3,), 5))
    fits = _are(returned, [(3, 5, 2 * H), (3, H)])
    require(
        fits,
        "It should return two tensors: annotations of shape [B, S, 2 * hidden_dim] and a state of "
        "shape [B, hidden_dim].",
        "" if fits else _shapes(returned),
    )
    if not fits:
        return
    require(
        _are(layer(batch, lengths), [(B, S, 2 * H), (B, H)]),
        "Where S is larger than all lengths, the annotations should be [B, S, 2 * hidden_dim] all "
        "the same: what is behind the longest row is padding too.",
    )
    layer.to("float64")

    # One sentence without padding: who hears of a change at position 1?
    changed = tokens[:1].clone()
    changed[0, 1] = 4 if int(changed[0, 1]) != 4 else 5
    whole = torch.tensor([5])
    before, after = layer(tokens[:1], whole)[0], layer(changed, whole)[0]
    require(before.dtype == torch.float64, "After `.double()` the annotations should be float64.")
    require(
        bool(before[0, 2].any()),
        "The annotation of token 0 is zeros, although it is no padding: pad_id is another number.",
    )
    first = _moved(before[..., :H], after[..., :H])
    second = _moved(before[..., H:], after[..., H:])
    pair = torch.cat([tokens[:1], tokens[:1]]), torch.cat([changed, tokens[:1]])
    along_batch = [layer(one, torch.tensor([5, 5]))[0][1] for one in pair]
    require(
        not first == second == {1},
        "An annotation depends on its own token only. The directions have to carry what they read "
        "from one token to the next.",
        "" if _alike(*along_batch) else "along the batch",
    )
    require(
        (first, second) != ({0, 1}, {1, 2, 3, 4}),
        "The two directions are joined in the wrong order: the first half of an annotation is the "
        "backward direction.",
    )
    require(
        (first, second) != ({1, 2, 3, 4}, {1, 2, 3, 4}),
        "The second half of the annotations is read from left to right as well, so no token hears "
        "of what comes after it.",
    )
    require(
        (first, second) != ({1, 2, 3, 4}, {3, 4}),
        "The backward direction's outputs are joined in the order in which they were made, last "
        "token first. They have to be turned around, so that both halves are about one token.",
    )
    require(
        (first, second) == ({1, 2, 3, 4}, {0, 1}),
        "The two directions are joined wrongly: the first half of an annotation should depend on "
        "its token and those before it, the second half on its token and those after it.",
    )

    changed = tokens[:1].clone()
    changed[0, 4] = 4 if int(changed[0, 4]) != 4 else 5
    heard = _moved(before[..., H:], layer(changed, whole)[0][..., H:])
    require(
        heard == {0, 1, 2, 3, 4},
        "The backward direction does not read the last token: its half of an annotation should "
        "depend on the token itself and on all after it.",
    )
    alone = layer(tokens[:1, :1], torch.tensor([1]))[0]
    require(
        not _alike(alone[..., :H], alone[..., H:]),
        "A sentence of one token is read alike in both directions, by one recurrent layer. There "
        "are two, each with weights of its own.",
    )

    # The state of 40 sentences without padding: what is it made of?
    annotations, state = layer(tokens, torch.full((40,), 5))
    backward, forward = annotations[:, 0, H:], annotations[:, -1, :H]
    # With each weight negated, too: a bias alone may keep all of them above zero.
    parameters = layer.parameters()
    layer.load({name: -old for name, old in parameters.items()})
    negated = layer(tokens, torch.full((40,), 5))[1]
    layer.load(parameters)
    require(
        bool((state < 0).any() or (negated < 0).any()),
        "No number of the state is below zero: it is not tanh that comes after the linear layer. "
        "tanh is as often negative as positive.",
    )
    require(
        not _alike(state, backward) and not _affine(backward, state),
        "The state is not put through tanh (after the linear layer).",
    )
    inside = state.clamp(-1 + 1e-15, 1 - 1e-15).atanh()
    require(
        not _alike(inside, backward), "The state is not put through a linear layer before tanh."
    )
    require(
        not _affine(forward, inside),
        "The state is made from the forward direction's last output. The paper takes the backward "
        "direction's, the one at the first token.",
    )
    require(
        _affine(backward, inside) or not _affine(torch.cat([forward, backward], dim=1), inside),
        "The state is made from both directions. The paper takes the backward direction's last "
        "output alone, the one at the first token.",
    )
    require(
        not _affine(annotations[:, -1, H:], inside),
        "The state is made from the backward direction's output at the last token, where it has "
        "read only one. Its last output is the one at the first token.",
    )
    require(
        _affine(backward, inside) or not _affine(annotations.mean(dim=1), inside),
        "The state is made from an average of outputs over the positions. The paper takes the "
        "backward direction's last output alone, which is at the first token.",
    )
    require(
        not _affine(annotations[:, 0, :H], inside),
        "The state is made from the forward direction's output at the first token, where it has "
        "read only one. The paper takes the backward direction's.",
    )
    require(
        not _affine(backward.tanh(), state),
        "The state is a linear layer of tanh, and not tanh of a linear layer.",
    )
    require(
        _affine(backward, inside),
        "The state is not what a linear layer and tanh make of the backward direction's last "
        "output, the one at the first token.",
    )

    annotations, state = layer(batch, lengths)
    alone = [layer(batch[b : b + 1, :n], lengths[b : b + 1]) for b, n in enumerate(lengths)]
    owners = [
        [other for other in range(B) if _alike(alone[other][1][0], state[b])] for b in range(B)
    ]
    require(
        all(owner == [b] for b, owner in enumerate(owners)) or not all(owners),
        "The states come back in another order than the sentences of the batch. If these were "
        "sorted by length, both results have to be put back in their order.",
    )
    ahead, behind = (
        all(
            _alike(annotations[b, :n, half], alone[b][0][0][:, half]) for b, n in enumerate(lengths)
        )
        for half in (slice(0, H), slice(H, None))
    )
    require(
        not ahead or behind,
        "The backward direction starts in the padding, so how much there is of it changes the "
        "annotations. It should start at the last token of each row.",
    )
    require(
        ahead,
        "A row alone gets other annotations than the same row in a batch with longer ones. Neither "
        "padding nor other rows should change anything. (Which token is padding: pad_id, not 0.)",
    )
    require(
        all(_alike(alone[b][1][0], state[b]) for b in range(B)),
        "A row alone gets another state than the same row in a batch with longer ones. The state "
        "should not depend on the padding.",
    )
    require(
        not annotations[padding].any(), "The annotations at padding are not zero: they should be."
    )
    inside = layer(tokens[:1].masked_fill(torch.arange(5) == 1, pad), whole)[0]
    require(
        bool(inside[0, 1].any()),
        "The annotation of a token inside a sentence is zeros, because it is pad_id. How many of a "
        "row's tokens are real is told by `lengths`.",
    )
    other = batch.masked_fill(padding, 7)
    require(
        all(
            _alike(*pair) for pair in zip(layer(other, lengths), (annotations, state), strict=True)
        ),
        "Another token in the place of padding changes the result. How many of a row's tokens are "
        "real is told by `lengths`, not by which tokens they are, and the rest is not read.",
    )
    layer.to("float32")
    agrees(layer, layer, batch, lengths, ask=Ask(gradients=False))
    _all_learn(layer, (V, 5), batch, lengths)
    require(
        all(part.dtype == torch.float32 for part in layer(batch, lengths)),
        "The annotations and the state should be float32, as the parameters are.",
    )
    for of, said in (((0, 1), "annotations and state"), ((1,), "the state alone")):
        found = layer.gradients_of(None, batch, lengths, of=of).parameters.values()
        tables = [one for one in found if tuple(one.shape) == (V, 5)]
        require(
            all(bool(one.any()) for one in tables),
            f"No gradient of {said} reaches the embedding: somewhere it is cut off.",
        )
        require(
            of == (1,) or all(bool(one[0].any()) for one in tables),
            "No gradient reaches the embedding of token 0, which is no padding here: pad_id is "
            "another number.",
        )
    plain = student(V, 5, H)
    require(
        _are(plain(tokens[:2], torch.tensor([5, 3])), [(2, 5, 2 * H), (2, H)]),
        "Without naming a pad_id, which is 0 then, it should return the same two tensors.",
    )


misconceptions["BidirectionalEncoder"] = {
    "directions-added": (
        "An annotation has hidden_dim numbers, as where the two directions are added or averaged, "
        "or where one of them comes back alone. The paper puts both side by side: 2 * hidden_dim "
        "numbers.",
        {"torch.cat([forward, backward], dim=-1)": "(forward + backward)"},
    ),
    "cut-at-longest": (
        "The annotations end at the longest row of the batch. They should be as long as the tokens "
        "that came in, so that they fit the mask.",
        {"return annotations,": "return annotations[:, : lengths.max()],"},
    ),
    "no-recurrence": (
        "There is no recurrence: an annotation depends on its own token alone. It should say in "
        "which surroundings its token stands, so each step needs what the step before it has "
        "read.",
        by(
            {
                "self.right(x[:, j], h)": "self.right(x[:, j])",
                "self.left(x[:, j], h)": "self.left(x[:, j])",
            },
            style="two cells, step by step",
        ),
    ),
    "backward-first": (
        "The two directions are joined in the wrong order: backward first. The contract, like the "
        "paper, puts the forward direction first.",
        {"[forward, backward]": "[backward, forward]"},
    ),
    "both-forward": (
        "The second half of the annotations is read from left to right as well, so no token hears "
        "of what comes after it. The backward direction should start at the end.",
        {
            "tokens.gather(1, turned)": "tokens",
            "backward.gather(1, turned.unsqueeze(-1).expand_as(backward))": "backward",
        },
    ),
    "not-turned-back": (
        "The backward direction's outputs stand in the order in which they were made, last token "
        "first: what was turned around to be read was not turned back. The two halves of an "
        "annotation are then about different tokens.",
        {
            "backward.gather(1, turned.unsqueeze(-1).expand_as(backward))": "backward",
            "backward[:, 0]": "backward[torch.arange(len(tokens)), lengths - 1]",
        },
    ),
    "padding-first": (
        "The rows are read backward as a whole, padding first, and the backward direction's "
        "outputs are not turned back: the two halves of an annotation are about different tokens.",
        {
            "tokens.gather(1, turned)": "tokens.flip(1)",
            "backward.gather(1, turned.unsqueeze(-1).expand_as(backward))": "backward",
            "backward[:, 0]": "backward[:, -1]",
            ".masked_fill(~real.unsqueeze(-1), 0.0)": "",
        },
    ),
    "interleaved": (
        "The two directions are joined wrongly: in both halves of an annotation there is "
        "something of either, as where their numbers alternate or a layer mixes them. The forward "
        "direction's hidden_dim numbers come first, then the backward direction's.",
        {
            "torch.cat(": "torch.stack(",
            "dim=-1)": "dim=-1).flatten(-2)",
        },
    ),
    "no-tanh": (
        "The state does not go through tanh: tanh comes last, after the linear layer.",
        {"torch.tanh(self.start(backward[:, 0]))": "self.start(backward[:, 0])"},
    ),
    "no-linear": (
        "The backward direction's last output goes through tanh without the linear layer, which "
        "should come before tanh.",
        {
            "self.start = nn.Linear(hidden_dim, hidden_dim)": "",
            "self.start(backward[:, 0])": "backward[:, 0]",
        },
    ),
    "state-from-forward": (
        "The state is made from the forward direction's last output. The paper takes the backward "
        "direction's: it has just read the first token, where the translation starts.",
        by(
            {"(_, backward)": "(backward, _)"},
            style="packed",
        ),
    ),
    "state-from-both": (
        "The state is made from both directions' last outputs. The paper takes that of the "
        "backward direction alone.",
        by(
            {
                "nn.Linear(hidden_dim,": "nn.Linear(2 * hidden_dim,",
                "(_, backward)": "both",
                "start(backward)": "start(both.transpose(0, 1).flatten(1))",
            },
            style="packed",
        ),
    ),
    "state-at-last": (
        "The state is made from the backward direction's output at the last position, where it "
        "has read at most one token. It has read all of them at the first position.",
        {"backward[:, 0]": "annotations[:, -1].chunk(2, dim=-1)[1]"},
        {
            "backward[:, 0]": "backward[torch.arange(len(tokens)), lengths - 1]",
        },
    ),
    "state-from-average": (
        "The state is made from an average of outputs over the positions. The paper takes the "
        "backward direction's last output alone, the one at the first token.",
        {"backward[:, 0]": "(backward * real.unsqueeze(-1)).sum(dim=1) / lengths.unsqueeze(1)"},
    ),
    "rows-sorted": (
        "The rows were sorted by length, and do not come back in their own order: a sentence may "
        "get another one's annotations. What undoes an order is its inverse, `order.argsort()`.",
        {"position =": "lengths, order = lengths.sort()\ntokens = tokens[order]\nposition ="},
    ),
    "longest": (
        "The backward direction does not start at the last token of each row, but in the padding "
        "behind it, and carries that into the annotations. How much padding a row has then "
        "changes what it means: use `lengths`.",
        {"lengths.unsqueeze(1) - 1 - position": "tokens.shape[1] - 1 - position"},
        {
            "tokens.gather(1, turned)": "tokens.flip(1)",
            "backward.gather(1, turned.unsqueeze(-1).expand_as(backward))": "backward.flip(1)",
        },
    ),
    "pad-is-zero": (
        "The annotation of token 0 is zeros, although pad_id is another number. Where it is, 0 is "
        "a token like any other: take pad_id, or the lengths, to tell padding.",
        {"~real.unsqueeze(-1)": "(~real | (tokens == 0)).unsqueeze(-1)"},
    ),
    "padding-not-zeroed": (
        "The annotations at padding are not zero, but depend on the padding's tokens. Set them to "
        "zero at all positions from lengths[b] on.",
        {".masked_fill(~real.unsqueeze(-1), 0.0)": ""},
    ),
    "padding-not-zeros": (
        "The annotations at padding are not zero. Set them to zero at all positions from "
        "lengths[b] on.",
        by(
            {"both * real": "both"},
            style="two cells, step by step",
        ),
    ),
    "embedding-detached": (
        "The embedding is cut off from the gradient, so it never learns.",
        {
            "self.embedding(tokens))": "self.embedding(tokens).detach())",
            "tokens.gather(1, turned))": "tokens.gather(1, turned)).detach()",
        },
    ),
    "lengths-from-pad-id": (
        "What is padding is told, somewhere in here, by its tokens and not by `lengths`. "
        "`lengths` says where a row ends, and what stands behind that changes nothing, whatever "
        "token it is.",
        {
            "self.start =": "self.pad_id = pad_id\nself.start =",
            "real = position < lengths.unsqueeze(1)": "lengths = (tokens != "
            "self.pad_id).sum(dim=1)\nreal = position < lengths.unsqueeze(1)",
        },
        {
            "self.start =": "self.pad_id = pad_id\nself.start =",
            "real = position < lengths.unsqueeze(1)": "real = tokens != self.pad_id\nlengths "
            "= real.sum(dim=1)",
        },
    ),
    "sorted-wanted": (
        "The rows are packed as if they came sorted by length, the longest first. `lengths` "
        "may be in any order: pack_padded_sequence takes them so with enforce_sorted=False.",
        {
            "position =": "nn.utils.rnn.pack_padded_sequence(self.embedding(tokens), lengths, "
            "batch_first=True)\nposition =",
        },
    ),
    "not-batch-first": (
        "The recurrence runs along the batch, as that of `nn.GRU` and `nn.LSTM` does without "
        "batch_first=True: they take the first axis for the positions. What one sentence says "
        "must not reach the next.",
        {
            "forward_rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True)": "forward_rnn = "
            "nn.GRU(embed_dim, hidden_dim)",
            "backward_rnn = nn.GRU(embed_dim, hidden_dim, batch_first=True)": "backward_rnn = "
            "nn.GRU(embed_dim, hidden_dim)",
        },
    ),
    "tanh-before-linear": (
        "tanh comes before the linear layer. The backward direction's last output goes "
        "through the linear layer, and what comes out of that through tanh.",
        {
            "torch.tanh(self.start(backward[:, 0]))": "self.start(torch.tanh(backward[:, 0]))",
        },
    ),
    "padding-turned": (
        "Padding is turned around with the tokens: there lengths - 1 - position is below 0, which "
        "is no index to gather from. Turn the tokens alone, and leave padding where it is.",
        {
            "torch.where(real, lengths.unsqueeze(1) - 1 - position, position)": (
                "lengths.unsqueeze(1) - 1 - position"
            ),
        },
    ),
    "state-of-one-token": (
        "The state is made from the forward direction's output at the first token, where it has "
        "read only one. Take the backward direction's, which has read the whole sentence there.",
        {"self.start(backward[:, 0])": "self.start(forward[:, 0])"},
    ),
}


@exercise("AdditiveAttention", chapter="03-bahdanau", points=4)
def _(student, reference, draw):
    def layers(Q, K, A):
        weights = {
            "W_s.weight": draw.normal(A=A, Q=Q),
            "W_h.weight": draw.normal(A=A, K=K),
            "v.weight": 2 * draw.normal(1, A=A),
        }
        made = student(Q, K, A), reference(Q, K, A)
        for layer in made:
            layer.load(weights)
        return made

    def case(text, *arguments):
        agrees(*pair, *arguments, names=("context", "weights"), case=text)

    # Everything of one width: whoever mixes the matrices up gets numbers, not an error.
    pair = layers(4, 4, 4)
    case("", draw.normal(B=2, Q=4), draw.normal(2, S=5, K=4))

    pair = layers(3, 6, 8)
    query, keys = draw.normal(B=2, Q=3), draw.normal(2, S=5, K=6)
    case("three different widths", query, keys)
    case("one key", query, keys[:, :1])
    zeros = keys * (torch.arange(5) != 1)[:, None]
    agrees(*pair, query, zeros, names=("context", "weights"), case="a key of zeros", ask=VALUES)
    case("a batch of one", query[:1], keys[:1])

    mask = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 1, 0, 0]], dtype=torch.bool)
    case("a mask", query, keys, mask)
    mask[1] = False
    case("a row that may attend to nothing", query, keys, mask)
    case("nothing may be attended to", query, keys, torch.zeros_like(mask))
    backpropagates(pair[0], query, keys, torch.zeros_like(mask), case="nothing may be attended to")
    no_bias(pair[0], {"W_s": 8, "W_h": 8, "v": 1})
    names = {"names": ("context", "weights"), "ask": VALUES}
    agrees(*pair, query, keys, case="no mask after a mask", **names)
    steep = {"W_s.weight": torch.ones(8, 3), "W_h.weight": torch.ones(8, 6)}
    steep["v.weight"] = torch.full((1, 8), -4096.0)
    mask = torch.tensor([True, False, True, True, False]).expand(2, 5)
    for layer in pair:
        layer.load(steep)
    far = 10 + torch.zeros_like(query), 10 + torch.zeros_like(keys), mask
    agrees(*pair, *far, case="scores of -32768, and a mask", **names)
    steep = {"W_s.weight": draw.normal(8, 3), "W_h.weight": draw.normal(8, 6)}
    steep["v.weight"] = 100 * draw.normal(1, A=8)
    for layer in pair:
        layer.load(steep)
    large = 100 * query, 100 * keys
    case = "scores of some hundreds, and numbers as large in tanh"  # float32 rounds their exp
    agrees(*pair, *large, case=case, rtol=2e-3, atol=2e-3, **names)
    pair = layers(1, 1, 1)
    agrees(*pair, draw.normal(2, 1), draw.normal(2, 3, 1), case="all widths 1", **names)


misconceptions["AdditiveAttention"] = {
    "no-tanh": (
        "The weights do not depend on the query, because there is no tanh around the sum: "
        "whatever the query adds is then the same for all scores of a row, and the softmax takes "
        "it away again.",
        {"torch.tanh": ""},
    ),
    "projections-swapped": (
        "W_s and W_h are swapped: W_s goes with the query (the decoder's state), W_h with the keys "
        "(the encoder's annotations).",
        {
            "self.W_s(query)": "self.W_h(query)",
            "self.W_h(keys)": "self.W_s(keys)",
        },
    ),
    "tanh-before-sum": (
        "The query makes no difference to the weights, as where tanh is applied to query and keys "
        "one by one, before they are added: it then adds the same to all scores of a row, and the "
        "softmax takes it away again. tanh belongs around the sum of both.",
        {
            "torch.tanh": "",
            "self.W_s(query)": "self.W_s(query).tanh()",
            "self.W_h(keys)": "self.W_h(keys).tanh()",
        },
    ),
    "projections-multiplied": (
        "The two projections are multiplied. In additive attention they are added, and tanh and v "
        "make a score of the sum.",
        {"unsqueeze(1) + self": "unsqueeze(1) * self"},
    ),
    "v-unused": (
        "v is not used: the numbers that tanh gives are added up or averaged as they are. v says "
        "how much each of them counts.",
        {"self.v(joint).squeeze(-1)": "joint.sum(dim=-1)"},
        {"self.v(joint).squeeze(-1)": "joint.mean(dim=-1)"},
    ),
    "scaled": (
        "The scores are divided by sqrt(attention_dim). That belongs to dot products; the paper's "
        "alignment model has no such factor.",
        {"self.v(joint).squeeze(-1)": "self.v(joint).squeeze(-1) / math.sqrt(joint.shape[-1])"},
    ),
    "softmax-over-batch": (
        "The softmax runs along the wrong axis: the weights of one position sum to one over the "
        "batch. Each row of the batch shares out its attention over its own keys.",
        {"softmax(scores)": "softmax(scores, dim=0)"},
    ),
    "values-projected": (
        "The context is made of W_h's projections of the keys. They serve for the scores; what is "
        "averaged are the keys themselves.",
        {"@ keys": "@ self.W_h(keys)"},
    ),
    "context-unweighted": (
        "The context is the plain sum or average of the keys, without the weights. Each key "
        "counts as much as its weight says.",
        {"(weights.unsqueeze(1) @ keys).squeeze(1)": "keys.sum(dim=1)"},
        {"(weights.unsqueeze(1) @ keys).squeeze(1)": "keys.mean(dim=1)"},
    ),
    "mask-unused": (
        "The mask is not used: a masked key gets weight like any other.",
        {"if mask is not None:": "if False:"},
    ),
    "mask-turned-around": (
        "The mask is taken the wrong way around. True means that a key may be attended to.",
        {"~mask": "mask"},
    ),
    "masked-score-zero": (
        "The score of a masked key is zero, as where scores or what they come from are multiplied "
        "by the mask. Zero is a score like any other and takes its share of the softmax: it "
        "should be -inf.",
        {"-math.inf": "0.0"},
        {
            "-math.inf": "0.0",
            "softmax(scores)": "softmax(scores) * (1 if mask is None else mask.any(dim=-1, "
            "keepdim=True))",
        },
        {
            "-math.inf": "0.0",
            "softmax(scores)": "softmax(scores) * (1 if mask is None else mask)",
        },
    ),
    "masked-after-softmax": (
        "The mask is applied after the softmax only. The weights that remain do not sum to one "
        "any more: set the scores of masked keys to -inf before.",
        {
            "if mask is not None:": "mask = 1 if mask is None else mask\nif False:",
            "softmax(scores)": "softmax(scores) * mask",
        },
    ),
    "empty-row-nan": (
        "A row that may attend to nothing gets NaN, as from a softmax over scores that are all "
        "-inf, or from a sum of zero that is divided by. Its context and weights should be zeros.",
        {"softmax(scores)": "torch.softmax(scores, dim=-1)"},
    ),
    "large-negative": (
        "A row that may attend to nothing attends to all keys alike, as it does where masked "
        "scores are one large negative number instead of -inf. Its weights and its context should "
        "be zeros.",
        {"-math.inf": "-1e30"},
    ),
    "has-bias": (
        "A linear layer has a bias. The paper's alignment model has none, and the contract says "
        "bias=False for all three.",
        {
            "query_dim, attention_dim, bias=False": "query_dim, attention_dim",
            "key_dim, attention_dim, bias=False": "key_dim, attention_dim",
            "1, bias=False)": "1)\nfor one in (self.W_s, self.W_h, self.v):\n"
            "    nn.init.zeros_(one.bias)",
        },
    ),
    "keys-zeroed": (
        "Masked keys are set to zero, and their scores are not set to -inf. A key of zeros has a "
        "score like any other, so it gets a weight.",
        {
            "joint = torch": "keys = keys if mask is None else keys * mask.unsqueeze(-1)\n"
            "joint = torch",
            "if mask is not None:": "if False:",
        },
        {
            "joint = torch": "keys = keys if mask is None else keys * mask.unsqueeze(-1)\n"
            "joint = torch",
            "if mask is not None:": "if False:",
            "weights = softmax(scores)": "weights = softmax(scores)\nweights = weights if "
            "mask is None else weights * mask.any(dim=-1, keepdim=True)",
        },
    ),
    "projected-keys-zeroed": (
        "The projections of masked keys are set to zero, and their scores are not set to -inf. "
        "What the query adds then still makes a score of them, and that a weight.",
        {
            "self.W_h(keys))": "self.W_h(keys) * (1 if mask is None else mask.unsqueeze(-1)))",
            "if mask is not None:": "if False:",
        },
        {
            "self.W_h(keys))": "self.W_h(keys) * (1 if mask is None else mask.unsqueeze(-1)))",
            "if mask is not None:": "if False:",
            "weights = softmax(scores)": "weights = softmax(scores)\nweights = weights if "
            "mask is None else weights * mask.any(dim=-1, keepdim=True)",
        },
    ),
    "context-averaged": (
        "The weighted keys are divided by their number, as `mean` does. The weights sum to one "
        "already: the keys are added up, each times its weight.",
        {
            "return context, weights": "return context / keys.shape[1], weights",
        },
    ),
    "relu": (
        "A ReLU stands where tanh should.",
        {
            "torch.tanh": "torch.relu",
        },
    ),
    "tanh-after-v": (
        "The scores go through tanh once more, after `v`, so that they lie between -1 and 1. "
        "The score is what comes out of `v`.",
        {
            "self.v(joint)": "self.v(joint).tanh()",
        },
    ),
    "tanh-of-score": (
        "tanh comes after `v`, not before it. The sum of both projections goes through tanh, "
        "and `v` makes the score of that.",
        {
            "torch.tanh": "",
            "self.v(joint)": "self.v(joint).tanh()",
        },
    ),
    "output-repaired": (
        "Where a row may attend to nothing the context is zeros, but the weights that come back "
        "are NaN. The weights should be zeros there, so repair these, and make the context from "
        "them.",
        {
            "softmax(scores)": "torch.softmax(scores, dim=-1)",
            "return context, weights": "return context.nan_to_num(), weights",
        },
    ),
    "weights-unmasked": (
        "The weights that come back are those without the mask; only the context has it. They "
        "are to be the weights that the context was made with.",
        {
            "weights = softmax(scores)": "free = softmax(self.v(joint).squeeze(-1))\nweights "
            "= softmax(scores)",
            "return context, weights": "return context, free",
        },
    ),
    "context-unmasked": (
        "The weights that come back have the mask, but the context was made without it. Both "
        "belong together.",
        {
            "weights.unsqueeze(1)": "softmax(self.v(joint).squeeze(-1)).unsqueeze(1)",
        },
    ),
    "no-softmax": (
        "The scores are used as weights without a softmax. They may be negative, and they do "
        "not sum to one.",
        {
            "weights = softmax(scores)": "weights = scores.masked_fill(scores == -math.inf, 0.0)",
        },
    ),
    "empty-row-allowed": (
        "A row that may attend to nothing attends as if it had no mask. Its weights and its "
        "context should be zeros.",
        {
            "masked_fill(~mask,": "masked_fill(~mask & mask.any(dim=-1, keepdim=True),",
        },
    ),
    "zeros-if-all-empty": (
        "A row that may attend to nothing gets NaN where other rows of the batch may attend to "
        "something: weights of zeros are made only if the whole mask is False. Each such row "
        "needs them.",
        {
            "softmax(scores)": "torch.softmax(scores, dim=-1) if mask is None or mask.any() "
            "else torch.zeros_like(scores)",
        },
    ),
    "dot-product": (
        "The score is a dot product of the two projections. Additive attention adds them, and "
        "tanh and v make the score of the sum.",
        {
            "scores = self.v(joint).squeeze(-1)": "scores = (self.W_s(query).unsqueeze(1) * "
            "self.W_h(keys)).sum(dim=-1) + 0 * self.v(joint).squeeze(-1)",
        },
        {
            "scores = self.v(joint).squeeze(-1)": "scores = (self.W_s(query).unsqueeze(1) * "
            "self.W_h(keys)).sum(dim=-1) / joint.shape[-1] ** 0.5 + 0 * "
            "self.v(joint).squeeze(-1)",
        },
    ),
    "scores-returned": (
        "The scores come back in the place of the weights. The weights are what softmax makes "
        "of them, and sum to one.",
        {
            "return context, weights": "return context, scores",
        },
    ),
    "projection-kept": (
        "What W_h makes of the keys is kept from an earlier call and used again, though the keys "
        "or the weights are others now. Compute W_h(keys) anew in each call.",
        {
            "joint = torch.tanh(self.W_s(query).unsqueeze(1) + self.W_h(keys))": (
                'kept = vars(self).get("kept")\n'
                "if kept is None or kept.shape[:2] != keys.shape[:2]:\n"
                '    kept = vars(self)["kept"] = self.W_h(keys)\n'
                "joint = torch.tanh(self.W_s(query).unsqueeze(1) + kept)"
            ),
        },
    ),
}


@exercise("AttentionDecoder", chapter="03-bahdanau", points=4, behavior=True)
def _(student, reference, draw):
    B, S, V, H, K = 3, 5, 11, 4, 6
    previous, state = torch.tensor([2, 9, 5]), draw.normal(B, H)
    annotations = draw.normal(B, S, K)
    mask = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 1, 0], [1, 0, 1, 1, 0]], dtype=torch.bool)
    layer = _filled(student(V, 5, H, K, 7), draw)
    shapes = (B, V), (B, H), (B, S)
    returned = layer(previous, state, annotations, mask)
    others = [list(order) for order in itertools.permutations(shapes) if order != shapes]
    exchanged = any(_are(returned, order) for order in others)
    require(
        not exchanged,
        "The three results come back in another order. First come the logits, then the new state, "
        "then the weights.",
    )
    if exchanged:
        return
    fits = _are(returned, list(shapes))
    require(
        fits,
        "It should return three tensors: logits [B, vocab_size], the new state [B, hidden_dim] and "
        "weights [B, S].",
        "" if fits else _shapes(returned),
    )
    if not fits:
        return
    agrees(layer, layer, previous, state, annotations, mask, ask=Ask(gradients=False))
    require(
        all(part.dtype == torch.float32 for part in layer(previous, state, annotations, mask)),
        "The results should be float32, as the inputs are.",
    )

    layer.to("float64")
    state, annotations = state.double(), annotations.double()
    logits, after, weights = layer(previous, state, annotations, mask)
    require(
        logits.dtype == after.dtype == weights.dtype == torch.float64,
        "With float64 inputs and parameters the results should be float64.",
    )
    ones = torch.ones(B, dtype=torch.float64)
    require(
        not _alike(logits.sum(dim=-1), ones),
        "The logits went through a softmax. They should be the scores before it: the loss takes "
        "the softmax itself.",
    )
    require(
        not _alike(logits.exp().sum(dim=-1), ones),
        "The logits went through a log-softmax. They should be the scores before it.",
    )
    parameters = layer.parameters()
    layer.load({name: 10 * old for name, old in parameters.items()})
    steep = layer(previous, state, annotations, mask)[0]
    layer.load(parameters)
    require(
        bool((steep.abs() > 1).any()),
        "The logits stay between -1 and 1 with weights that are ten times as large, as after a "
        "sigmoid or tanh. They should be the scores before any such function.",
    )
    require(not weights[mask].eq(0).all(), "The mask is taken the wrong way around.")
    free = layer(previous, state, annotations, torch.ones_like(mask))[2]
    require(
        not weights[~mask].any(),
        "Padding is attended to: where the mask is False a weight should be exactly zero.",
        "as without a mask" if _alike(weights, free) else "",
    )
    require(
        _alike(weights.sum(dim=-1), ones) and bool((weights >= 0).all()),
        "The weights of a row should not be negative, and sum to one over its annotations.",
    )

    one = layer(previous, state + 0.5 * draw.normal(B, H).double(), annotations, mask)
    require(
        not _alike(one[2], weights),
        "The weights do not depend on the state. The state before the step is the query.",
    )
    require(not _alike(after, state), "The state that comes back is the old one.")
    one = layer((previous + 3) % V, state, annotations, mask)
    require(
        _alike(one[2], weights),
        "The weights depend on the previous token, which the state before the step has not seen. "
        "That state alone is the query.",
    )
    require(
        not _alike(one[0], logits),
        "The previous token has no influence on the logits. The decoder has to know what it has "
        "just written.",
    )
    require(
        not _alike(one[1], after),
        "The previous token has no influence on the new state. The decoder has to know what it has "
        "just written.",
    )
    one = layer(previous, state, 3 * annotations.flip(-1), mask)
    require(
        not _alike(one[0], logits),
        "The annotations have no influence on the logits, neither by the context nor by the new "
        "state.",
    )
    require(
        not _alike(one[1], after),
        "The annotations have no influence on the new state: the context should go into it.",
    )
    # A single annotation, equal to the context, has to lead to the same step.
    average = annotations.mean(dim=1, keepdim=True)
    one = layer(previous, state, average, torch.ones(B, 1, dtype=torch.bool))
    require(
        not (_alike(one[0], logits) and _alike(one[1], after)),
        "The context is the plain average of the annotations: each counts as much as any other.",
    )
    context = torch.einsum("bs,bsk->bk", weights, annotations)
    two = layer(previous, state, context[:, None], torch.ones(B, 1, dtype=torch.bool))
    require(
        _alike(two[0], logits) and _alike(two[1], after),
        "Logits and new state do not hang on the annotations by their weighted sum alone: a single "
        "annotation that equals this sum should lead to the same logits and the same state. Either "
        "the context is another sum, or an annotation is used beside it.",
    )

    # With one annotation alone, the state does not come in through the weights.
    only = annotations[:, :1], torch.ones(B, 1, dtype=torch.bool)
    one = layer(previous, state, *only)
    two = layer(previous, state + draw.normal(B, H).double(), *only)
    require(
        not _alike(one[1], two[1]),
        "The new state is made without the old one: with a single annotation, another state leads "
        "to the same new one.",
    )
    require(
        not _alike(one[0], two[0]),
        "The logits are made without the state: with a single annotation, another state leads to "
        "the same logits.",
    )

    apart = []
    for name, old in layer.parameters().items():
        layer.load({name: old + 0.3})
        one = layer(previous, state, annotations, mask)
        layer.load({name: old})
        if _alike(one[0], logits) and not _alike(one[1], after):
            apart.append(name)
    require(
        not apart,
        f"Other weights of {' and '.join(apart[:2])} change the new state, and not the logits: "
        f"these "
        "are made from the old state. They are a score for what comes after the step.",
    )
    found = layer.gradients_of(None, previous, state, annotations, mask, of=(1,)).parameters
    require(
        any(bool(gradient.any()) for gradient in found.values()),
        "The new state that comes back is cut off from the gradient.",
    )
    found = layer.gradients_of(None, previous, state, annotations, mask, of=(0, 1)).inputs
    require(
        bool(found["2"].any()),
        "No gradient of logits and new state reaches the annotations: the context is cut off.",
    )
    slope = found["1"]
    require(
        bool(slope.any()),
        "No gradient reaches the state at all: it is cut off before anything is made of it.",
    )
    ahead, behind = (
        sum(
            (part * cotangent(part)).sum(dim=-1)
            for part in layer(previous, state + sign * 1e-5, annotations, mask)[:2]
        )
        for sign in (1, -1)
    )
    require(
        torch.allclose(slope.sum(dim=-1), (ahead - behind) / 2e-5, rtol=1e-4, atol=1e-5),
        "The gradient that reaches the state is not the slope of logits and new state: the state "
        "is cut off from them, as `.detach()` cuts it off, on at least one of its ways. The query "
        "of the attention is one of these.",
    )

    order = torch.arange(S).roll(1)  # none stays where it was, whatever was drawn before
    one = layer(previous, state, annotations[:, order], mask[:, order])
    require(
        _alike(one[0], logits) and _alike(one[1], after) and _alike(one[2], weights[:, order]),
        "With the annotations in another order the step is another one. Attention does not know "
        "where its inputs stand.",
    )
    padded = torch.where(mask[..., None], annotations, 100 * annotations.flip(1))
    one = layer(previous, state, padded, mask)
    require(
        _alike(one[0], logits) and _alike(one[1], after) and _alike(one[2], weights),
        "What stands at the padding changes the result.",
    )
    one = layer(previous[1:2], state[1:2], annotations[1:2], mask[1:2])
    require(
        all(
            _alike(mine, theirs[1:2])
            for mine, theirs in zip(one, (logits, after, weights), strict=True)
        ),
        "A row alone leads to another step than the same row in a batch: the rows are mixed.",
    )
    one = layer(previous, state, annotations, torch.ones_like(mask))
    two = layer(previous, state, annotations, None)
    require(
        all(_alike(*pair) for pair in zip(one, two, strict=True)),
        "A mask of None should allow all annotations.",
    )
    zeros = annotations * (torch.arange(S) != 1)[:, None]
    two = layer(previous, state, zeros, None)
    require(
        bool(two[2].all()),
        "An annotation of zeros has a weight of zero, although it may be attended to.",
    )

    first = layer.gradients(0 * previous, state, annotations, mask).parameters
    require(
        all(bool(one[0].any()) for one in first.values() if tuple(one.shape) == (V, 5)),
        "No gradient reaches the embedding of token 0, which is a token like any other here.",
    )
    found = _all_learn(layer, (V, 5), previous, state, annotations, mask)
    require(
        all(bool(found[path].isfinite().all() and found[path].any()) for path in ("1", "2")),
        "No gradient, or none that is finite, reaches the state or the annotations.",
    )
    mask[1] = False
    one = layer(previous, state, annotations, mask)
    two = layer(previous, state, torch.zeros(B, 1, K).double(), torch.ones(B, 1, dtype=torch.bool))
    require(
        not any(bool(part.isnan().any()) for part in one),
        "A row that may attend to nothing gets NaN. Its weights and its context should be zeros.",
    )
    require(
        not one[2][1].any() and _alike(one[0][1], two[0][1]) and _alike(one[1][1], two[1][1]),
        "In a row that may attend to nothing, weights and context should be zeros.",
    )
    found = layer.gradients(previous, state, annotations, mask)
    require(
        all(
            bool(gradient.isfinite().all())
            for gradient in (*found.inputs.values(), *found.parameters.values())
        ),
        "With a row that may attend to nothing a gradient is NaN.",
    )


misconceptions["AttentionDecoder"] = {
    "state-of-layers": (
        "The state comes back with an axis for the layers, as nn.GRU has it: [1, B, hidden_dim]. "
        "Take that axis away again.",
        {"logits, state, weights": "logits, state.unsqueeze(0), weights"},
    ),
    "softmax-of-logits": (
        "The logits went through a softmax. The loss takes the softmax of what it is given, and "
        "twice is too flat to learn from.",
        {"return logits,": "return logits.softmax(dim=-1),"},
    ),
    "log-softmax-of-logits": (
        "The logits went through a log-softmax: each row's exponentials sum to one. They should be "
        "the scores before any softmax.",
        {"return logits,": "return logits.log_softmax(dim=-1),"},
    ),
    "mask-turned-around": (
        "The mask is taken the wrong way around. True means that an annotation may be attended to.",
        by(
            {"~mask, -math.inf": "mask, -1e30"},
            within="AdditiveAttention",
        ),
    ),
    "query-is-embedding": (
        "The query is made of the previous token, and not of the state. The state before the step "
        "is the query: it knows what was written so far.",
        {
            "AdditiveAttention(hidden_dim,": "AdditiveAttention(embed_dim,",
            "self.attention(state,": "self.attention(self.embedding(previous),",
        },
    ),
    "query-after-step": (
        "The weights depend on the previous token: either the attention asks with the state after "
        "the step, or the token goes into the query itself. The query is the state before the "
        "step, and that alone.",
        {
            "embed_dim + key_dim, hidden_dim": "embed_dim, hidden_dim",
            "context, weights": "state = self.rnn(self.embedding(previous), state)\n"
            "context, weights",
            "state = self.rnn(torch.cat([embedded, context], dim=-1), state)": "",
        },
        {
            "self.rnn = nn.GRUCell(embed_dim + key_dim, hidden_dim)": "self.first = "
            "nn.GRUCell(embed_dim, hidden_dim)\nself.rnn = nn.GRUCell(key_dim, hidden_dim)",
            "context, weights": "state = self.first(self.embedding(previous), state)\n"
            "context, weights",
            "torch.cat([embedded, context], dim=-1), state)": "context, state)",
        },
    ),
    "previous-unused": (
        "The previous token is not used. The decoder then does not know what it has just written.",
        {"embedded = self.embedding(previous)": "embedded = 0 * self.embedding(previous)"},
    ),
    "previous-only-in-logits": (
        "The previous token goes into the logits only, and not into the new state: the decoder "
        "knows what it has just written for one step, and then no more.",
        {
            "nn.GRUCell(embed_dim + key_dim, hidden_dim)": "nn.GRUCell(key_dim, hidden_dim)",
            "self.rnn(torch.cat([embedded, context], dim=-1), state)": "self.rnn(context, state)",
        },
    ),
    "annotation-past-attention": (
        "Annotations go into the step without their weights, one of them or their sum. All that "
        "the decoder learns of the source comes through the context, in which each annotation "
        "counts by its weight.",
        *[
            {"embedded = self.": f"context = context + annotations[:, {place}]\nembedded = self."}
            for place in (0, -1)
        ],
        {
            "[state, context, embedded]": "[state, context + annotations[:, 0], embedded]",
        },
        {
            "[state, context, embedded]": "[state, context + annotations[:, -1], embedded]",
        },
        {
            "[state, context, embedded]": "[state, context + annotations.mean(dim=1), embedded]",
        },
        {
            "[state, context, embedded]": "[state, context + annotations[:, 0] * (1 if mask "
            "is None else mask[:, :1]), embedded]",
        },
        {
            "embedded = self.": "context = context + annotations[:, 0] * (1 if mask is None "
            "else mask[:, :1])\nembedded = self.",
        },
    ),
    "no-embedding": (
        "The previous token is not used, neither in the new state nor in the logits: the decoder "
        "does not know what it has just written. Embed it.",
        {
            "self.embedding = nn.Embedding(vocab_size, embed_dim)": "embed_dim = 0",
            "self.embedding(previous)": "state[:, :0]",
        },
    ),
    "old-state": (
        "The state that comes back is the one that came in. The next step needs the new one, or "
        "each step starts anew.",
        {
            "state = self.rnn": "new = self.rnn",
            "[state, context, embedded]": "[new, context, embedded]",
        },
    ),
    "context-unused": (
        "The context goes neither into the new state nor into the logits: the decoder does not "
        "learn what was looked at.",
        {
            "embed_dim + key_dim, hidden_dim": "embed_dim, hidden_dim",
            "torch.cat([embedded, context], dim=-1)": "embedded",
            "hidden_dim + key_dim + embed_dim": "hidden_dim + embed_dim",
            "[state, context, embedded]": "[state, embedded]",
        },
    ),
    "context-not-in-state": (
        "The context goes into the logits only, not into the new state. The state should remember "
        "what was looked at.",
        {
            "embed_dim + key_dim, hidden_dim": "embed_dim, hidden_dim",
            "torch.cat([embedded, context], dim=-1)": "embedded",
        },
    ),
    "context-unweighted": (
        "The context is the plain average of the annotations, without the weights. Then nothing "
        "has to be aligned, and nothing can be.",
        {"embedded = self": "context = annotations.mean(dim=1)\nembedded = self"},
    ),
    "mask-unused": (
        "The mask makes no difference to the weights: padding gets weight like any other "
        "annotation. Hand the mask on to the attention.",
        {"self.attention(state, annotations, mask)": "self.attention(state, annotations)"},
    ),
    "logits-of-old-state": (
        "The logits are made from the state before the step. They are a score for the token that "
        "comes after it, and are made from the new state.",
        {
            "torch.cat([state, context, embedded], dim=-1)": "torch.cat([old, context, embedded], "
            "dim=-1)",
            "state = self.rnn(": "old = state\nstate = self.rnn(",
        },
        {
            "hidden_dim + key_dim + embed_dim": "hidden_dim + key_dim",
            "torch.cat([state, context, embedded], dim=-1)": "torch.cat([old, context], dim=-1)",
            "state = self.rnn(": "old = state\nstate = self.rnn(",
        },
    ),
    "query-detached": (
        "The state, or the weights that are made with it, is cut off from the gradient on one of "
        "its ways: to the attention, to the recurrent cell or to the logits. No `.detach()` "
        "belongs there.",
        {
            "self.attention(state, annotations, mask)": "self.attention(state.detach(), "
            "annotations, mask)"
        },
    ),
    "embedding-detached": (
        "The embedding is cut off from the gradient, so it never learns.",
        {"self.embedding(previous)": "self.embedding(previous).detach()"},
    ),
    "state-kept": (
        "The layer keeps something of its last call, such as the state, and the same call gives "
        "another result then. All that a step needs is handed over with it: keep nothing.",
        {
            "self.output =": "self.kept = None\nself.output =",
            "context, weights": "if self.kept is None or self.kept.shape != state.shape:\n    "
            "self.kept = state\nstate = self.kept\ncontext, weights",
            "return logits": "self.kept = state\nreturn logits",
        },
    ),
    "state-detached": (
        "The state is cut off from the gradient where it comes in, so nothing of what is made "
        "of it tells earlier steps what to do better.",
        {
            "context, weights": "state = state.detach()\ncontext, weights",
        },
    ),
    "old-state-unused": (
        "The new state is made without the old one, so nothing is remembered of the steps before. "
        "The recurrent cell takes it as its second argument.",
        {
            "context], dim=-1), state)": "context], dim=-1))",
        },
    ),
    "state-not-in-logits": (
        "The logits are made without the state. It is the new state that remembers what was "
        "written: make the logits from it.",
        {
            "nn.Linear(hidden_dim + key_dim + embed_dim, vocab_size)": "nn.Linear(key_dim + "
            "embed_dim, vocab_size)",
            "[state, context, embedded]": "[context, embedded]",
        },
    ),
    "weights-with-axis": (
        "The weights have an axis of size 1 too many: a row of them for each query, of which "
        "there is one. They are [B, S].",
        {
            "return logits, state, weights": "return logits, state, weights.unsqueeze(1)",
        },
    ),
    "empty-row-allowed": (
        "In a row that may attend to nothing the annotations get weights all the same. Its "
        "weights and its context should be zeros.",
        by(
            {
                "masked_fill(~mask,": "masked_fill(~mask & mask.any(dim=-1, keepdim=True),",
            },
            within="AdditiveAttention",
        ),
    ),
    "context-detached": (
        "The context is cut off from the gradient, so no error tells the attention where it "
        "should have looked.",
        {
            "embedded = self.": "context = context.detach()\nembedded = self.",
        },
    ),
    "new-state-detached": (
        "The new state is cut off from the gradient where it comes back, so no error of a "
        "later step reaches the steps before it.",
        {
            "return logits, state": "return logits, state.detach()",
        },
    ),
    "another-order": (
        "The three results come back in another order. First come the logits, then the new state, "
        "then the weights.",
        {"return logits, state, weights": "return logits, weights, state"},
    ),
}


@exercise("sequence_log_prob", chapter="03-bahdanau", points=2)
def _(student, reference, draw):
    B, L, V = 3, 5, 7
    logits, targets = 2 * draw.normal(B=B, L=L, V=V), draw.integers(1, V, B, L)
    agrees(student, reference, logits, targets, 0)
    agrees(student, reference, logits[:1], targets[:1], 0, case="B = 1", ask=VALUES)
    agrees(student, reference, logits[:, :1], targets[:, :1], 0, case="L = 1", ask=VALUES)
    short = torch.arange(L) >= torch.tensor([2, 5, 4])[:, None]
    agrees(student, reference, logits, targets.masked_fill(short, 0), 0, case="padding")
    targets = (targets - 1) * (targets != 5)  # 0 is a token here, and 4 is none
    agrees(student, reference, logits, targets.masked_fill(short, 4), 4, case="padding is token 4")
    targets[1, 2] = targets[2, 0] = 4
    agrees(student, reference, logits, targets, 4, case="padding in front and in the middle")
    targets = targets.masked_fill(short, -100).where(targets != 4, 1)
    agrees(student, reference, logits, targets, -100, case="padding is -100")
    targets[1] = -100
    agrees(student, reference, logits, targets, -100, case="a row that is all padding")
    above = targets.where(targets != -100, V + 9)
    agrees(student, reference, logits, above, V + 9, case="padding is a number above all tokens")
    nothing = torch.full_like(targets, -100)
    agrees(student, reference, logits, nothing, -100, case="padding alone")
    backpropagates(student, logits, nothing, -100, case="padding alone")
    steps = torch.stack([draw.permutation(V) for _ in range(B * L)]).reshape(B, L, V)
    agrees(student, reference, 1000.0 * steps, targets, -100, case="logits that differ by 1000")
    apart = logits - 2000.0 * torch.arange(L)[:, None]
    case = "positions whose logits are far apart"
    agrees(student, reference, apart, targets, -100, case=case, rtol=2e-3, ask=VALUES)


misconceptions["sequence_log_prob"] = {
    "logarithm-of-sum": (
        "A small number keeps the probability away from zero before its logarithm, added to it or "
        "as its lower bound, so that no token can be less likely than that. Take log_softmax of "
        "the logits, which needs no such guard.",
        *[
            {"logits.log_softmax(dim=-1)": f"(logits.softmax(dim=-1) + {small}).log()"}
            for small in ("1e-9", "1e-8", "1e-12")
        ],
        {
            "logits.log_softmax(dim=-1)": (
                "logits.softmax(dim=-1).clamp(min=torch.finfo(logits.dtype).eps).log()"
            )
        },
    ),
    "padding-at-the-end": (
        "As many positions count as there are real tokens, from the first on. Padding may stand "
        "anywhere: a position counts where its own target is real.",
        {
            "picked.masked_fill(~real, 0.0)": "(picked * (torch.arange(real.shape[1]) < "
            "real.sum(dim=-1, keepdim=True)))"
        },
        {
            "(targets * real)": "targets.clamp(0, logits.shape[-1] - 1)",
            "picked.masked_fill(~real, 0.0)": "(picked * (torch.arange(real.shape[1]) < "
            "real.sum(dim=-1, keepdim=True)))",
        },
    ),
    "sign": (
        "The sign is turned around. The logarithm of a probability is negative; the loss is what "
        "has a minus.",
        {"return picked": "return -picked"},
    ),
    "averaged": (
        "The log-probabilities of a sequence were averaged. The probability of a sequence is a "
        "product, so its logarithm is a sum.",
        {".sum(dim=-1)": ".sum(dim=-1) / real.sum(dim=-1).clamp(min=1)"},
        {
            ".sum(dim=-1)": ".mean(dim=-1)",
        },
        {".sum(dim=-1)": ".sum(dim=-1) / real.sum(dim=-1)"},
    ),
    "rows-summed": (
        "All rows were added up to one number. Each sequence has a log-probability of its own.",
        {".sum(dim=-1)": ".sum()"},
    ),
    "not-summed": (
        "The log-probability of each token is returned, without adding them up.",
        {".sum(dim=-1)": ""},
    ),
    "probabilities-added": (
        "The probabilities are added, without the logarithm. The probability of a sequence is the "
        "product of its tokens' probabilities, and the logarithm makes a sum of it.",
        {"log_softmax": "softmax"},
    ),
    "probabilities-multiplied": (
        "The probability itself comes back, the product of the tokens' own. For a long sequence it "
        "becomes too small for a float: its logarithm is asked for, which is a sum.",
        {
            "log_softmax": "softmax",
            "0.0).sum(dim=-1)": "1.0).prod(dim=-1)",
        },
    ),
    "raw-logits": (
        "The logits of the targets are added up as they are. They are no log-probabilities: the "
        "logsumexp over the vocabulary has to be subtracted.",
        {"logits.log_softmax(dim=-1)": "logits"},
    ),
    "softmax-over-positions": (
        "The softmax runs along the wrong axis: over the positions. It is the probabilities of "
        "the vocabulary that sum to one, at each position.",
        {"log_softmax(dim=-1)": "log_softmax(dim=1)"},
    ),
    "padding-counted": (
        "Padding is counted like any other token, so a sequence becomes the less likely the more "
        "it is padded.",
        {"(targets * real)": "targets.clamp(min=0)", ".masked_fill(~real, 0.0)": ""},
    ),
    "shifted": (
        "The logits at t are compared with the token after targets[t]. Here they are about "
        "targets[t] itself: nothing is to be moved.",
        {"real = targets": "logits, targets = logits[:, :-1], targets[:, 1:]\nreal = targets"},
    ),
    "pad-is-zero": (
        "Padding is taken to be token 0, whatever pad_id is.",
        {
            "targets != pad_id": "targets != 0",
            "(targets * real)": "(targets * real).clamp(min=0)",
        },
    ),
    "cut-at-padding": (
        "Each sequence is cut at its first padding. Padding counts nothing wherever it is, but "
        "what comes after it does count.",
        {"targets != pad_id": "(targets != pad_id).cumprod(dim=-1).bool()"},
    ),
    "pad-clamped": (
        "A pad_id that is larger than every token is used as an index into the vocabulary, though "
        "a negative one such as -100 is replaced. Replace whatever equals pad_id by some token "
        "first.",
        {"(targets * real)": "targets.clamp(min=0)"},
    ),
    "pad-as-index": (
        "With a pad_id that is no token, such as -100, padding is used as an index into the "
        "vocabulary. Padding has no log-probability to pick: put some token in its place first, "
        "and leave it out of the sum.",
        {"(targets * real)": "targets"},
    ),
    "log-of-softmax": (
        "The logarithm is taken of probabilities that a softmax has made. Where one is rounded to "
        "zero, its logarithm is -inf: log_softmax makes both in one step and stays finite.",
        {"log_softmax(dim=-1)": "softmax(dim=-1).log()"},
        {
            "log_softmax(dim=-1)": "softmax(dim=-1).log()",
            "picked.masked_fill(~real, 0.0)": "(picked * real)",
        },
    ),
    "summed-over-batch": (
        "The rows are added up, position by position. It is the positions of each row that "
        "are to be added.",
        {
            ".sum(dim=-1)": ".sum(dim=0)",
        },
    ),
    "shifted-back": (
        "The logits at t are compared with the token before targets[t]. Here they are about "
        "targets[t] itself: nothing is to be moved.",
        {
            "real = targets": "logits, targets = logits[:, 1:], targets[:, :-1]\nreal = targets",
        },
    ),
    "padding-uniform": (
        "At padding the logits are set to zero, which makes all tokens equally likely there, "
        "but still counts -log(V) for each. Padding counts nothing: set its log-probability "
        "to zero.",
        {
            "log_probs = logits": "logits = logits * real.unsqueeze(-1)\nlog_probs = logits",
            ".masked_fill(~real, 0.0)": "",
        },
    ),
    "pad-is-minus-100": (
        "Padding is taken to be -100, the number that `F.cross_entropy` ignores unless told "
        "otherwise, whatever pad_id is.",
        {
            "targets != pad_id": "targets != -100",
            "(targets * real)": "(targets * real).clamp(0, logits.shape[-1] - 1)",
        },
        {
            "targets != pad_id": "targets != -100",
        },
    ),
    "likeliest": (
        "The log-probability of the likeliest token was taken at each position. It is that of "
        "the token in `targets`.",
        {
            "log_probs.gather(-1, chosen).squeeze(-1)": "log_probs.amax(dim=-1)",
        },
    ),
    "softmax-over-batch": (
        "The softmax runs along the wrong axis: over the batch. At each position the "
        "probabilities of the vocabulary sum to one.",
        {
            "log_softmax(dim=-1)": "log_softmax(dim=0)",
        },
    ),
    "softmax-twice": (
        "The log-softmax is taken of a softmax: the probabilities go through it as if they "
        "were logits. Give it the logits themselves.",
        {
            "logits.log_softmax": "logits.softmax(dim=-1).log_softmax",
        },
    ),
    "padding-unknown": (
        "Padding is not looked for: it is counted like any other token, and where pad_id is no "
        "token, such as -100, it is used as an index into the vocabulary all the same. Put some "
        "token in its place, and leave it out of the sum.",
        {"(targets * real)": "targets", ".masked_fill(~real, 0.0)": ""},
    ),
    "pad-not-in-vocabulary": (
        "Where pad_id is a token of the vocabulary, its logit is left out of the softmax, so that "
        "the other tokens share its probability. Padding is left out as a target only: the "
        "softmax runs over all V logits.",
        {
            "logits.log_softmax(dim=-1)": (
                "logits.masked_fill(torch.arange(logits.shape[-1]) == pad_id, "
                "-math.inf).log_softmax(dim=-1)"
            ),
        },
    ),
}


def _scripted(previous, state, table, attention, sizes=(), last=100):
    """Logits and weights by row, time and previous token; the state counts the time.

    With `sizes`, the state must have them; with `last`, no more steps may be asked.
    """
    row, time = torch.arange(len(state)), state.flatten(1)[:, 0].long()
    if sizes and tuple(state.shape[1:]) != tuple(sizes):
        raise ValueError(f"step takes the state as it is, (B, 2, 3), not {list(state.shape)}")
    if int(time[0]) >= last:
        raise ValueError("step was asked once more, when every row had ended")
    if previous.shape != state.shape[:1]:
        raise ValueError(
            f"step takes one previous token for each of {len(state)} rows, not "
            f"{list(previous.shape)}"
        )
    time = time.clamp(max=table.shape[1] - 1)
    return table[row, time, previous], state + 1, attention[row, time]


@exercise("greedy_decode", chapter="03-bahdanau", points=4)
def _(student, reference, draw):
    V, S, bos, eos, longest = 6, 5, 1, 4, 8

    def case(text, lengths, max_length, *sizes, size=1.0, **limits):
        """Rows that end after so many tokens, as far as they depend on the table."""
        B = len(lengths)
        table = draw.normal(B, longest, V, V)
        table[..., eos] = -9.0
        for row, length in enumerate(lengths):
            table[row, length - 1, :, eos] = 9.0
        attention = draw.uniform(B, longest, S, low=0.1, high=1.0)
        step = portable(_scripted, table=size * table, attention=attention, **limits)
        start = torch.zeros(B, *sizes)

        want = reference(step, start, bos, eos, max_length)
        got, left = student.with_inputs(step, start, bos, eos, max_length)
        ended = (want[0] == eos).long().cumsum(dim=1)
        looked_at = (ended - (want[0] == eos).long() == 0)[..., None]

        def seen(result):
            if not _are(result, [tuple(one.shape) for one in want]):
                return result
            return result[0], result[1].where(looked_at, torch.zeros_like(result[1]))

        names = ("tokens", "weights")
        close(seen(got), seen(want), names=names, case=text, call=student.last_call)
        same(left["1"], start, case=text, call="the start_state after greedy_decode")

    case("rows that end together", [4, 4], 8, 2)
    case("rows that end at different steps", [2, 5, 3], 8, 2)
    case("a row that ends at once", [1, 3], 8, 3)
    case("rows that do not end in time", [6, 7, 2], 4, 2)
    case("all end at the last step", [3, 4], 4, 2)
    case("one step", [5, 5, 5], 1, 2)
    case("one row, and a state with two more dimensions", [3], 8, 2, 3)
    text = "logits in the hundreds, and a step that is asked no more than needed"
    case(text, [2, 3], 8, 2, 3, size=100.0, sizes=(2, 3), last=3)
    bos = eos
    case("bos_id is eos_id", [3, 2], 8, 2)
    bos, eos = 1, 0
    case("eos_id is 0", [3, 5], 8, 2)


misconceptions["greedy_decode"] = {
    "drawn-at-random": (
        "The next token is drawn at random by its probability. Greedy decoding takes the most "
        "probable one each time, so that it gives the same text every time.",
        {"logits.argmax(dim=-1)": "torch.multinomial(logits.softmax(dim=-1), 1).squeeze(-1)"},
    ),
    "bos-included": (
        "The tokens begin with bos_id. It is what the first step is given, not what was written.",
        {"torch.stack(tokens": "torch.stack([0 * previous + bos_id, *tokens]"},
    ),
    "bos-each-step": (
        "Every step is given bos_id. Each step should be given the token that the step before it "
        "chose.",
        {"step(previous, state)": "step(torch.full_like(previous, bos_id), state)"},
    ),
    "start-state-each-step": (
        "Every step is given the start state. Each step should be given the state that the step "
        "before it returned.",
        {"step(previous, state)": "step(previous, start_state)"},
    ),
    "least-likely": (
        "The least likely token is chosen instead of the likeliest.",
        {"argmax": "argmin"},
    ),
    "eos-left-out": (
        "The step in which the last row ends is missing in what is returned. A row's eos_id is "
        "one of its tokens: write a step down before you stop.",
        {"tokens.append(previous)": "if ended.all():\n    break\ntokens.append(previous)"},
    ),
    "never-stops": (
        "It always runs to max_length. It should stop as soon as every row has ended.",
        {"and not ended.all()": ""},
    ),
    "stops-with-first": (
        "It stops as soon as one row has ended, and the others may not be done. It should stop "
        "when all have ended.",
        {"ended.all()": "ended.any()"},
    ),
    "goes-on-after-eos": (
        "A row goes on after its eos_id: what the model says then is written down. It should be "
        "filled with eos_id.",
        {
            ".masked_fill(ended, eos_id)": "",
            "ended = previous == eos_id": "ended = ended | (previous == eos_id)",
        },
    ),
    "filled-with-zero": (
        "After its end a row is filled with 0. It should be filled with eos_id.",
        {
            "masked_fill(ended, eos_id)": "masked_fill(ended, 0)",
            "ended = previous == eos_id": "ended = ended | (previous == eos_id)",
        },
    ),
    "ended-only-while-eos": (
        "A row counts as ended only while its latest token is eos_id. A row that has ended stays "
        "so, even if the model says something else afterwards.",
        {".masked_fill(ended, eos_id)": ""},
    ),
    "steps-first": (
        "The steps are the first axis: [T, B]. Tokens are [B, T] and weights [B, T, S]: batch "
        "first.",
        {
            "tokens, dim=1": "tokens, dim=0",
            "weights, dim=1": "weights, dim=0",
        },
    ),
    "last-weights-only": (
        "Only the last step's weights are returned. There is a row of weights for every token "
        "that is written.",
        {"torch.stack(weights, dim=1)": "attended"},
    ),
    "one-too-many": (
        "There is one token too many where max_length ends it: no more than max_length tokens are "
        "written.",
        {"len(tokens) < max_length": "len(tokens) <= max_length"},
    ),
    "one-too-few": (
        "There is one token too few where max_length ends it. max_length tokens may be written.",
        {"< max_length": "< max(1, max_length - 1)"},
    ),
    "state-overwritten": (
        "The state is put in the start state's place: the tensor that came in has changed. Whoever "
        "called the function still needs it.",
        {
            "logits, state,": "logits, new,",
            "previous = logits": "state.copy_(new)\nprevious = logits",
        },
    ),
    "ends-in-one-step": (
        "It stops only when all rows choose eos_id in the same step: a row that has ended before "
        "does not count. Stop as soon as each row has ended, in whatever step.",
        {
            "previous = logits.argmax(dim=-1).masked_fill(ended, eos_id)": "chosen = "
            "logits.argmax(dim=-1)\nprevious = chosen.masked_fill(ended, eos_id)",
            "not ended.all()": "not (tokens and (chosen == eos_id).all())",
        },
        {
            "previous = logits.argmax(dim=-1).masked_fill(ended, eos_id)": "previous = "
            "logits.argmax(dim=-1)\nfilled = previous.masked_fill(ended, eos_id)",
            "not ended.all()": "not (tokens and (previous == eos_id).all())",
            "ended = previous == eos_id": "ended = ended | (previous == eos_id)",
            "tokens.append(previous)": "tokens.append(filled)",
        },
    ),
    "bos-ends": (
        "A row counts as ended before anything is written, where bos_id is eos_id: the first "
        "previous tokens are looked at as well. A row ends with an eos_id that was chosen.",
        {
            "logits, state, attended": "ended = previous == eos_id\nlogits, state, attended",
        },
        {
            "torch.zeros_like(previous, dtype=torch.bool)": "previous == eos_id",
        },
    ),
    "weights-missing": (
        "The tokens come back without the weights. The function returns two things: the "
        "tokens, and where each step has looked.",
        {
            "return torch.stack(tokens, dim=1), torch.stack(weights, dim=1)": "return "
            "torch.stack(tokens, dim=1)",
        },
    ),
    "stops-with-row-0": (
        "It stops when row 0 has ended. The other rows may not be done: it stops when all "
        "have ended.",
        {
            "ended.all()": "ended[0]",
        },
    ),
    "filled-with-bos": (
        "After its end a row is filled with bos_id. It should be filled with eos_id.",
        {
            "masked_fill(ended, eos_id)": "masked_fill(ended, bos_id)",
            "ended = previous == eos_id": "ended = ended | (previous == eos_id)",
        },
    ),
    "likelihoods": (
        "The scores of the chosen tokens come back, not the tokens. `argmax` says which one "
        "is the largest, `max` how large it is.",
        {
            "tokens.append(previous)": "tokens.append(logits.amax(dim=-1))",
        },
    ),
    "choice-over-batch": (
        "The likeliest row was chosen for each token of the vocabulary: argmax runs along the "
        "batch. Each row chooses among the tokens.",
        {
            "argmax(dim=-1)": "argmax(dim=0)",
        },
    ),
    "weights-of-first-step": (
        "The first step's weights stand at every step. Each step has weights of its own.",
        {
            "weights.append(attended)": "weights.append(weights[0] if weights else attended)",
        },
    ),
    "one-first-token": (
        "`step` is given previous tokens of another shape than (B): on its first call it gets one "
        "bos_id for each row of start_state, later what argmax(dim=-1) returns, without keepdim.",
        {
            "start_state.new_full((len(start_state),), bos_id, dtype=torch.long)": (
                "torch.tensor([bos_id])"
            ),
        },
    ),
    "tokens-as-floats": (
        "`step` is given previous tokens that are floating-point numbers. Tokens are int64, as "
        "what argmax returns is: give those of the first call dtype=torch.long.",
        {"bos_id, dtype=torch.long)": "bos_id)"},
        {"bos_id, dtype=torch.long)": "bos_id, dtype=torch.float32)"},
    ),
    "ended-left-out": (
        "Rows that have ended are taken out of what `step` gets, so that it is given fewer than B "
        "tokens and states. It gets all B every time: in a row that has ended, the token is "
        "eos_id.",
        {
            "logits, state, attended = step(previous, state)": (
                "going = ~ended\nlogits, state, some = step(previous[going], state)\nattended = "
                "some.new_zeros(len(ended), some.shape[-1])\nattended[going] = some"
            ),
            "previous = logits.argmax(dim=-1).masked_fill(ended, eos_id)": (
                "previous = torch.full_like(previous, eos_id).masked_scatter(going, "
                "logits.argmax(dim=-1))"
            ),
            "ended = previous == eos_id": (
                "ended = previous == eos_id\nstate = state[~ended[going]]"
            ),
        },
    ),
    "lists-returned": (
        "Tokens and weights come back as lists with a tensor for each step. Stack each list along "
        "a new axis 1, for tokens (B, T) and weights (B, T, S).",
        {
            "torch.stack(tokens, dim=1), torch.stack(weights, dim=1)": "tokens, weights",
        },
    ),
    "rows-from-other-axis": (
        "The first tokens are made for another number of rows than start_state has, as where its "
        "second size from the end is read. start_state is (B, ...): the first axis counts the "
        "rows.",
        {"len(start_state)": "start_state.shape[-2]"},
    ),
}


prediction(
    "without-attention",
    chapter="03-bahdanau",
    question=(
        "Of strings with four dates, the model with attention gets 99% right. Another one is the "
        "same but for one thing: its decoder sees a summary of 128 numbers in place of all "
        "annotations. How many of these strings does it get right?"
    ),
    right="Hardly any.",
    options={
        "Hardly any.": (
            "It learns single dates rather well. Four dates must go through the same 128 numbers, "
            "and in the same training it does not learn to store them."
        ),
        "About half.": (
            "A string is right only if all its 28 characters are. To get even half of the strings "
            "right, the model would need nearly every character right. But it has not learned to "
            "hold four dates in its summary, and it gets far fewer."
        ),
        "Nearly all, since 128 numbers have room for 24 digits.": (
            "They may well have the room. But training has to find out how to fill it, and in "
            "1,000 steps it does not."
        ),
    },
)
