"""Batched sampling with a key-value cache: prefill and decoding are one compiled function per shape."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp

from .config import ModelConfig
from .model import NEGATIVE, attend_causal, feed_forward, linear, logits_of, project, rms_norm, rotary
from .weights import EMBED, FINAL_NORM, Params, layer_name


class Rows(NamedTuple):
    """One batch. Prompts are padded on the left, so that all rows write the same cache slot at a step."""

    prompts: jax.Array
    """[B,P] token ids."""
    lengths: jax.Array
    """[B] real tokens of each prompt, at least 1."""
    keys: jax.Array
    """[B,2] uint32: the row's random key. Step t uses `fold_in(key, t)`, whatever else is in the batch."""
    max_new: jax.Array
    """[B]; 0 for a padding row, which is done at once."""
    temperature: jax.Array
    """[B]; 0 takes the likeliest token."""
    top_k: jax.Array
    """[B]; 0 is no bound."""
    top_p: jax.Array
    stop: jax.Array
    """[B,S] token ids, padded with -1."""


class Cache(NamedTuple):
    """Per layer [B, kv heads, slots, head_dim]."""

    keys: tuple[jax.Array, ...]
    values: tuple[jax.Array, ...]


def prefill(params: Params, config: ModelConfig, rows: Rows, slots: int) -> tuple[Cache, jax.Array]:
    """Fills the cache with the prompts. Returns logits [B,V] of the last position alone."""
    length = rows.prompts.shape[1]
    start = length - rows.lengths
    cos, sin = rotary(config, jnp.maximum(jnp.arange(length)[None, :] - start[:, None], 0))
    x = params[EMBED][rows.prompts]
    keys, values = [], []
    for layer in range(config.num_hidden_layers):
        h = rms_norm(x, params[layer_name(layer, "input_layernorm.weight")], config.rms_norm_eps)
        q, k, v = project(params, config, layer, h, cos, sin)
        if layer == config.num_hidden_layers - 1:
            x, mixed = x[:, -1:], attend_last(q[:, -1:], k, v, start)
        else:
            mixed = attend_causal(q, k, v, start)
        x = feed_forward(params, config, layer, x + linear(params, layer_name(layer, "self_attn.o_proj"), mixed))
        room = ((0, 0), (0, 0), (0, slots - length), (0, 0))
        keys.append(jnp.pad(k.swapaxes(1, 2), room))
        values.append(jnp.pad(v.swapaxes(1, 2), room))
    last = rms_norm(x[:, -1], params[FINAL_NORM], config.rms_norm_eps)
    return Cache(tuple(keys), tuple(values)), logits_of(params, config, last)


def attend_last(q: jax.Array, k: jax.Array, v: jax.Array, start: jax.Array) -> jax.Array:
    """The last position's query [B,1,H,D] over all slots from `start` on."""
    visible = jnp.arange(k.shape[1])[None, :] >= start[:, None]
    return attend_cached(q[:, 0], k.swapaxes(1, 2), v.swapaxes(1, 2), visible)[:, None]


def attend_cached(q: jax.Array, keys: jax.Array, values: jax.Array, visible: jax.Array) -> jax.Array:
    """q [B,H,D]; keys, values [B,K,S,D]; visible [B,S]. Returns [B,H·D]."""
    batch, heads, dim = q.shape
    q = q.reshape(batch, keys.shape[1], -1, dim) * dim**-0.5
    scores = jnp.where(visible[:, None, None], jnp.einsum("bkgd,bksd->bkgs", q, keys), NEGATIVE)
    return jnp.einsum("bkgs,bksd->bkgd", jax.nn.softmax(scores, axis=-1), values).reshape(batch, heads * dim)


def decode(
    params: Params, config: ModelConfig, cache: Cache, tokens: jax.Array, slot: jax.Array, start: jax.Array
) -> tuple[Cache, jax.Array]:
    """One token [B] per row at cache slot `slot`. Returns logits [B,V]."""
    cos, sin = rotary(config, slot - start)
    visible = (jnp.arange(cache.keys[0].shape[2]) <= slot)[None, :] & (
        jnp.arange(cache.keys[0].shape[2])[None, :] >= start[:, None]
    )
    x = params[EMBED][tokens]
    keys, values = [], []
    for layer in range(config.num_hidden_layers):
        h = rms_norm(x, params[layer_name(layer, "input_layernorm.weight")], config.rms_norm_eps)
        q, k, v = project(params, config, layer, h, cos, sin)
        keys.append(jax.lax.dynamic_update_slice(cache.keys[layer], k[:, :, None], (0, 0, slot, 0)))
        values.append(jax.lax.dynamic_update_slice(cache.values[layer], v[:, :, None], (0, 0, slot, 0)))
        mixed = attend_cached(q, keys[-1], values[-1], visible)
        x = feed_forward(params, config, layer, x + linear(params, layer_name(layer, "self_attn.o_proj"), mixed))
    last = rms_norm(x, params[FINAL_NORM], config.rms_norm_eps)
    return Cache(tuple(keys), tuple(values)), logits_of(params, config, last)


def restricted(logits: jax.Array, top_k: jax.Array, top_p: jax.Array) -> jax.Array:
    """Logits outside the k likeliest, or outside the smallest set of mass p, become minus infinity. The likeliest stays."""
    order = jnp.argsort(-logits, axis=-1)
    ranked = jnp.take_along_axis(logits, order, axis=-1)
    rank = jnp.arange(logits.shape[-1])[None, :]
    mass_before = jnp.cumsum(jax.nn.softmax(ranked, axis=-1), axis=-1) - jax.nn.softmax(ranked, axis=-1)
    kept = ((top_k[:, None] <= 0) | (rank < top_k[:, None])) & (mass_before < top_p[:, None])
    kept = kept | (rank == 0)
    return jnp.where(jnp.take_along_axis(kept, jnp.argsort(order, axis=-1), axis=-1), logits, -jnp.inf)


def choose(logits: jax.Array, rows: Rows, step: jax.Array, filtered: bool) -> tuple[jax.Array, jax.Array]:
    """A token per row and its log-prob at temperature 1, before any restriction."""

    def noise(key: jax.Array) -> jax.Array:
        return jax.random.gumbel(jax.random.fold_in(key, step), logits.shape[-1:], jnp.float32)

    hot = rows.temperature > 0
    scaled = logits / jnp.where(hot, rows.temperature, 1.0)[:, None]
    if filtered:
        scaled = restricted(scaled, rows.top_k, rows.top_p)
    token = jnp.argmax(jnp.where(hot[:, None], scaled + jax.vmap(noise)(rows.keys), logits), axis=-1)
    picked = jnp.take_along_axis(logits, token[:, None], axis=-1)[:, 0]
    return token.astype(jnp.int32), picked - jax.nn.logsumexp(logits, axis=-1)


class State(NamedTuple):
    step: jax.Array
    cache: Cache
    last: jax.Array
    done: jax.Array
    counts: jax.Array
    stopped: jax.Array
    tokens: jax.Array
    logprobs: jax.Array


class Replies(NamedTuple):
    tokens: jax.Array
    """[B,N]; only the first `counts` of a row mean something."""
    logprobs: jax.Array
    counts: jax.Array
    stopped: jax.Array
    """[B]: a stop token ended the reply; it is the reply's last token."""


@partial(jax.jit, static_argnames=("config", "new_tokens", "filtered"))
def generate(params: Params, rows: Rows, config: ModelConfig, new_tokens: int, filtered: bool) -> Replies:
    """Samples until every row has stopped or has its `max_new` tokens (at most `new_tokens`)."""
    batch, length = rows.prompts.shape
    start = length - rows.lengths
    cache, logits = prefill(params, config, rows, length + new_tokens)

    def record(state: State, logits: jax.Array) -> State:
        token, logprob = choose(logits, rows, state.step, filtered)
        ended = jnp.any(token[:, None] == rows.stop, axis=-1)
        live = ~state.done
        return state._replace(
            step=state.step + 1,
            last=token,
            counts=state.counts + live,
            stopped=state.stopped | (live & ended),
            done=state.done | ended | (state.step + 1 >= rows.max_new),
            tokens=jax.lax.dynamic_update_slice(state.tokens, token[:, None], (0, state.step)),
            logprobs=jax.lax.dynamic_update_slice(state.logprobs, logprob[:, None], (0, state.step)),
        )

    def advance(state: State) -> State:
        cache, logits = decode(params, config, state.cache, state.last, length + state.step - 1, start)
        return record(state._replace(cache=cache), logits)

    state = State(
        step=jnp.int32(0),
        cache=cache,
        last=jnp.zeros(batch, jnp.int32),
        done=rows.max_new <= 0,
        counts=jnp.zeros(batch, jnp.int32),
        stopped=jnp.zeros(batch, bool),
        tokens=jnp.zeros((batch, new_tokens), jnp.int32),
        logprobs=jnp.zeros((batch, new_tokens), jnp.float32),
    )
    state = jax.lax.while_loop(
        lambda s: (s.step < new_tokens) & ~jnp.all(s.done), advance, record(state, logits)
    )
    return Replies(state.tokens, state.logprobs, state.counts, state.stopped)
