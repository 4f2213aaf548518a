"""The fixture models in memory, and random data for them."""

from pathlib import Path

import numpy as np

from wideseek_engine.config import read_config
from wideseek_engine.requests import Datum, LossCall, SampleCall
from wideseek_engine.store import Weights
from wideseek_engine.weights import load_params

FIXTURES = Path(__file__).parent / "fixtures"
CLIP = (0.8, 1.28, 0.0)


def tiny(name: str = "qwen3-tiny") -> Weights:
    config, raw = read_config(FIXTURES / name)
    return Weights(config, raw, load_params(FIXTURES / name, config))


def random_data(seed: int, lengths: tuple[int, ...], vocabulary: int = 40) -> tuple[Datum, ...]:
    random = np.random.default_rng(seed)

    def one(length: int) -> Datum:
        weights = (random.random(length) > 0.3).astype(np.float32)
        return Datum(
            random.integers(0, vocabulary, length).astype(np.int32),
            random.integers(0, vocabulary, length).astype(np.int32),
            weights,
            (-4 + random.standard_normal(length)).astype(np.float32),
            random.standard_normal(length).astype(np.float32),
        )

    return tuple(one(length) for length in lengths)


def loss_call(data: tuple[Datum, ...], loss: str = "ppo", forward_only: bool = False) -> LossCall:
    return LossCall(loss, CLIP, data, forward_only)


def sample_call(prompt: list[int], seed: int = 0, **changes: object) -> SampleCall:
    values = {
        "samples": 1,
        "max_tokens": 16,
        "temperature": 1.0,
        "top_k": 0,
        "top_p": 1.0,
        "stop": (),
        "prompt_logprobs": False,
        **changes,
    }
    return SampleCall(prompt=np.asarray(prompt, np.int32), seed=seed, **values)
