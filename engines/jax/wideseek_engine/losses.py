"""The losses of the wire. Every one is Σ weight · loss over the targets; normalisation is the client's, in its weights."""

import jax
import jax.numpy as jnp

LOSSES = ("cross_entropy", "importance_sampling", "ppo")
CLIP_KEYS = ("clip_low_threshold", "clip_high_threshold", "dual_clip")
DEFAULT_CLIP = {"clip_low_threshold": 0.8, "clip_high_threshold": 1.2, "dual_clip": 0.0}
"""Bounds of the ratio itself. `dual_clip` is off at 0; above 1 it bounds the loss of a negative advantage."""


def token_losses(
    name: str, logprobs: jax.Array, weights: jax.Array, old: jax.Array, advantages: jax.Array, clip: jax.Array
) -> jax.Array:
    """weight · loss per target, all [B,T]; `clip` is (low, high, dual). A target of weight 0 is exactly 0, gradient too."""
    used = weights != 0
    if name == "cross_entropy":
        return jnp.where(used, -weights * logprobs, 0.0)
    ratio = jnp.exp(jnp.where(used, logprobs - old, 0.0))
    gain = ratio * advantages
    if name == "ppo":
        low, high, dual = clip
        gain = jnp.minimum(gain, jnp.clip(ratio, low, high) * advantages)
        floored = jnp.maximum(gain, dual * advantages)
        gain = jnp.where((dual > 0) & (advantages < 0), floored, gain)
    return jnp.where(used, -weights * gain, 0.0)
