"""What the engine says about itself."""

import resource
import sys
import time
from dataclasses import asdict
from typing import Any

import jax

from .engine import Engine


def per_second(amount: int, seconds: float) -> float:
    return amount / seconds if seconds > 0 else 0.0


def engine_report(engine: Engine) -> dict[str, Any]:
    """Models, published snapshots, counters, memory. Token rates are per second of work, not of wall clock."""
    sampling, training = engine.batcher.counters, engine.counters
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "engine": "local-jax",
        "jax": jax.__version__,
        "devices": [str(device) for device in jax.devices()],
        "uptime_seconds": time.time() - engine.started,
        "deterministic": engine.options.deterministic,
        "sample_batches": list(engine.batcher.sizes),
        "token_budget": engine.options.token_budget,
        "base_models": engine.store.base_names(),
        "models": [
            {
                "model_id": entry.model_id,
                "base_model": entry.base_model,
                "rank": entry.rank,
                "last_seq_id": entry.last_seq,
                "step": None if entry.state is None else int(entry.state.moments.count),
                "config": asdict(entry.base.config),
            }
            for entry in engine.models.values()
        ],
        "published": engine.store.published(),
        "in_memory": [f"tinker://{key}" for key in list(engine.store.snapshots)],
        "sampling": {
            **asdict(sampling),
            "waiting": len(engine.batcher.waiting),
            "new_tokens_per_second": per_second(sampling.new_tokens, sampling.busy_seconds),
        },
        "training": {**asdict(training), "tokens_per_second": per_second(training.tokens, training.busy_seconds)},
        "peak_rss_bytes": peak if sys.platform == "darwin" else peak * 1024,
    }
