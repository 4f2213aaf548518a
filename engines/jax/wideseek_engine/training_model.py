"""A model in training and what can be done to it. Everything here runs on the one training thread."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .checkpoints import require_complete, write_checkpoint
from .errors import EngineError
from .optim import AdamSettings, Moments, adam_step, fresh_moments, settings_array
from .requests import LossCall
from .store import Weights
from .trainer import CallResult, run_call
from .weights import Params, checked, init_lora, merge_lora, read_tensors


@dataclass
class TrainingModel:
    """`trainable` is everything (rank 0) or an adapter on the frozen base (rank ≥ 1)."""

    base: Weights
    rank: int
    frozen: Params
    trainable: Params
    moments: Moments
    gradients: Params | None = field(default=None)
    """Summed since the last step; not part of a checkpoint."""


def new_model(base: Weights, rank: int, seed: int) -> TrainingModel:
    trainable = dict(base.params) if rank == 0 else init_lora(base.config, rank, seed)
    frozen = {} if rank == 0 else base.params
    return TrainingModel(base, rank, frozen, trainable, fresh_moments(trainable))


def forward_backward(model: TrainingModel, call: LossCall, token_budget: int) -> CallResult:
    """A call that fails changes nothing."""
    result = run_call(model.base.config, model.trainable, model.frozen, call, token_budget)
    if result.gradients is not None:
        earlier = model.gradients
        added = result.gradients if earlier is None else jax.tree.map(jnp.add, earlier, result.gradients)
        model.gradients = added
    return result


def optim_step(model: TrainingModel, settings: AdamSettings) -> dict[str, float]:
    """
    Throws `EngineError` without gradients, and where a gradient or a new weight is not finite: weights and moments stay,
    the gradients are dropped.
    """
    if model.gradients is None:
        raise EngineError("optim_step: no gradients since the last step; call forward_backward first")
    gradients, model.gradients = model.gradients, None
    model.trainable, model.moments, facts = adam_step(
        model.trainable, model.moments, gradients, settings_array(settings)
    )
    norm = float(facts["grad_norm"])
    if not bool(facts["ok"]):
        raise EngineError(
            f"optim_step: a gradient or a new weight is not finite (gradient norm {norm}, learning rate "
            f"{settings.learning_rate}); the weights are unchanged and the gradients are dropped"
        )
    return {
        "grad_norm": norm,
        "num_zeros_in_grad": float(facts["zeros"]),
        "update_norm": float(facts["update_norm"]),
        "learning_rate": settings.learning_rate,
        "step": float(model.moments.count),
    }


def merged(model: TrainingModel) -> Weights:
    """What a sampler needs: plain weights."""
    params = model.trainable if model.rank == 0 else merge_lora(model.frozen, model.trainable)
    return Weights(model.base.config, model.base.raw_config, dict(params))


def numpy_tree(params: Params, prefix: str = "") -> dict[str, np.ndarray]:
    return {f"{prefix}{name}": np.asarray(value) for name, value in params.items()}


def save(model: TrainingModel, target: Path, facts: dict[str, Any]) -> None:
    """
    A checkpoint with the optimiser's state. At rank 0 the directory is a model directory of its own; at rank ≥ 1 the
    adapter has the names of the `peft` package.
    """
    count = int(model.moments.count)
    meta = {**facts, "rank": model.rank, "step": count}
    moments = {**numpy_tree(model.moments.mu, "mu."), **numpy_tree(model.moments.nu, "nu.")}
    weights = "model.safetensors" if model.rank == 0 else "adapter.safetensors"
    contents = {
        "config.json": model.base.raw_config,
        weights: numpy_tree(model.trainable),
        "optimizer.safetensors": moments,
        "meta.json": meta,
    }
    write_checkpoint(target, contents)


def load(model: TrainingModel, source: Path, label: str, meta: dict[str, Any], optimizer: bool) -> None:
    """Exactly what was saved, bit for bit. Throws `EngineError` (422) where rank or shapes differ."""
    require_complete(source, label)
    if meta.get("rank") != model.rank:
        raise EngineError(f"{label} has rank {meta.get('rank')}, the model has rank {model.rank}", 422)
    expected = {name: value.shape for name, value in model.trainable.items()}
    weights = "model.safetensors" if model.rank == 0 else "adapter.safetensors"
    trainable = checked(read_tensors(source / weights), expected, label)
    moments = fresh_moments(trainable)
    if optimizer:
        stored = read_tensors(source / "optimizer.safetensors")
        parts = {"mu": moments.mu, "nu": moments.nu}
        for prefix in parts:
            found = {k.removeprefix(f"{prefix}."): v for k, v in stored.items() if k.startswith(f"{prefix}.")}
            parts[prefix] = checked(found, expected, f"{label}, optimiser {prefix}")
        moments = Moments(jnp.asarray(meta["step"], jnp.int32), parts["mu"], parts["nu"])
    model.trainable, model.moments, model.gradients = trainable, moments, None
