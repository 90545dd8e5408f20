"""Mutants that no check can fail, each with the reason. A stale entry fails the test."""

FACTOR = "All scores are multiplied by the same number, so the best stays the best."
SQUARED = "The difference is squared."

LAST = "The default is the last dimension."
ALL_KEPT = "A top_p of 1 keeps all."

EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "next_token_probabilities",
        "probabilities = softmax(scores, dim=-1) => probabilities = softmax(scores)",
    ): LAST,
    (
        "next_token_probabilities",
        "ordered, order = probabilities.sort(dim=-1, descending=True) => "
        "ordered, order = probabilities.sort(descending=True)",
    ): LAST,
    (
        "next_token_probabilities",
        "kth = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[..., -1:] => "
        "kth = logits.topk(min(top_k, logits.shape[-1])).values[..., -1:]",
    ): LAST,
    (
        "next_token_probabilities",
        "scores = (logits - largest) / temperature => scores = (logits + largest) / temperature",
    ): "The softmax does not change when all scores move by the same number.",
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None:",
    ): ALL_KEPT,
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None and top_p <= 1:",
    ): ALL_KEPT,
    (
        "next_token_probabilities",
        "if top_p is not None and top_p < 1: => if top_p is not None and top_p < 2:",
    ): ALL_KEPT,
    (
        "next_token_probabilities",
        "kept = torch.zeros_like(before, dtype=torch.bool)."
        "scatter(-1, order, before < top_p) => "
        "kept = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before <= top_p)",
    ): "Which of the two holds at a sum of exactly top_p is decided by rounding.",
    (
        "next_token_probabilities",
        "kept = torch.zeros_like(before, dtype=torch.bool)."
        "scatter(-1, order, before < top_p) => "
        "kept = torch.ones_like(before, dtype=torch.bool).scatter(-1, order, before < top_p)",
    ): "Every place is written.",
    (
        "mean_pool",
        "total = hidden.masked_fill(~real, 0.0).sum(dim=1) => "
        "total = hidden.masked_fill(~real, 0.0).mean(dim=1)",
    ): "The result is brought to unit length, whatever the sum is divided by.",
    (
        "mean_pool",
        "return nn.functional.normalize(total, dim=-1) => return nn.functional.normalize(total)",
    ): "The default is dimension 1, which is the last of two.",
    (
        "contrastive_loss",
        "anchors = nn.functional.normalize(anchors, dim=-1) => "
        "anchors = nn.functional.normalize(anchors)",
    ): "The default is dimension 1, which is the last of two.",
    (
        "contrastive_loss",
        "positives = nn.functional.normalize(positives, dim=-1) => "
        "positives = nn.functional.normalize(positives)",
    ): "The default is dimension 1, which is the last of two.",
    (
        "blockwise_attention",
        "output = total = 0.0 => output = total = 1.0",
    ): "The first block scales whatever was there before it by exp(-inf), which is 0.",
    (
        "letter_similarity",
        "return sum((x == y for x, y in zip(a, b, strict=False))) / longer => "
        "return sum((x == y for x, y in zip(b, a, strict=False))) / longer",
    ): "Whether two letters are equal does not depend on their order.",
    (
        "kernel_regression",
        "distance = (x.unsqueeze(1) - keys) / bandwidth => "
        "distance = (keys - x.unsqueeze(1)) / bandwidth",
    ): SQUARED,
    (
        "softmax_jacobian",
        "weights = torch.softmax(scores, dim=0) => weights = torch.softmax(scores, dim=-1)",
    ): "The scores have one dimension, which is both the first and the last.",
    (
        "attention_rollout",
        "identity = torch.eye(layer.shape[-1], dtype=layer.dtype, device=layer.device) => "
        "identity = torch.eye(layer.shape[-2], dtype=layer.dtype, device=layer.device)",
    ): "The weights of self-attention are a square.",
    (
        "attention_rollout",
        "identity = torch.eye(layer.shape[-1], dtype=layer.dtype, device=layer.device) => "
        "identity = torch.eye(layer.shape[-1], device=layer.device)",
    ): "Zeros and ones are exact in float32, and the sum with the weights takes their dtype.",
    (
        "masked_patch_loss",
        "difference = predicted[mask] - target[mask] => "
        "difference = target[mask] - predicted[mask]",
    ): SQUARED,
    (
        "equivariance_gap",
        "return (turned - straight[permutation]).abs().max().item() => "
        "return (straight[permutation] - turned).abs().max().item()",
    ): "Only the size of the difference counts.",
    (
        "LearnedPositions",
        "return x + self.table.weight[:L] => return x - self.table.weight[:L]",
    ): "The first values of the vectors are free and random, and so are their signs.",
    **{
        (
            "BidirectionalEncoder",
            "def __init__(self, vocab_size: int, embed_dim: int, hidden_dim: int, pad_id: int=0) "
            "-> None: => def __init__(self, vocab_size: int, embed_dim: int, hidden_dim: int, "
            f"pad_id: int={other}) -> None:",
        ): "Padding is never read: `lengths` says where it is."
        for other in (1, -1)
    },
    (
        "BidirectionalEncoder",
        "self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=pad_id) => "
        "self.embedding = nn.Embedding(vocab_size, embed_dim)",
    ): "Padding is never read: `lengths` says where it is.",
    (
        "attention_row",
        "query, key, value = (split_heads(project(x), attention.num_heads)[0, head] "
        "for project in (attention.W_q, attention.W_k, attention.W_v)) => "
        "query, key, value = (split_heads(project(x), attention.num_heads)[-1, head] "
        "for project in (attention.W_q, attention.W_k, attention.W_v))",
    ): "The first of a batch of one is its last.",
}

BEST = (
    "tokens, log_prob = max(beam, "
    "key=lambda one: one[1] / ((5 + len(one[0])) {}) ** length_penalty)"
)
for _other in ("* 6", "/ 5", "/ 7"):
    EQUIVALENT["beam_search", f"{BEST.format('/ 6')} => {BEST.format(_other)}"] = FACTOR
