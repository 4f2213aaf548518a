"""The architecture of a model, read from a Hugging Face `config.json`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import EngineError


@dataclass(frozen=True)
class ModelConfig:
    """Hashable, so that it can be a static argument of compiled functions."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: float
    rope_theta: float
    tie_word_embeddings: bool
    max_position_embeddings: int
    initializer_range: float


def parse_config(raw: dict[str, Any], where: str = "config.json") -> ModelConfig:
    """Throws `EngineError` (422) for another architecture, or for a switch that the model code does not implement."""
    refuse_unsupported(raw, where)
    rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    heads = positive(raw, "num_attention_heads", where)
    hidden = positive(raw, "hidden_size", where)
    config = ModelConfig(
        vocab_size=positive(raw, "vocab_size", where),
        hidden_size=hidden,
        intermediate_size=positive(raw, "intermediate_size", where),
        num_hidden_layers=positive(raw, "num_hidden_layers", where),
        num_attention_heads=heads,
        num_key_value_heads=positive(raw, "num_key_value_heads", where),
        head_dim=raw.get("head_dim") or hidden // heads,
        rms_norm_eps=float(raw.get("rms_norm_eps", 1e-6)),
        rope_theta=float(raw.get("rope_theta") or rope.get("rope_theta", 10000.0)),
        tie_word_embeddings=bool(raw.get("tie_word_embeddings", False)),
        max_position_embeddings=positive(raw, "max_position_embeddings", where),
        initializer_range=float(raw.get("initializer_range", 0.02)),
    )
    if config.num_attention_heads % config.num_key_value_heads != 0:
        raise EngineError(f"{where}: num_attention_heads is not a multiple of num_key_value_heads", 422)
    if config.head_dim % 2 != 0:
        raise EngineError(f"{where}: head_dim {config.head_dim} is odd, and rotary embeddings need pairs", 422)
    return config


def refuse_unsupported(raw: dict[str, Any], where: str) -> None:
    """A switch that would change the numbers silently is refused."""
    rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    rope_type = rope.get("rope_type", rope.get("type", "default"))
    problems = [
        (raw.get("model_type") != "qwen3", f"model_type is {raw.get('model_type')!r}, not 'qwen3'"),
        (raw.get("hidden_act", "silu") != "silu", f"hidden_act {raw.get('hidden_act')!r} is not 'silu'"),
        (bool(raw.get("attention_bias")), "attention_bias is not implemented"),
        (bool(raw.get("use_sliding_window")), "use_sliding_window is not implemented"),
        (bool(set(raw.get("layer_types") or ()) - {"full_attention"}), "layer_types other than full_attention are not implemented"),
        (rope_type != "default", f"rope type {rope_type!r} is not implemented"),
    ]
    for wrong, problem in problems:
        if wrong:
            raise EngineError(f"{where}: {problem}", 422)


def positive(raw: dict[str, Any], key: str, where: str) -> int:
    value = raw.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise EngineError(f"{where}: {key} must be a whole number above 0, not {value!r}", 422)
    return value


def read_config(directory: Path) -> tuple[ModelConfig, dict[str, Any]]:
    """The parsed configuration and the raw one, which is copied unchanged next to saved weights."""
    path = directory / "config.json"
    try:
        raw = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise EngineError(f"{path}: cannot be read as JSON: {error}", 422) from error
    if not isinstance(raw, dict):
        raise EngineError(f"{path}: not a JSON object", 422)
    return parse_config(raw, str(path)), raw
