"""Gradients of a call, in micro-batches of fixed shape; nothing here changes a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from .buckets import Batch, micro_batches
from .config import ModelConfig
from .errors import EngineError
from .losses import token_losses
from .model import target_logprobs
from .requests import Datum, LossCall
from .weights import Params


class Arrays(NamedTuple):
    """One micro-batch, every array [B,T]; padding has weight 0."""

    tokens: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    logprobs: np.ndarray
    advantages: np.ndarray


@dataclass(frozen=True)
class CallResult:
    gradients: Params | None
    """None for a forward pass."""
    logprobs: list[np.ndarray]
    losses: list[np.ndarray]
    """weight · loss per target."""
    total: float


def padded_data(data: Sequence[Datum], batch: Batch) -> Arrays:
    shape = (batch.rows, batch.length)
    arrays = Arrays(
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int32),
        *(np.zeros(shape, np.float32) for _ in range(3)),
    )
    for row, index in enumerate(batch.members):
        datum = data[index]
        for array, values in zip(arrays, (datum.tokens, datum.targets, datum.weights, datum.logprobs, datum.advantages)):
            array[row, : len(values)] = values
    return arrays


@partial(jax.jit, static_argnames=("config", "loss"), donate_argnums=(2,))
def accumulate(
    trainable: Params, frozen: Params, sums: Params, arrays: Arrays, clip: jax.Array, config: ModelConfig, loss: str
) -> tuple[Params, jax.Array, jax.Array]:
    """Adds a micro-batch's gradients to `sums`. Returns those, log-probs and weight · loss, both [B,T]."""

    def total(trainable: Params) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
        logprobs = target_logprobs({**frozen, **trainable}, config, arrays.tokens, arrays.targets)
        losses = token_losses(loss, logprobs, arrays.weights, arrays.logprobs, arrays.advantages, clip)
        return jnp.sum(losses), (logprobs, losses)

    gradients, (logprobs, losses) = jax.grad(total, has_aux=True)(trainable)
    return jax.tree.map(jnp.add, sums, gradients), logprobs, losses


@partial(jax.jit, static_argnames=("config", "loss"))
def evaluate(
    params: Params, arrays: Arrays, clip: jax.Array, config: ModelConfig, loss: str
) -> tuple[jax.Array, jax.Array]:
    """Log-probs and weight · loss without gradients, both [B,T]."""
    logprobs = target_logprobs(params, config, arrays.tokens, arrays.targets)
    return logprobs, token_losses(loss, logprobs, arrays.weights, arrays.logprobs, arrays.advantages, clip)


@jax.jit
def all_finite(tree: Params) -> jax.Array:
    return jax.tree.reduce(jnp.logical_and, jax.tree.map(lambda value: jnp.all(jnp.isfinite(value)), tree))


def run_call(
    config: ModelConfig, trainable: Params, frozen: Params, call: LossCall, token_budget: int
) -> CallResult:
    """
    Loss, log-probs and gradients of one call, summed in float32 over its micro-batches. Throws `EngineError` where any of
    them is not finite.
    """
    clip = jnp.asarray(call.clip, jnp.float32)
    sums = None if call.forward_only else jax.tree.map(jnp.zeros_like, trainable)
    logprobs: list[np.ndarray] = [np.zeros(0, np.float32)] * len(call.data)
    losses = list(logprobs)
    for batch in micro_batches([len(datum.tokens) for datum in call.data], token_budget):
        arrays = padded_data(call.data, batch)
        if sums is None:
            out = evaluate({**frozen, **trainable}, arrays, clip, config, call.loss)
        else:
            sums, *out = accumulate(trainable, frozen, sums, arrays, clip, config, call.loss)
        batch_logprobs, batch_losses = jax.device_get(tuple(out))
        for row, index in enumerate(batch.members):
            length = len(call.data[index].tokens)
            logprobs[index] = batch_logprobs[row, :length]
            losses[index] = batch_losses[row, :length]
            refuse_not_finite(call, index, logprobs[index], losses[index])
    if sums is not None and not bool(all_finite(sums)):
        raise EngineError("forward_backward: a gradient is not finite; this call's gradients are dropped")
    return CallResult(sums, logprobs, losses, float(sum(part.sum(dtype=np.float64) for part in losses)))


def refuse_not_finite(call: LossCall, index: int, logprobs: np.ndarray, losses: np.ndarray) -> None:
    for name, values in (("log-prob", logprobs), ("loss", losses)):
        wrong = np.flatnonzero(~np.isfinite(values))
        if wrong.size:
            raise EngineError(
                f"forward_backward: datum {index}, position {wrong[0]}: the {name} is {values[wrong[0]]}; "
                "this call's gradients are dropped"
            )
