"""From sample requests to batches of fixed shape and back."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from .buckets import Batch, length_bucket, reply_bucket, sample_batches, uniform_batches
from .config import ModelConfig
from .errors import EngineError
from .generate import Rows, generate
from .model import target_logprobs
from .requests import Reply, SampleCall
from .weights import Params

STOP_SIZES = (8, 64, 512)


@dataclass(frozen=True)
class Row:
    """One sample of one request."""

    call: SampleCall
    sample: int


def shape_key(call: SampleCall) -> tuple[int, bool]:
    """Requests that differ here never share a batch: reply size, and whether candidates are restricted."""
    return reply_bucket(call.max_tokens), call.top_k > 0 or call.top_p < 1.0


def plan(rows: Sequence[Row], sizes: Sequence[int], deterministic: bool) -> list[Batch]:
    lengths = [len(row.call.prompt) for row in rows]
    return uniform_batches(lengths, sizes[-1]) if deterministic else sample_batches(lengths, sizes)


def stop_size(rows: Sequence[Row]) -> int:
    most = max(len(row.call.stop) for row in rows)
    return next((size for size in STOP_SIZES if size >= most), most)


def run_batch(params: Params, config: ModelConfig, rows: Sequence[Row], batch: Batch) -> list[Reply]:
    """Replies in the order of `rows`. Throws `EngineError` where weights give log-probs that are not finite."""
    new_tokens, filtered = shape_key(rows[0].call)
    arrays = padded_rows(rows, batch, stop_size(rows))
    replies = jax.device_get(generate(params, arrays, config, new_tokens, filtered))
    result = []
    for index in range(len(rows)):
        count = int(replies.counts[index])
        logprobs = replies.logprobs[index, :count]
        if not np.all(np.isfinite(logprobs)):
            raise EngineError("sampling: the model's log-probs are not finite")
        result.append(Reply(replies.tokens[index, :count], logprobs, bool(replies.stopped[index])))
    return result


def padded_rows(rows: Sequence[Row], batch: Batch, stops: int) -> Rows:
    count = batch.rows
    prompts = np.zeros((count, batch.length), np.int32)
    lengths = np.ones(count, np.int32)
    keys = np.zeros((count, 2), np.uint32)
    max_new = np.zeros(count, np.int32)
    temperature = np.zeros(count, np.float32)
    top_k = np.zeros(count, np.int32)
    top_p = np.ones(count, np.float32)
    stop = np.full((count, stops), -1, np.int32)
    for index, row in enumerate(rows):
        call = row.call
        prompts[index, batch.length - len(call.prompt) :] = call.prompt
        lengths[index] = len(call.prompt)
        keys[index] = row_key(call.seed, row.sample)
        max_new[index] = call.max_tokens
        temperature[index], top_k[index], top_p[index] = call.temperature, call.top_k, call.top_p
        stop[index, : len(call.stop)] = call.stop
    return Rows(prompts, lengths, keys, max_new, temperature, top_k, top_p, stop)


def row_key(seed: int, sample: int) -> tuple[int, int]:
    """The two words of a random key; samples of one request differ in the high word."""
    return ((seed >> 32) ^ (sample * 0x9E3779B9)) & 0xFFFFFFFF, seed & 0xFFFFFFFF


@partial(jax.jit, static_argnames=("config",))
def score(params: Params, config: ModelConfig, tokens: jax.Array, targets: jax.Array) -> jax.Array:
    return target_logprobs(params, config, tokens, targets)


def prompt_logprobs(params: Params, config: ModelConfig, prompt: np.ndarray) -> np.ndarray:
    """Log-prob of each prompt token but the first."""
    if len(prompt) < 2:
        return np.zeros(0, np.float32)
    width = length_bucket(len(prompt) - 1)
    tokens = np.zeros((1, width), np.int32)
    targets = np.zeros((1, width), np.int32)
    tokens[0, : len(prompt) - 1] = prompt[:-1]
    targets[0, : len(prompt) - 1] = prompt[1:]
    result = np.asarray(score(params, config, jnp.asarray(tokens), jnp.asarray(targets)))[0, : len(prompt) - 1]
    if not np.all(np.isfinite(result)):
        raise EngineError("prompt log-probs: not finite")
    return result
