"""Wrong answers, as changes of right ones, each with the key of what is to be said of it."""

WRONG = {
    "KeyValueCache": [
        (
            "lists of pieces",
            {("torch.cat(self.pieces[0], dim=2), torch.cat(self.pieces[1], dim=2)"): "key, value"},
            "new-returned",
        ),
        (
            "lists of pieces",
            {("sum(piece.size(2) for piece in self.pieces[0])"): "len(self.pieces[0])"},
            "length-in-calls",
        ),
        ("an empty module at first", {"[old, new]": "[new, old]"}, "in-front"),
        ("an empty module at first", {" if self.stored else 0": ""}, "empty-fails"),
        (
            "an empty module at first",
            {"self.stored[0].shape[2]": "self.stored[0].shape[0]"},
            "length-of-batch",
        ),
        ("from the docstring", {".append(": ".insert(0,"}, "in-front"),
        ("from the docstring", {"sum(k.shape[2] for k, _ in": "len("}, "length-in-calls"),
        (
            "from the docstring",
            {
                (
                    "torch.cat([k for k, _ in self.parts], dim=2), "
                    "torch.cat([v for _, v in self.parts], dim=2)"
                ): "key, value"
            },
            "new-returned",
        ),
        (
            "an empty module at first",
            {"(key[:, :, :0], value[:, :, :0])": "torch.empty(2, *key[:, :, :0].shape)"},
            "begins-in-float32",
        ),
    ],
    "blockwise_attention": [
        ("blocks of keys, all queries at once", {"* scale": ""}, "not-scaled"),
        ("blocks of keys, all queries at once", {"total * kept": "total"}, "outputs-only-rescaled"),
        ("blocks of keys, all queries at once", {"+ (S - L)": ""}, "first-positions"),
        (
            "blocks of keys, all queries at once",
            {
                "kept = torch.exp(largest - new)": "kept = 1.0",
                "torch.exp(scores - new)": "torch.exp(scores)",
            },
            "no-maximum",
        ),
        (
            "two passes: the sum, then the output",
            {"if causal else S": "if False else S"},
            "causal-unused",
        ),
        ("from the docstring", {"total * shrink": "total"}, "outputs-only-rescaled"),
        ("from the docstring", {"] + S - L": "]"}, "first-positions"),
        ("from the docstring", {"result / total": "result"}, "not-divided"),
    ],
    "next_token_probabilities": [
        (
            "sorted once, everything in that order",
            {"/ temperature, dim=-1": "* temperature, dim=-1"},
            "temperature",
        ),
        (
            "sorted once, everything in that order",
            {"(ordered - ordered[..., :1]) / temperature": "ordered"},
            "temperature-unused",
        ),
        (
            "sorted once, everything in that order",
            {("dropped = F.pad(reached[..., :-1], (1, 0), value=False)"): "dropped = reached"},
            "crossing",
        ),
        ("row by row", {"result[best] = 1 / len(best)": "result[best[0]] = 1"}, "zero-first-only"),
        ("row by row", {"(chances / chances.sum())": "chances"}, "top-p-not-divided"),
        ("from the docstring", {") /": ") *"}, "temperature"),
        ("from the docstring", {"before <": "(before + ordered) <="}, "crossing"),
        ("from the docstring", {"p = p / p.sum(-1, keepdim=True)": ""}, "top-p-not-divided"),
    ],
    "induction_score": [
        ("loops over queries and keys", {"places = [key + 1 for": "places = [key for"}, "after"),
        ("loops over queries and keys", {"count += 1": "count += len(places)"}, "mean-of-pairs"),
        (
            "one hot, einsum, and a shift of the weights",
            {("/ queries if queries > 0 else torch.zeros_like(total)"): "/ queries"},
            "nothing-nan",
        ),
        (
            "one hot, einsum, and a shift of the weights",
            {"queries = same.any(dim=2).sum()": "queries = torch.tensor(tokens.numel())"},
            "mean",
        ),
        ("from the docstring", {"j + 1": "j"}, "after"),
        ("from the docstring", {"if spots": ("spots = spots[-1:]\nif spots")}, "last-only"),
        ("from the docstring", {"max(count, 1": "(B * L"}, "mean"),
    ],
}

EQUIVALENT = {
    (
        "next_token_probabilities",
        "probabilities = softmax(scores, dim=-1) => probabilities = softmax(scores)",
    ): "The default is the last dimension.",
    (
        "next_token_probabilities",
        (
            "ordered, order = probabilities.sort(dim=-1, descending=True) => ordered, order = "
            "probabilities.sort(descending=True)"
        ),
    ): "The default is the last dimension.",
    (
        "next_token_probabilities",
        (
            "kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:] => kth = "
            "logits.topk(min(top_k, logits.shape[-1])).values[..., -1:]"
        ),
    ): "The default is the last dimension.",
    (
        "next_token_probabilities",
        ("scores = (logits - largest) / temperature => scores = (logits + largest) / temperature"),
    ): "The softmax does not change when all scores move by the same number.",
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None:",
    ): "A top_p of 1 keeps all.",
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None and top_p <= 1:",
    ): "A top_p of 1 keeps all.",
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None and top_p < 2:",
    ): "A top_p of 1 keeps all.",
    (
        "next_token_probabilities",
        (
            "kept = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before < "
            "top_p) => kept = torch.ones_like(before, dtype=torch.bool).scatter(-1, order, "
            "before < top_p)"
        ),
    ): "Every place is written.",
    (
        "blockwise_attention",
        "output = total = 0.0 => output = total = 1.0",
    ): "The first block scales whatever was there before it by exp(-inf), which is 0.",
}
