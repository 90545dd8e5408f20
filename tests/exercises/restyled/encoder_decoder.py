"""Chapter 11."""

RESTYLED = {
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
        (
            "einops and einsum",
            {".masked_fill(~mask, 0.0)": ""},
            "empty-row-uniform",
        ),
        ("head by head", {"self.W_o(output)": "output"}, "output-unmixed"),
        (
            "head by head",
            {"for _, weights in heads], dim=1)": "for _, weights in heads], dim=1).mean(dim=1)"},
            "heads-averaged",
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
                "self.multihead_attn(self.norm2(x), memory, memory,": "self.multihead_attn("
                "self.norm2(x), self.norm2(memory), self.norm2(memory),"
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
    ],
    "Transformer": [
        (
            "positions kept from the start",
            {"self.scale = embed_dim**0.5": "self.scale = 1"},
            "not-multiplied",
        ),
        (
            "positions kept from the start",
            {
                "self.source_embedding(source) * self.scale + self.positions[: source.size(1)]": ""
                "(self.source_embedding(source) + self.positions[: source.size(1)]) * self.scale",
                "self.target_embedding(target) * self.scale + self.positions[: target.size(1)]": ""
                "(self.target_embedding(target) + self.positions[: target.size(1)]) * self.scale",
            },
            "positions-multiplied",
        ),
        (
            "positions kept from the start",
            {", memory_mask=mask": ""},
            "memory-unmasked",
        ),
        (
            "torch's own layers inside",
            {"(source != self.pad_id)": "(source != 0)"},
            "pad-is-zero",
        ),
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
        (
            "the whole target distribution",
            {"max(int(real.sum()), 1)": "real.numel()"},
            "padding",
        ),
        (
            "the whole target distribution",
            {"max(int(real.sum()), 1)": "real.sum()"},
            "nothing-nan",
        ),
        ("logsumexp", {"max(count, 1)": "count if count else total / count"}, "nothing-nan"),
        (
            "divergence from the target and its entropy",
            {"logits.log_softmax(-1)": "logits.softmax(-1).log()"},
            "log-of-softmax",
        ),
    ],
    "warmup_rate": [
        (
            "two branches",
            {"1 / math.sqrt(embed_dim * step)": "1 / math.sqrt(embed_dim * warmup_steps)"},
            "no-fall",
        ),
        (
            "share of the peak",
            {"(embed_dim * warmup_steps)": "warmup_steps"},
            "width-missing",
        ),
        ("share of the peak", {"* min(": "* max("}, "larger-part"),
        ("two branches", {"if step < warmup_steps": "if False"}, "no-warm-up"),
    ],
    "beam_search": [
        (
            "tensors, finished rows padded with eos",
            {"min(beam_width, len(scores))": "1"},
            "width-unused",
        ),
        (
            "tensors, finished rows padded with eos",
            {"step(beam).log_softmax(dim=-1)": "step(beam)"},
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
            {"one[0] / math.pow((4 + len(one[1])) / 6, length_penalty)": "one[0]"},
            "penalty-unused",
        ),
    ],
}
