"""Runs the server: listens at once, says that it is ready once it has compiled and run a model."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
from pathlib import Path

import jax
import numpy as np
import uvicorn

from . import training_model
from .config import ModelConfig
from .engine import Engine, Options
from .optim import AdamSettings
from .requests import Datum, LossCall, SampleCall
from .sampler import Row, plan, run_batch
from .server import Readiness, create_app
from .store import Weights
from .weights import init_params

log = logging.getLogger(__name__)

TINY = ModelConfig(
    vocab_size=16,
    hidden_size=8,
    intermediate_size=8,
    num_hidden_layers=1,
    num_attention_heads=2,
    num_key_value_heads=1,
    head_dim=4,
    rms_norm_eps=1e-6,
    rope_theta=10000.0,
    tie_word_embeddings=True,
    max_position_embeddings=64,
    initializer_range=0.02,
)


def use_cache(directory: Path) -> None:
    """Compiled functions survive a restart."""
    directory.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", str(directory))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    # Else a path inside the directory is part of every entry's name, and a copied or linked directory is an empty one.
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")


def warm() -> None:
    """Samples from and trains a tiny model: proves that the device works."""
    weights = Weights(TINY, {}, init_params(TINY, 0))
    row = Row(SampleCall(np.ones(3, np.int32), 1, 2, 1.0, 0, 1.0, 0, (), False), 0)
    run_batch(weights.params, TINY, [row], plan([row], (1,), False)[0])
    model = training_model.new_model(weights, 0, 0)
    ones = np.ones(3, np.float32)
    datum = Datum(np.ones(3, np.int32), np.ones(3, np.int32), ones, ones, ones)
    training_model.forward_backward(model, LossCall("cross_entropy", (0.8, 1.2, 0.0), (datum,), False), 64)
    training_model.optim_step(model, AdamSettings(1e-3, 0.9, 0.95, 1e-8, 0.0, 1.0))


def run_server(options: Options, host: str, port: int) -> None:
    """Returns after SIGTERM or SIGINT. Prints one JSON line on stdout when ready; logs go to stderr."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    bound = listener.getsockname()[1]
    # The server library raises the signal that ended it once more: it has been obeyed by then.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    readiness = Readiness()
    app = create_app(Engine(options), readiness)
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)

    async def become_ready() -> None:
        try:
            await asyncio.to_thread(warm)
            readiness.ready = True
            print(json.dumps({"ready": True, "port": bound, "pid": os.getpid()}), flush=True)
        except Exception as error:
            log.exception("the engine cannot work")
            readiness.problem = f"the engine cannot work: {error}"
            server.should_exit = True

    async def main() -> None:
        warming = asyncio.create_task(become_ready())
        await server.serve(sockets=[listener])
        with contextlib.suppress(asyncio.CancelledError):
            warming.cancel()
            await warming

    asyncio.run(main())
    if readiness.problem is not None:
        raise SystemExit(1)
