"""The published implementation, transformers' Llama, with the weights of the course's model."""

from torch import Tensor

NAMES = {
    "embedding.": "model.embed_tokens.",
    "norm.": "model.norm.",
    "blocks.": "model.layers.",
    "attention_norm.": "input_layernorm.",
    "feed_forward_norm.": "post_attention_layernorm.",
    "attention.W_": "self_attn.W_",
    "feed_forward.W_": "mlp.W_",
    "W_q": "q_proj",
    "W_k": "k_proj",
    "W_v": "v_proj",
    "W_o": "o_proj",
    "W_gate": "gate_proj",
    "W_up": "up_proj",
    "W_down": "down_proj",
}


def llama(
    vocab_size: int = 49152,
    embed_dim: int = 576,
    num_heads: int = 9,
    num_kv_heads: int = 3,
    hidden_dim: int = 1536,
    num_layers: int = 30,
    base: float = 100000.0,
):
    """A Llama of these sizes, with random numbers."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=vocab_size,
        hidden_size=embed_dim,
        num_attention_heads=num_heads,
        num_key_value_heads=num_kv_heads,
        intermediate_size=hidden_dim,
        num_hidden_layers=num_layers,
        rope_parameters={"rope_type": "default", "rope_theta": base},
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        max_position_embeddings=8192,
        attn_implementation="eager",
        pad_token_id=2,
        bos_token_id=1,
        eos_token_id=None,
    )
    return LlamaForCausalLM(config).eval()


def put_in(theirs, weights: dict[str, Tensor], num_heads: int, num_kv_heads: int) -> None:
    """Put the course's weights in: other names, and pairs that are half a head apart."""
    theirs.load_state_dict(published(weights, num_heads, num_kv_heads), strict=False)
    theirs.tie_weights()


def published(weights: dict[str, Tensor], num_heads: int, num_kv_heads: int) -> dict[str, Tensor]:
    """The course's weights as the hub's file has them."""
    renamed = {}
    for name, weight in weights.items():
        heads = num_heads if "W_q" in name else num_kv_heads if "W_k" in name else None
        if heads:  # rows 0, 1, 2, 3 ... of a head become 0, 2, 4 ..., 1, 3, 5 ...
            rows = weight.unflatten(0, (heads, -1, 2))
            weight = rows.transpose(1, 2).flatten(0, 2)
        for ours, theirs in NAMES.items():
            if ours.startswith(("embedding", "norm", "blocks")):
                name = theirs + name.removeprefix(ours) if name.startswith(ours) else name
            else:
                name = name.replace(ours, theirs)
        renamed[name] = weight
    return renamed
