"""AdamW with a bound on the global gradient norm; every setting comes with the step."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from .weights import Params


@dataclass(frozen=True)
class AdamSettings:
    learning_rate: float
    beta1: float
    beta2: float
    eps: float
    weight_decay: float
    grad_clip_norm: float
    """0 means no bound."""


class Moments(NamedTuple):
    count: jax.Array
    mu: Params
    nu: Params


def fresh_moments(params: Params) -> Moments:
    zeros = {name: jnp.zeros_like(value) for name, value in params.items()}
    return Moments(jnp.zeros((), jnp.int32), zeros, jax.tree.map(jnp.zeros_like, zeros))


def settings_array(settings: AdamSettings) -> jax.Array:
    s = settings
    return jnp.asarray([s.learning_rate, s.beta1, s.beta2, s.eps, s.weight_decay, s.grad_clip_norm], jnp.float32)


@partial(jax.jit, donate_argnums=(1,))
def adam_step(
    params: Params, moments: Moments, grads: Params, settings: jax.Array
) -> tuple[Params, Moments, dict[str, jax.Array]]:
    """New weights and moments, or the old ones where a gradient or a new weight is not finite (`ok` is false then)."""
    rate, beta1, beta2, eps, decay, bound = settings
    norm = optax.tree.norm(grads)
    scale = jnp.where((bound > 0) & (norm > bound), bound / norm, 1.0)
    adam = optax.scale_by_adam(b1=beta1, b2=beta2, eps=eps)
    state = optax.ScaleByAdamState(moments.count, moments.mu, moments.nu)
    updates, state = adam.update(jax.tree.map(lambda g: g * scale, grads), state)
    new = jax.tree.map(lambda p, u: p - rate * (u + decay * p), params, updates)
    finite = jax.tree.reduce(jnp.logical_and, jax.tree.map(lambda p: jnp.all(jnp.isfinite(p)), new))
    ok = finite & jnp.isfinite(norm)

    def keep(old: jax.Array, changed: jax.Array) -> jax.Array:
        return jnp.where(ok, changed, old)

    kept = Moments(*jax.tree.map(keep, tuple(moments), (state.count, state.mu, state.nu)))
    facts = {
        "ok": ok,
        "grad_norm": norm,
        "zeros": jax.tree.reduce(jnp.add, jax.tree.map(lambda g: jnp.sum(g == 0), grads)),
        "update_norm": optax.tree.norm(jax.tree.map(jnp.subtract, new, params)),
    }
    return jax.tree.map(keep, params, new), kept, facts
