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
            "The two directions are joined in the wrong order",
        ),
        (CELLS, {"torch.tanh(self.first_state(h))": "self.first_state(h)"}, "The linear layer's"),
        ("packed", {", total_length=tokens.shape[1]": ""}, "The annotations end at the longest"),
        (
            "packed",
            {
                "self.start(backward)": "backward",
                "self.start = nn.Linear(hidden_dim, hidden_dim)": "",
            },
            "The backward direction's last",
        ),
        (
            "an LSTM, sentence by sentence",
            {"output[0, 0, self.hidden_dim :]": "output[0, -1, : self.hidden_dim]"},
            "The state is made from the forward",
        ),
        (
            "an LSTM, sentence by sentence",
            {'self.net["embed"](row[:n])': 'self.net["embed"](row[:n]).detach()'},
            "The embedding is cut off",
        ),
    ],
    "AdditiveAttention": [
        (
            KEYS,
            {"torch.tanh": ""},
            "There is no tanh",
        ),
        (KEYS, {"numbers * mask": "numbers * ~mask"}, "The mask is taken the wrong way"),
        ("einsum and nan_to_num", {".nan_to_num(0.0)": ""}, "A row that may attend to nothing"),
        (
            "weights zeroed and divided again",
            {"dim=-1) * mask": "dim=-1)"},
            "A masked score is a large negative",
        ),
        (
            "weights zeroed and divided again",
            {"scores.masked_fill(~mask, lowest)": "scores"},
            "The mask is applied after",
        ),
    ],
    "AttentionDecoder": [
        (
            TERMS,
            {"return self.logits(new_state),": "return self.logits(new_state).softmax(1),"},
            "The logits went through a softmax",
        ),
        (TERMS, {"new_state, weights": "state, weights"}, "The old state is returned"),
        (
            GATES,
            {"self.W_o(deep.amax(dim=-1)), state": "self.W_o(deep.amax(dim=-1)), state[None]"},
            "The state has an axis",
        ),
        (
            GATES,
            {"word = self.E(previous)": "word = self.E(previous).detach()"},
            "The embedding is cut off",
        ),
        (
            GATES,
            {"word = self.E(previous)": "context = annotations.mean(1)\nword = self.E(previous)"},
            "The context is the plain average",
        ),
    ],
    "sequence_log_prob": [
        ("cross-entropy", {"-losses": "losses"}, "The sign is turned around"),
        ("cross-entropy", {"losses.sum(dim=1)": "losses.sum()"}, "All rows were added up"),
        ("logsumexp and one-hot", {"- logits.logsumexp(dim=-1)": ""}, "The logits of the targets"),
        (
            "loops",
            {"scores.log_softmax(dim=0)[token]": "scores.softmax(dim=0)[token].log()"},
            "The logarithm is taken",
        ),
        (
            "loops",
            {"if token != pad_id:": "if token == pad_id:\n    break\nelse:"},
            "Each sequence is cut",
        ),
    ],
    "greedy_decode": [
        (FILL, {".any(dim=1).all()": ".any(dim=1).any()"}, "It stops when the first row"),
        (
            "for, break, torch.where",
            {"torch.where(done, eos_id,": "torch.where(done, 0,"},
            "After its end a row is filled with 0",
        ),
        (FILL, {"tokens.masked_fill(after, eos_id)": "tokens"}, "A row goes on after its eos_id"),
        (
            "for, break, torch.where",
            {"if done.all():": "if False:"},
            "It always runs to max_length",
        ),
        ("for, break, torch.where", {"previous = chosen": ""}, "Every step is given bos_id"),
        (
            "for, break, torch.where",
            {"range(max_length)": "range(max_length + 1)"},
            "There is one token too many",
        ),
    ],
}
