"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "BidirectionalEncoder": [
        (
            "two cells, step by step",
            {
                ("torch.stack(forward, 1), torch.stack(backward, 1)"): (
                    "torch.stack(backward, 1), torch.stack(forward, 1)"
                )
            },
            "backward-first",
        ),
        (
            "two cells, step by step",
            {"torch.tanh(self.first_state(h))": "self.first_state(h)"},
            "no-tanh",
        ),
        ("packed", {", total_length=tokens.shape[1]": ""}, "cut-at-longest"),
        (
            "packed",
            {
                "self.start(backward)": "backward",
                ("self.start = nn.Linear(hidden_dim, hidden_dim)"): "",
            },
            "no-linear",
        ),
        (
            "an LSTM, sentence by sentence",
            {"output[0, 0, self.hidden_dim :]": "output[0, -1, : self.hidden_dim]"},
            "state-from-forward",
        ),
        (
            "an LSTM, sentence by sentence",
            {'self.net["embed"](row[:n])': 'self.net["embed"](row[:n]).detach()'},
            "embedding-detached",
        ),
        (
            "from the docstring",
            {("backward = backward.gather(1, order[:, :, None].expand_as(backward))"): ""},
            None,
        ),
        ("from the docstring", {"backward[": "forward["}, "state-of-one-token"),
        ("from the docstring", {"* real[:, :, None]": ""}, "padding-not-zeroed"),
    ],
    "AdditiveAttention": [
        ("key by key", {"torch.tanh": ""}, "no-tanh"),
        ("key by key", {"numbers * mask": "numbers * ~mask"}, "mask-turned-around"),
        ("einsum and nan_to_num", {".nan_to_num(0.0)": ""}, "empty-row-nan"),
        ("weights zeroed and divided again", {"dim=-1) * mask": "dim=-1)"}, "large-negative"),
        (
            "weights zeroed and divided again",
            {"scores.masked_fill(~mask, lowest)": "scores"},
            "masked-after-softmax",
        ),
        ("from the docstring", {"tanh": "sigmoid"}, "slip.function"),
        (
            "from the docstring",
            {"[:, None, :] +": ")[:, None, :] + torch.tanh("},
            "tanh-before-sum",
        ),
        (
            "from the docstring",
            {"math.inf).softmax(dim=1": "1e9).softmax(dim=0"},
            "plain.where+factor+flow",
        ),
    ],
    "AttentionDecoder": [
        (
            "a layer for each term",
            {"return self.logits(new_state),": "return self.logits(new_state).softmax(1),"},
            "softmax-of-logits",
        ),
        ("a layer for each term", {"new_state, weights": "state, weights"}, "old-state"),
        (
            "the paper's gates by hand",
            {"self.W_o(deep.amax(dim=-1)), state": "self.W_o(deep.amax(dim=-1)), state[None]"},
            "state-of-layers",
        ),
        (
            "the paper's gates by hand",
            {"word = self.E(previous)": "word = self.E(previous).detach()"},
            "embedding-detached",
        ),
        (
            "the paper's gates by hand",
            {"word = self.E(previous)": ("context = annotations.mean(1)\nword = self.E(previous)")},
            "context-unweighted",
        ),
        (
            "from the docstring",
            {
                (
                    "weights = self.attention(state, annotations, "
                    "mask)\n"
                    "state = self.cell(torch.cat([token, context], "
                    "dim=-1), state"
                ): (
                    "_ = self.attention(state, annotations, mask)\n"
                    "state = self.cell(torch.cat([token, context], "
                    "dim=-1), state)\n"
                    "_, weights = self.attention(state, annotations, "
                    "mask"
                )
            },
            None,
        ),
        ("from the docstring", {"(state, annotations, mask": "(state, annotations"}, "mask-unused"),
        ("from the docstring", {"state =": "new ="}, None),
    ],
    "sequence_log_prob": [
        ("cross-entropy", {"-losses": "losses"}, "sign"),
        ("cross-entropy", {"losses.sum(dim=1)": "losses.sum()"}, "rows-summed"),
        ("logsumexp and one-hot", {"- logits.logsumexp(dim=-1)": ""}, "raw-logits"),
        (
            "loops",
            {"scores.log_softmax(dim=0)[token]": "scores.softmax(dim=0)[token].log()"},
            "log-of-softmax",
        ),
        (
            "loops",
            {"if token != pad_id:": ("if token == pad_id:\n    break\nelse:")},
            "cut-at-padding",
        ),
        ("from the docstring", {"return": "return -"}, "sign"),
        ("from the docstring", {"(dim=-1": "("}, "rows-summed"),
        ("from the docstring", {"(dim=-": "(dim=-1) / real.sum(dim=-1).clamp(min="}, "averaged"),
        (
            "from the docstring",
            {
                "picked.masked_fill(~real, 0.0)": "(picked * (torch.arange(real.shape[1]) < "
                "real.sum(1, keepdim=True)))"
            },
            "padding-at-the-end",
        ),
    ],
    "greedy_decode": [
        (
            "write on, then cut and fill",
            {".any(dim=1).all()": ".any(dim=1).any()"},
            "stops-with-first",
        ),
        (
            "for, break, torch.where",
            {"torch.where(done, eos_id,": "torch.where(done, 0,"},
            "filled-with-zero",
        ),
        (
            "write on, then cut and fill",
            {"tokens.masked_fill(after, eos_id)": "tokens"},
            "goes-on-after-eos",
        ),
        ("for, break, torch.where", {"if done.all():": "if False:"}, "never-stops"),
        ("for, break, torch.where", {"previous = chosen": ""}, "bos-each-step"),
        ("for, break, torch.where", {"range(max_length)": "range(max_length + 1)"}, "one-too-many"),
        ("from the docstring", {"(max_length": "(max_length + 1"}, "one-too-many"),
        ("from the docstring", {"logits, state": "logits, _"}, "start-state-each-step"),
        ("from the docstring", {"all": "any"}, "stops-with-first"),
    ],
}

EQUIVALENT = {
    (
        "BidirectionalEncoder",
        (
            "def __init__(self, vocab_size: int, embed_dim: int, hidden_dim: int, pad_id: "
            "int=0) -> None: => def __init__(self, vocab_size: int, embed_dim: int, "
            "hidden_dim: int, pad_id: int=1) -> None:"
        ),
    ): "Padding is never read: `lengths` says where it is.",
    (
        "BidirectionalEncoder",
        (
            "def __init__(self, vocab_size: int, embed_dim: int, hidden_dim: int, pad_id: "
            "int=0) -> None: => def __init__(self, vocab_size: int, embed_dim: int, "
            "hidden_dim: int, pad_id: int=-1) -> None:"
        ),
    ): "Padding is never read: `lengths` says where it is.",
    (
        "BidirectionalEncoder",
        (
            "self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=pad_id) => "
            "self.embedding = nn.Embedding(vocab_size, embed_dim)"
        ),
    ): "Padding is never read: `lengths` says where it is.",
}
