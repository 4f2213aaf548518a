"""JSON bodies of the wire. Unknown keys are ignored: the dialect's clients send a few that mean nothing here."""

import hashlib
import os
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .config import ModelConfig
from .errors import EngineError
from .optim import AdamSettings
from .requests import SampleCall


class Body(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, protected_namespaces=())


T = TypeVar("T", bound=Body)


class CreateSession(Body):
    tags: list[str] = []
    sdk_version: str = ""


class Session(Body):
    session_id: str


class LoraConfig(Body):
    rank: Annotated[int, Field(ge=0, le=4096)] = 0
    seed: Annotated[int, Field(ge=0)] | None = None


class CreateModel(Body):
    session_id: str
    base_model: str
    lora_config: LoraConfig = LoraConfig()


class Model(Body):
    model_id: str


class Adam(Body):
    learning_rate: Annotated[float, Field(ge=0)] = 1e-4
    beta1: Annotated[float, Field(ge=0, lt=1)] = 0.9
    beta2: Annotated[float, Field(ge=0, lt=1)] = 0.95
    eps: Annotated[float, Field(ge=0)] = 1e-12
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    grad_clip_norm: Annotated[float, Field(ge=0)] | None = 0.0


class OptimStep(Body):
    model_id: str
    seq_id: Annotated[int, Field(ge=0)] | None = None
    adam_params: Adam

    def settings(self) -> AdamSettings:
        a = self.adam_params
        return AdamSettings(a.learning_rate, a.beta1, a.beta2, a.eps, a.weight_decay, a.grad_clip_norm or 0.0)

    def digest(self) -> str:
        return hashlib.sha256(repr(self.settings()).encode()).hexdigest()


class SaveWeights(Body):
    model_id: str
    path: str


class LoadWeights(Body):
    model_id: str
    path: str
    optimizer: bool = True


class Chunk(Body):
    type: Literal["encoded_text"] = "encoded_text"
    tokens: list[int]


class Prompt(Body):
    chunks: list[Chunk]


class SamplingParams(Body):
    max_tokens: Annotated[int, Field(ge=1)]
    temperature: Annotated[float, Field(ge=0)] = 1.0
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    stop: list[int] | None = None
    top_k: int = -1
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0


class Sample(Body):
    prompt: Prompt
    num_samples: Annotated[int, Field(ge=1, le=1024)] = 1
    sampling_params: SamplingParams
    base_model: str | None = None
    model_path: str | None = None
    prompt_logprobs: bool | None = None

    def call(self, config: ModelConfig) -> SampleCall:
        """Throws `EngineError` (422) for an empty or too long prompt and for token ids outside the vocabulary."""
        p = self.sampling_params
        tokens = np.asarray([token for chunk in self.prompt.chunks for token in chunk.tokens], np.int64)
        if not len(tokens):
            raise EngineError("prompt is empty", 422)
        if tokens.min() < 0 or tokens.max() >= config.vocab_size:
            raise EngineError(f"prompt: token ids must be from 0 to {config.vocab_size - 1}", 422)
        if len(tokens) + p.max_tokens > config.max_position_embeddings:
            raise EngineError(
                f"prompt of {len(tokens)} tokens and max_tokens {p.max_tokens} exceed the model's "
                f"{config.max_position_embeddings} positions",
                422,
            )
        return SampleCall(
            prompt=tokens.astype(np.int32),
            samples=self.num_samples,
            max_tokens=p.max_tokens,
            temperature=p.temperature,
            top_k=max(0, p.top_k),
            top_p=p.top_p,
            seed=int.from_bytes(os.urandom(8), "little") if p.seed is None else p.seed,
            stop=tuple(p.stop or ()),
            prompt_logprobs=bool(self.prompt_logprobs),
        )


class RetrieveFuture(Body):
    request_id: str


def parse(kind: type[T], body: bytes) -> T:
    """Throws `EngineError` (422) that names the field."""
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise EngineError("; ".join(describe(problem) for problem in error.errors()[:5]), 422) from error


def describe(problem: Any) -> str:
    where = ".".join(str(part) for part in problem["loc"]) or "body"
    return f"{where}: {problem['msg']}"
