"""What a client asks for, after validation: plain arrays. Requests are equal only to themselves."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Datum:
    """One training sequence; all arrays have the length of `tokens`."""

    tokens: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    logprobs: np.ndarray
    advantages: np.ndarray


@dataclass(frozen=True, eq=False)
class LossCall:
    loss: str
    clip: tuple[float, float, float]
    data: tuple[Datum, ...]
    forward_only: bool


@dataclass(frozen=True, eq=False)
class SampleCall:
    prompt: np.ndarray
    samples: int
    max_tokens: int
    temperature: float
    top_k: int
    top_p: float
    seed: int
    stop: tuple[int, ...]
    prompt_logprobs: bool


@dataclass(frozen=True, eq=False)
class Reply:
    tokens: np.ndarray
    logprobs: np.ndarray
    stopped: bool
