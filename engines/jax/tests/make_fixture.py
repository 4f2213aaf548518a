"""
Writes tests/fixtures/qwen3-tiny{,-untied}: models made by the `transformers` package with its logits and the gradients of
a cross-entropy loss. Run once, in an environment of its own with torch, transformers and safetensors:

    python tests/make_fixture.py
"""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import Qwen3Config, Qwen3ForCausalLM

OUT = Path(__file__).parent / "fixtures"


def make(name: str, tied: bool, seed: int) -> None:
    torch.manual_seed(seed)
    config = Qwen3Config(
        vocab_size=40,
        hidden_size=24,
        intermediate_size=36,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=64,
        tie_word_embeddings=tied,
        rope_theta=5000.0,
        initializer_range=0.2,
        attn_implementation="eager",
    )
    model = Qwen3ForCausalLM(config).float()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.3 * torch.randn_like(parameter))
    directory = OUT / name
    model.save_pretrained(directory)
    (directory / "generation_config.json").unlink(missing_ok=True)

    tokens = torch.randint(0, 40, (3, 21))
    inputs, targets = tokens[:, :-1], tokens[:, 1:]
    weights = torch.rand(3, 20) * (torch.rand(3, 20) > 0.3)
    logits = model(inputs).logits
    logprobs = torch.log_softmax(logits, -1).gather(-1, targets[..., None])[..., 0]
    loss = -(weights * logprobs).sum()
    loss.backward()
    gradients = {f"grad.{key}": value.grad for key, value in model.named_parameters()}
    facts = {"tokens": tokens.int(), "weights": weights, "logits": logits, "loss": loss.reshape(1), "logprobs": logprobs}
    (directory / "expected").mkdir(exist_ok=True)
    save_file({key: value.detach().contiguous() for key, value in {**facts, **gradients}.items()}, directory / "expected" / "tensors.safetensors")


make("qwen3-tiny", tied=True, seed=0)
make("qwen3-tiny-untied", tied=False, seed=1)
print(json.dumps({str(path.relative_to(OUT)): path.stat().st_size for path in OUT.rglob("*") if path.is_file()}))
