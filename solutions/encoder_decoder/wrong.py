"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "CrossAttention": [
        (
            "chapter 7's layer, inherited",
            {"memory, memory, memory_mask)": "memory, memory)"},
            "mask-unused",
        ),
        (
            "chapter 7's layer, inherited",
            {"memory_mask.unsqueeze(1).unsqueeze(1)": "~memory_mask.unsqueeze(1).unsqueeze(1)"},
            "mask-turned-around",
        ),
        (
            "einops and einsum",
            {"-1e30": "-torch.inf", ".masked_fill(~mask, 0.0)": ""},
            "empty-row-nan",
        ),
        ("einops and einsum", {".masked_fill(~mask, 0.0)": ""}, "empty-row-uniform"),
        ("head by head", {"self.W_o(output)": "output"}, "output-unmixed"),
        (
            "head by head",
            {"for _, weights in heads], dim=1)": "for _, weights in heads], dim=1).mean(dim=1)"},
            "heads-averaged",
        ),
        ("from the docstring", {"W_v(memory": "W_v(x"}, "values-from-x"),
        (
            "from the docstring",
            {
                (
                    "x)), cut(self.W_k(memory)), cut(self.W_v(memory"
                ): "memory)), cut(self.W_k(x)), cut(self.W_v(x"
            },
            "roles-exchanged",
        ),
        (
            "from the docstring",
            {
                "weights = scores": (
                    "scores = "
                    "scores.masked_fill(torch.ones_like(scores, "
                    "dtype=torch.bool).triu(1), "
                    "torch.finfo(scores.dtype).min)\n"
                    "weights = scores"
                )
            },
            "causal",
        ),
        ("from the docstring", {"self.W_v(memory)": "self.W_k(memory)"}, "values-by-key-layer"),
        (
            "from the docstring",
            {"memory_mask[:, None, None, :]": "memory_mask[:, None, :]"},
            "mask-of-three-axes",
        ),
    ],
    "DecoderBlock": [
        (
            "a list of sublayers",
            {"lambda y: self.self_attn(y, y, y, mask)": "lambda y: self.self_attn(y, y, y)"},
            "not-causal",
        ),
        (
            "a list of sublayers",
            {"places[:, None] >= places": "places[:, None] > places"},
            "diagonal-masked",
        ),
        ("a list of sublayers", {"kept[1]": "kept[0]"}, "self-weights"),
        (
            "two branches",
            {
                ("self.multihead_attn(self.norm2(x), memory, memory,"): (
                    "self.multihead_attn(self.norm2(x), self.norm2(memory), self.norm2(memory),"
                )
            },
            "memory-normalized",
        ),
        (
            "two branches",
            {"x = x + drop(y)": "x = drop(y)", "self.norm2(x + drop(y))": "self.norm2(drop(y))"},
            "cross-residual-missing",
        ),
        (
            "a list of sublayers",
            {"x = x + self.drop(result)": "x = self.drop(x + result)"},
            "dropout-of-sum",
        ),
        ("from the docstring", {"= x + self.drop(h": "= self.drop(h"}, "cross-residual-missing"),
        ("from the docstring", {"causal_mask(x.shape[1])": "None"}, "not-causal"),
        (
            "from the docstring",
            {
                ("norm2(x + self.drop(h))\nx = self.norm3"): (
                    "norm3(x + self.drop(h))\nx = self.norm2"
                )
            },
            "norms-exchanged",
        ),
        (
            "from the docstring",
            {
                "mask = causal_mask": "given = x\nmask = causal_mask",
                "(self.norm2(x), memory": "(self.norm2(given), memory",
                "self.multihead_attn(x, memory": "self.multihead_attn(given, memory",
            },
            "cross-asks-the-input",
        ),
    ],
    "Transformer": [
        (
            "from the docstring",
            {
                "self.embedded(self.source_embedding, source)": "self.source_embedding(source)"
                " * self.scale"
            },
            "source-without-positions",
        ),
        (
            "positions kept from the start",
            {"self.scale = embed_dim**0.5": "self.scale = 1"},
            "not-multiplied",
        ),
        (
            "positions kept from the start",
            {
                ("self.source_embedding(source) * self.scale + self.positions[: source.size(1)]"): (
                    "(self.source_embedding(source) + "
                    "self.positions[: source.size(1)]) * self.scale"
                ),
                ("self.target_embedding(target) * self.scale + self.positions[: target.size(1)]"): (
                    "(self.target_embedding(target) + "
                    "self.positions[: target.size(1)]) * self.scale"
                ),
            },
            "positions-multiplied",
        ),
        ("positions kept from the start", {", memory_mask=mask": ""}, "memory-unmasked"),
        ("torch's own layers inside", {"(source != self.pad_id)": "(source != 0)"}, "pad-is-zero"),
        (
            "torch's own layers inside",
            {"return self.output(x)": "return self.output(x).softmax(dim=-1)"},
            "softmax-of-logits",
        ),
        (
            "torch's own layers inside",
            {"if length > self.max_length": "if False"},
            "length-unchecked",
        ),
        ("from the docstring", {"math.sqrt(embed_dim)": "1.0"}, "not-multiplied"),
        ("from the docstring", {"memory, real": "memory"}, "memory-unmasked"),
        (
            "from the docstring",
            {"embedded(self.target_embedding, target)": "target_embedding(target) * self.scale"},
            "target-without-positions",
        ),
        ("from the docstring", {"output(x": "output(x).softmax(-1"}, "softmax-of-logits"),
        (
            "from the docstring",
            {"real[:, None, None, :]": "real[:, None, :, None]"},
            "padding-does-not-ask",
        ),
    ],
    "label_smoothed_loss": [
        (
            "the whole target distribution",
            {"smoothing / vocab": "smoothing"},
            "smoothing-not-shared",
        ),
        (
            "the whole target distribution",
            {"(1 - smoothing) * wanted": "wanted"},
            "right-keeps-all",
        ),
        ("the whole target distribution", {"max(int(real.sum()), 1)": "real.numel()"}, "padding"),
        ("the whole target distribution", {"max(int(real.sum()), 1)": "real.sum()"}, "nothing-nan"),
        ("logsumexp", {"max(count, 1)": "count if count else total / count"}, "nothing-nan"),
        (
            "divergence from the target and its entropy",
            {"logits.log_softmax(-1)": "logits.softmax(-1).log()"},
            "log-of-softmax",
        ),
        (
            "from the docstring",
            {"logp.mean(dim=": ("(logp.sum(dim=-1) - right) / (logits.shape[-1]")},
            "shared-by-wrong-only",
        ),
        ("from the docstring", {"sum().clamp(min=1": "numel("}, "padding"),
        ("from the docstring", {"-(1 - smoothing) *": "-"}, "right-keeps-all"),
    ],
    "warmup_rate": [
        (
            "from the docstring",
            {"step * warmup_steps**-1.5": "step / warmup_steps"},
            "warm-up-to-one",
        ),
        (
            "two branches",
            {"1 / math.sqrt(embed_dim * step)": "1 / math.sqrt(embed_dim * warmup_steps)"},
            "no-fall",
        ),
        ("share of the peak", {"(embed_dim * warmup_steps)": "warmup_steps"}, "width-missing"),
        ("share of the peak", {"* min(": "* max("}, "larger-part"),
        ("two branches", {"if step < warmup_steps": "if False"}, "no-warm-up"),
        ("from the docstring", {"step **": "warmup_steps **"}, "no-fall"),
        (
            "from the docstring",
            {"if step < warmup_steps": ("step = step - 1 or 1\nif step < warmup_steps")},
            "plain.cases+off+simpler",
        ),
    ],
    "beam_search": [
        (
            "tensors, finished rows padded with eos",
            {"min(beam_width, len(scores))": "1"},
            "width-unused",
        ),
        (
            "tensors, finished rows padded with eos",
            {"step(beam[~ended]).log_softmax(dim=-1)": "step(beam[~ended])"},
            "logits-added",
        ),
        (
            "tensors, finished rows padded with eos",
            {"if ended.all()": "if ended.any()"},
            "stops-with-first",
        ),
        (
            "a heap, one prefix at a time",
            {"torch.tensor(tokens[1:])": "torch.tensor(tokens)"},
            "bos-included",
        ),
        (
            "a heap, one prefix at a time",
            {"(4 + len(one[1])) / 6": "len(one[1]) - 1"},
            "other-penalty",
        ),
        (
            "a heap, one prefix at a time",
            {("one[0] / math.pow((4 + len(one[1])) / 6, length_penalty)"): "one[0]"},
            "penalty-unused",
        ),
        ("from the docstring", {"[h for h in beam if h[2]": "["}, "finished-lost"),
        ("from the docstring", {"] /": "] *"}, "penalty-multiplies"),
        (
            "from the docstring",
            {("torch.log_softmax(step(prefixes).double(), dim=-1"): "step(prefixes).double("},
            "logits-added",
        ),
        (
            "from the docstring",
            {
                "total + gain, token == eos_id": "total + (gain if token != eos_id else 0), "
                "token == eos_id"
            },
            "eos-free",
        ),
    ],
}

EQUIVALENT = {
    (
        "beam_search",
        (
            "tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** "
            "length_penalty) => tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + "
            "len(one[0])) * 6) ** length_penalty)"
        ),
    ): "All scores are multiplied by the same number, so the best stays the best.",
    (
        "beam_search",
        (
            "tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** "
            "length_penalty) => tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + "
            "len(one[0])) / 5) ** length_penalty)"
        ),
    ): "All scores are multiplied by the same number, so the best stays the best.",
    (
        "beam_search",
        (
            "tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + len(one[0])) / 6) ** "
            "length_penalty) => tokens, log_prob = max(beam, key=lambda one: one[1] / ((5 + "
            "len(one[0])) / 7) ** length_penalty)"
        ),
    ): "All scores are multiplied by the same number, so the best stays the best.",
}
