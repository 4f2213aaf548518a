"""Writes a tiny Qwen3 model with random weights and a tokenizer of single letters: tiny_model.py FOLDER."""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers

VOCAB = 96
HIDDEN = 64
LAYERS = 2
HEADS = 4
KV_HEADS = 2
HEAD_DIM = 16
INNER = 128

CONFIG = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "vocab_size": VOCAB,
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "head_dim": HEAD_DIM,
    "hidden_act": "silu",
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
    "dtype": "float32",
    "bos_token_id": 0,
    "eos_token_id": 1,
}


def weights() -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return (random.standard_normal((rows, columns)) / np.sqrt(columns)).astype(np.float32)

    def ones(size: int) -> np.ndarray:
        return np.ones(size, dtype=np.float32)

    tensors = {
        "model.embed_tokens.weight": matrix(VOCAB, HIDDEN) * np.float32(np.sqrt(HIDDEN)),
        "model.norm.weight": ones(HIDDEN),
        "lm_head.weight": matrix(VOCAB, HIDDEN),
    }
    for layer in range(LAYERS):
        name = f"model.layers.{layer}"
        tensors |= {
            f"{name}.input_layernorm.weight": ones(HIDDEN),
            f"{name}.post_attention_layernorm.weight": ones(HIDDEN),
            f"{name}.self_attn.q_proj.weight": matrix(HEADS * HEAD_DIM, HIDDEN),
            f"{name}.self_attn.k_proj.weight": matrix(KV_HEADS * HEAD_DIM, HIDDEN),
            f"{name}.self_attn.v_proj.weight": matrix(KV_HEADS * HEAD_DIM, HIDDEN),
            f"{name}.self_attn.o_proj.weight": matrix(HIDDEN, HEADS * HEAD_DIM),
            f"{name}.self_attn.q_norm.weight": ones(HEAD_DIM),
            f"{name}.self_attn.k_norm.weight": ones(HEAD_DIM),
            f"{name}.mlp.gate_proj.weight": matrix(INNER, HIDDEN),
            f"{name}.mlp.up_proj.weight": matrix(INNER, HIDDEN),
            f"{name}.mlp.down_proj.weight": matrix(HIDDEN, INNER),
        }
    return tensors


def tokenizer() -> Tokenizer:
    special = ["<bos>", "<eos>", "<unk>"]
    letters = [chr(code) for code in range(32, 32 + VOCAB - len(special))]
    words = {word: index for index, word in enumerate(special + letters)}
    result = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    result.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return result


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG, indent=2))
    save_file(weights(), folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer().save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<bos>",
        "eos_token": "<eos>",
        "unk_token": "<unk>",
        "model_max_length": 512,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2))


if __name__ == "__main__":
    main()
