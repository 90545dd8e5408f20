"""Chapter 3."""

CELLS = "two cells, step by step"
GATES = "the paper's gates by hand"
TERMS = "a layer for each term"
KEYS = "key by key"
FILL = "write on, then cut and fill"

RESTYLED = {
    "BidirectionalEncoder": [
        (
            CELLS,
            {
                "torch.stack(forward, 1), torch.stack(backward, 1)": "torch.stack(backward, 1), "
                "torch.stack(forward, 1)"
            },
            "backward-first",
        ),
        (CELLS, {"torch.tanh(self.first_state(h))": "self.first_state(h)"}, "no-tanh"),
        ("packed", {", total_length=tokens.shape[1]": ""}, "cut-at-longest"),
        (
            "packed",
            {
                "self.start(backward)": "backward",
                "self.start = nn.Linear(hidden_dim, hidden_dim)": "",
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
    ],
    "AdditiveAttention": [
        (
            KEYS,
            {"torch.tanh": ""},
            "no-tanh",
        ),
        (KEYS, {"numbers * mask": "numbers * ~mask"}, "mask-turned-around"),
        ("einsum and nan_to_num", {".nan_to_num(0.0)": ""}, "empty-row-nan"),
        (
            "weights zeroed and divided again",
            {"dim=-1) * mask": "dim=-1)"},
            "large-negative",
        ),
        (
            "weights zeroed and divided again",
            {"scores.masked_fill(~mask, lowest)": "scores"},
            "masked-after-softmax",
        ),
    ],
    "AttentionDecoder": [
        (
            TERMS,
            {"return self.logits(new_state),": "return self.logits(new_state).softmax(1),"},
            "softmax-of-logits",
        ),
        (TERMS, {"new_state, weights": "state, weights"}, "old-state"),
        (
            GATES,
            {"self.W_o(deep.amax(dim=-1)), state": "self.W_o(deep.amax(dim=-1)), state[None]"},
            "state-of-layers",
        ),
        (
            GATES,
            {"word = self.E(previous)": "word = self.E(previous).detach()"},
            "embedding-detached",
        ),
        (
            GATES,
            {"word = self.E(previous)": "context = annotations.mean(1)\nword = self.E(previous)"},
            "context-unweighted",
        ),
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
            {"if token != pad_id:": "if token == pad_id:\n    break\nelse:"},
            "cut-at-padding",
        ),
    ],
    "greedy_decode": [
        (FILL, {".any(dim=1).all()": ".any(dim=1).any()"}, "stops-with-first"),
        (
            "for, break, torch.where",
            {"torch.where(done, eos_id,": "torch.where(done, 0,"},
            "filled-with-zero",
        ),
        (FILL, {"tokens.masked_fill(after, eos_id)": "tokens"}, "goes-on-after-eos"),
        (
            "for, break, torch.where",
            {"if done.all():": "if False:"},
            "never-stops",
        ),
        ("for, break, torch.where", {"previous = chosen": ""}, "bos-each-step"),
        (
            "for, break, torch.where",
            {"range(max_length)": "range(max_length + 1)"},
            "one-too-many",
        ),
    ],
}
