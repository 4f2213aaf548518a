"""The decoder: grouped-query attention with normalised queries and keys, rotary positions, RMSNorm, SwiGLU."""

from functools import partial

import jax
import jax.numpy as jnp

from .config import ModelConfig
from .weights import EMBED, FINAL_NORM, HEAD, LORA_ALPHA, Params, layer_name

NEGATIVE = -1e30
"""Stands for minus infinity in masks: a row that sees nothing must not become NaN."""

REMAT_FROM_LAYERS = 8
"""Deeper models recompute activations in the backward pass."""

QUERY_BLOCK = 512
"""Longer sequences attend in blocks of queries, so that scores take block × length and not length²."""

LOGITS_BLOCK = 1 << 24
"""At most this many logits exist at once in training."""


def linear(params: Params, name: str, x: jax.Array) -> jax.Array:
    """x · Wᵀ, with the adapter's low-rank term where there is one."""
    y = x @ params[f"{name}.weight"].T
    a = params.get(f"{name}.lora_A.weight")
    if a is None:
        return y
    return y + (LORA_ALPHA / a.shape[0]) * ((x @ a.T) @ params[f"{name}.lora_B.weight"].T)


def rms_norm(x: jax.Array, weight: jax.Array, eps: float) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def rotary(config: ModelConfig, positions: jax.Array) -> tuple[jax.Array, jax.Array]:
    """cos and sin, [..., head_dim / 2], for positions of any shape."""
    half = jnp.arange(0, config.head_dim, 2, dtype=jnp.float32) / config.head_dim
    angles = positions[..., None].astype(jnp.float32) * (1.0 / config.rope_theta**half)
    return jnp.cos(angles), jnp.sin(angles)


def rotate(x: jax.Array, cos: jax.Array, sin: jax.Array) -> jax.Array:
    """x is [..., heads, head_dim]; the first half pairs with the second."""
    first, second = jnp.split(x, 2, axis=-1)
    cos, sin = cos[..., None, :], sin[..., None, :]
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def project(
    params: Params, config: ModelConfig, layer: int, x: jax.Array, cos: jax.Array, sin: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Queries [..., heads, head_dim], keys and values [..., kv heads, head_dim] of normalised input."""
    part = partial(layer_name, layer)
    lead = x.shape[:-1]
    q = linear(params, part("self_attn.q_proj"), x).reshape(*lead, config.num_attention_heads, config.head_dim)
    k = linear(params, part("self_attn.k_proj"), x).reshape(*lead, config.num_key_value_heads, config.head_dim)
    v = linear(params, part("self_attn.v_proj"), x).reshape(*lead, config.num_key_value_heads, config.head_dim)
    q = rms_norm(q, params[part("self_attn.q_norm.weight")], config.rms_norm_eps)
    k = rms_norm(k, params[part("self_attn.k_norm.weight")], config.rms_norm_eps)
    return rotate(q, cos, sin), rotate(k, cos, sin), v


def attend(q: jax.Array, k: jax.Array, v: jax.Array, visible: jax.Array) -> jax.Array:
    """q [B,T,H,D]; k, v [B,S,K,D]; visible is boolean and broadcasts to [B,T,S]. Returns [B,T,H·D]."""
    batch, length, heads, dim = q.shape
    groups = heads // k.shape[2]
    q = q.reshape(batch, length, k.shape[2], groups, dim) * dim**-0.5
    scores = jnp.einsum("btkgd,bskd->bkgts", q, k)
    scores = jnp.where(visible[:, None, None], scores, NEGATIVE)
    mixed = jnp.einsum("bkgts,bskd->btkgd", jax.nn.softmax(scores, axis=-1), v)
    return mixed.reshape(batch, length, heads * dim)


def attend_causal(q: jax.Array, k: jax.Array, v: jax.Array, start: jax.Array) -> jax.Array:
    """Each position sees itself and the earlier ones from `start` ([B]) on."""
    length = q.shape[1]
    slots = jnp.arange(length)
    real = slots[None, None, :] >= start[:, None, None]

    def block(first: jax.Array, queries: jax.Array) -> jax.Array:
        rows = first + jnp.arange(queries.shape[1])
        return attend(queries, k, v, real & (slots[None, None, :] <= rows[None, :, None]))

    if length <= QUERY_BLOCK or length % QUERY_BLOCK != 0:
        return block(jnp.int32(0), q)
    blocks = q.reshape(q.shape[0], -1, QUERY_BLOCK, *q.shape[2:]).swapaxes(0, 1)
    firsts = jnp.arange(0, length, QUERY_BLOCK, dtype=jnp.int32)
    mixed = jax.lax.map(lambda args: jax.checkpoint(block)(*args), (firsts, blocks))
    return mixed.swapaxes(0, 1).reshape(q.shape[0], length, -1)


def feed_forward(params: Params, config: ModelConfig, layer: int, x: jax.Array) -> jax.Array:
    """The second half of a layer, with its norm and its residual."""
    part = partial(layer_name, layer)
    h = rms_norm(x, params[part("post_attention_layernorm.weight")], config.rms_norm_eps)
    gate = jax.nn.silu(linear(params, part("mlp.gate_proj"), h))
    return x + linear(params, part("mlp.down_proj"), gate * linear(params, part("mlp.up_proj"), h))


def hidden_states(params: Params, config: ModelConfig, tokens: jax.Array) -> jax.Array:
    """[B,T] token ids, padded on the right if at all, to [B,T,hidden] after the last norm."""
    cos, sin = rotary(config, jnp.arange(tokens.shape[1]))
    start = jnp.zeros(tokens.shape[0], jnp.int32)

    def block(params: Params, layer: int, x: jax.Array) -> jax.Array:
        h = rms_norm(x, params[layer_name(layer, "input_layernorm.weight")], config.rms_norm_eps)
        q, k, v = project(params, config, layer, h, cos, sin)
        x = x + linear(params, layer_name(layer, "self_attn.o_proj"), attend_causal(q, k, v, start))
        return feed_forward(params, config, layer, x)

    if config.num_hidden_layers >= REMAT_FROM_LAYERS:
        block = jax.checkpoint(block, static_argnums=1)
    x = params[EMBED][tokens]
    for layer in range(config.num_hidden_layers):
        x = block(params, layer, x)
    return rms_norm(x, params[FINAL_NORM], config.rms_norm_eps)


def head(params: Params, config: ModelConfig) -> jax.Array:
    return params[EMBED if config.tie_word_embeddings else HEAD]


def logits_of(params: Params, config: ModelConfig, hidden: jax.Array) -> jax.Array:
    return hidden @ head(params, config).T


def target_logprobs(params: Params, config: ModelConfig, tokens: jax.Array, targets: jax.Array) -> jax.Array:
    """Log-probability of each target, [B,T]. Only a block of logits exists at a time where the vocabulary is large."""
    hidden = hidden_states(params, config, tokens).reshape(-1, config.hidden_size)
    flat = targets.reshape(-1)

    def block(hidden: jax.Array, targets: jax.Array) -> jax.Array:
        logits = logits_of(params, config, hidden)
        picked = jnp.take_along_axis(logits, targets[:, None], axis=-1)[:, 0]
        return picked - jax.nn.logsumexp(logits, axis=-1)

    rows = flat.shape[0]
    parts = 1
    while rows // parts * config.vocab_size > LOGITS_BLOCK and rows % (parts * 2) == 0:
        parts *= 2
    if parts == 1:
        return block(hidden, flat).reshape(targets.shape)
    split = (hidden.reshape(parts, -1, config.hidden_size), flat.reshape(parts, -1))
    return jax.lax.map(lambda args: jax.checkpoint(block)(*args), split).reshape(targets.shape)
