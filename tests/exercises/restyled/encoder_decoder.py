"""Chapter 11."""

RESTYLED = {
    "CrossAttention": [
        (
            "chapter 7's layer, inherited",
            {"memory, memory, memory_mask)": "memory, memory)"},
            "The memory mask is not used",
        ),
        (
            "chapter 7's layer, inherited",
            {"memory_mask.unsqueeze(1).unsqueeze(1)": "~memory_mask.unsqueeze(1).unsqueeze(1)"},
            "The memory mask is used the wrong way",
        ),
        (
            "einops and einsum",
            {"-1e30": "-torch.inf", ".masked_fill(~mask, 0.0)": ""},
            "Where a sentence has no memory that may be attended to, the softmax",
        ),
        (
            "einops and einsum",
            {".masked_fill(~mask, 0.0)": ""},
            "Where a sentence has no memory that may be attended to, all weights",
        ),
        ("head by head", {"self.W_o(output)": "output"}, "`W_o` is not applied"),
        (
            "head by head",
            {"for _, weights in heads], dim=1)": "for _, weights in heads], dim=1).mean(dim=1)"},
            "The weights are averaged over the heads",
        ),
    ],
    "DecoderBlock": [
        (
            "a list of sublayers",
            {"lambda y: self.self_attn(y, y, y, mask)": "lambda y: self.self_attn(y, y, y)"},
            "The self-attention is not causal",
        ),
        (
            "a list of sublayers",
            {"places[:, None] >= places": "places[:, None] > places"},
            "The diagonal is masked too",
        ),
        ("a list of sublayers", {"kept[1]": "kept[0]"}, "The weights of the self-attention"),
        (
            "two branches",
            {
                "self.multihead_attn(self.norm2(x), memory, memory,": "self.multihead_attn("
                "self.norm2(x), self.norm2(memory), self.norm2(memory),"
            },
            "With norm_first the memory is normalized",
        ),
        (
            "two branches",
            {"x = x + drop(y)": "x = drop(y)", "self.norm2(x + drop(y))": "self.norm2(drop(y))"},
            "The residual connection around the cross-attention",
        ),
        (
            "a list of sublayers",
            {"x = x + self.drop(result)": "x = self.drop(x + result)"},
            "Dropout stands after the sum",
        ),
    ],
    "Transformer": [
        (
            "positions kept from the start",
            {"self.scale = embed_dim**0.5": "self.scale = 1"},
            "The embeddings are not multiplied",
        ),
        (
            "positions kept from the start",
            {
                "self.source_embedding(source) * self.scale + self.positions[: source.size(1)]": ""
                "(self.source_embedding(source) + self.positions[: source.size(1)]) * self.scale",
                "self.target_embedding(target) * self.scale + self.positions[: target.size(1)]": ""
                "(self.target_embedding(target) + self.positions[: target.size(1)]) * self.scale",
            },
            "The positions are added before",
        ),
        (
            "positions kept from the start",
            {", memory_mask=mask": ""},
            "The source mask is used in the encoder",
        ),
        (
            "torch's own layers inside",
            {"(source != self.pad_id)": "(source != 0)"},
            "Padding is always token 0",
        ),
        (
            "torch's own layers inside",
            {"return self.output(x)": "return self.output(x).softmax(dim=-1)"},
            "The logits went through a softmax",
        ),
        (
            "torch's own layers inside",
            {"if length > self.max_length": "if False"},
            "Longer sequences than max_length are accepted",
        ),
    ],
    "label_smoothed_loss": [
        (
            "the whole target distribution",
            {"smoothing / vocab": "smoothing"},
            "Every token gets the whole",
        ),
        (
            "the whole target distribution",
            {"(1 - smoothing) * wanted": "wanted"},
            "The right token keeps all",
        ),
        (
            "the whole target distribution",
            {"max(int(real.sum()), 1)": "real.numel()"},
            "The loss at padding is zero",
        ),
        (
            "the whole target distribution",
            {"max(int(real.sum()), 1)": "real.sum()"},
            "With padding alone the mean",
        ),
        ("logsumexp", {"max(count, 1)": "count if count else total / count"}, "With padding alone"),
        (
            "divergence from the target and its entropy",
            {"logits.log_softmax(-1)": "logits.softmax(-1).log()"},
            "The logarithm of a softmax",
        ),
    ],
    "warmup_rate": [
        (
            "two branches",
            {"1 / math.sqrt(embed_dim * step)": "1 / math.sqrt(embed_dim * warmup_steps)"},
            "After the warm-up the rate stays",
        ),
        (
            "share of the peak",
            {"(embed_dim * warmup_steps)": "warmup_steps"},
            "The factor embed_dim^-0.5 is missing",
        ),
        ("share of the peak", {"* min(": "* max("}, "The larger of the two"),
        ("two branches", {"if step < warmup_steps": "if False"}, "There is no warm-up"),
    ],
    "beam_search": [
        (
            "tensors, finished rows padded with eos",
            {"min(beam_width, len(scores))": "1"},
            "`beam_width` is not used",
        ),
        (
            "tensors, finished rows padded with eos",
            {"step(beam).log_softmax(dim=-1)": "step(beam)"},
            "The logits are added up",
        ),
        (
            "tensors, finished rows padded with eos",
            {"if ended.all()": "if ended.any()"},
            "The search stops as soon as",
        ),
        (
            "a heap, one prefix at a time",
            {"torch.tensor(tokens[1:])": "torch.tensor(tokens)"},
            "The start token is part",
        ),
        (
            "a heap, one prefix at a time",
            {"(4 + len(one[1])) / 6": "len(one[1]) - 1"},
            "The score is divided by length",
        ),
        (
            "a heap, one prefix at a time",
            {"one[0] / math.pow((4 + len(one[1])) / 6, length_penalty)": "one[0]"},
            "The length penalty is not used",
        ),
    ],
}
