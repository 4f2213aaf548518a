"""Parameters are flat dicts under Hugging Face names: fresh, loaded, saved; and LoRA adapters under PEFT names."""

import math
from collections.abc import Mapping
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open

from .config import ModelConfig
from .errors import EngineError

Params = dict[str, jax.Array]

LORA_ALPHA = 32.0
EMBED = "model.embed_tokens.weight"
HEAD = "lm_head.weight"
FINAL_NORM = "model.norm.weight"
PROJECTIONS = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)


def layer_name(layer: int, part: str) -> str:
    return f"model.layers.{layer}.{part}"


def shapes(config: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Every parameter's shape; linear layers are [out, in] as in the files."""
    hidden, inner, head = config.hidden_size, config.intermediate_size, config.head_dim
    queries, keys = config.num_attention_heads * head, config.num_key_value_heads * head
    layer: dict[str, tuple[int, ...]] = {
        "input_layernorm.weight": (hidden,),
        "post_attention_layernorm.weight": (hidden,),
        "self_attn.q_proj.weight": (queries, hidden),
        "self_attn.k_proj.weight": (keys, hidden),
        "self_attn.v_proj.weight": (keys, hidden),
        "self_attn.o_proj.weight": (hidden, queries),
        "self_attn.q_norm.weight": (head,),
        "self_attn.k_norm.weight": (head,),
        "mlp.gate_proj.weight": (inner, hidden),
        "mlp.up_proj.weight": (inner, hidden),
        "mlp.down_proj.weight": (hidden, inner),
    }
    result: dict[str, tuple[int, ...]] = {EMBED: (config.vocab_size, hidden), FINAL_NORM: (hidden,)}
    if not config.tie_word_embeddings:
        result[HEAD] = (config.vocab_size, hidden)
    for index in range(config.num_hidden_layers):
        result.update({layer_name(index, part): shape for part, shape in layer.items()})
    return result


def init_params(config: ModelConfig, seed: int) -> Params:
    """Fresh weights: normal with the configured deviation, ones for norms. A name's numbers depend on the seed alone."""
    result: Params = {}
    for index, (name, shape) in enumerate(sorted(shapes(config).items())):
        if len(shape) == 1:
            result[name] = jnp.ones(shape, jnp.float32)
        else:
            noise = np.random.default_rng([seed, index]).standard_normal(shape, np.float32)
            result[name] = jnp.asarray(noise * np.float32(config.initializer_range))
    return result


def init_lora(config: ModelConfig, rank: int, seed: int) -> Params:
    """A is random, B is zero: the adapter starts as no change."""
    table = shapes(config)
    result: Params = {}
    for layer in range(config.num_hidden_layers):
        for index, part in enumerate(PROJECTIONS):
            name = layer_name(layer, part)
            out, inner = table[f"{name}.weight"]
            noise = np.random.default_rng([seed, layer, index]).standard_normal((rank, inner), np.float32)
            result[f"{name}.lora_A.weight"] = jnp.asarray(noise / np.float32(math.sqrt(inner)))
            result[f"{name}.lora_B.weight"] = jnp.zeros((out, rank), jnp.float32)
    return result


@jax.jit
def merge_lora(base: Params, adapter: Params) -> Params:
    """The base weights with the adapter added in; without an adapter the base itself."""
    result = dict(base)
    for name, a in adapter.items():
        if name.endswith(".lora_A.weight"):
            stem = name.removesuffix(".lora_A.weight")
            b = adapter[f"{stem}.lora_B.weight"]
            result[f"{stem}.weight"] = base[f"{stem}.weight"] + (LORA_ALPHA / a.shape[0]) * (b @ a)
    return result


def read_tensors(path: Path) -> dict[str, np.ndarray]:
    """All tensors of one file as float32. Throws `EngineError` (422) for a file that is cut short or foreign."""
    try:
        with safe_open(path, framework="flax") as file:
            return {name: np.asarray(file.get_tensor(name), np.float32) for name in file.keys()}
    except (OSError, SafetensorError, ValueError) as error:
        raise EngineError(f"{path}: cannot be read as safetensors: {error}", 422) from error


def load_params(directory: Path, config: ModelConfig) -> Params:
    """Weights of a model directory, one file or sharded. Throws `EngineError` (422) for a missing or misshapen tensor."""
    files = sorted(directory.glob("*.safetensors"))
    if not files:
        raise EngineError(f"{directory}: no .safetensors file", 422)
    found: dict[str, np.ndarray] = {}
    for file in files:
        found.update(read_tensors(file))
    return checked(found, shapes(config), str(directory))


def checked(found: Mapping[str, np.ndarray], expected: Mapping[str, tuple[int, ...]], where: str) -> Params:
    """Exactly the expected tensors, on the device. A tied head that a file repeats is ignored."""
    for name, shape in expected.items():
        if name not in found:
            raise EngineError(f"{where}: tensor {name} is missing", 422)
        if found[name].shape != shape:
            raise EngineError(f"{where}: {name} has shape {found[name].shape}, config.json says {shape}", 422)
    extra = set(found) - set(expected) - {HEAD}
    if extra:
        raise EngineError(f"{where}: unknown tensor {sorted(extra)[0]}", 422)
    return {name: jnp.asarray(found[name]) for name in expected}
