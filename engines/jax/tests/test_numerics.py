"""The decoder against the `transformers` package: logits, log-probs, and gradients of a cross-entropy loss."""

import jax
import numpy as np
import pytest
from safetensors.numpy import load_file
from tiny import FIXTURES, tiny

from wideseek_engine import model as decoder
from wideseek_engine.requests import Datum, LossCall
from wideseek_engine.store import WeightStore
from wideseek_engine.trainer import run_call

NAMES = ["qwen3-tiny", "qwen3-tiny-untied"]


@pytest.fixture(params=NAMES)
def reference(request: pytest.FixtureRequest):
    return tiny(request.param), load_file(FIXTURES / request.param / "expected" / "tensors.safetensors")


def test_logits_are_those_of_transformers(reference) -> None:
    weights, expected = reference

    @jax.jit
    def logits_of(params, tokens):
        return decoder.logits_of(params, weights.config, decoder.hidden_states(params, weights.config, tokens))

    logits = logits_of(weights.params, expected["tokens"][:, :-1])
    np.testing.assert_allclose(np.asarray(logits), expected["logits"], atol=2e-5)


def test_gradients_and_logprobs_are_those_of_transformers(reference) -> None:
    weights, expected = reference
    unused = np.zeros(20, np.float32)
    data = tuple(
        Datum(tokens[:-1], tokens[1:], row_weights, unused, unused)
        for tokens, row_weights in zip(expected["tokens"], expected["weights"])
    )
    result = run_call(weights.config, weights.params, {}, LossCall("cross_entropy", (0.8, 1.2, 0), data, False), 64)
    assert result.total == pytest.approx(float(expected["loss"][0]), rel=1e-5)
    np.testing.assert_allclose(np.stack(result.logprobs), expected["logprobs"], atol=2e-5)
    assert result.gradients is not None
    assert {f"grad.{name}" for name in result.gradients} == {name for name in expected if name.startswith("grad.")}
    for name, gradient in result.gradients.items():
        scale = np.abs(expected[f"grad.{name}"]).max()
        np.testing.assert_allclose(np.asarray(gradient), expected[f"grad.{name}"], atol=2e-5 * scale, err_msg=name)


def test_blocks_of_queries_and_logits_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tiny()
    random = np.random.default_rng(0)
    tokens, targets = random.integers(0, 40, (2, 2, 32))

    def logprobs():
        run = jax.jit(lambda params: decoder.target_logprobs(params, weights.config, tokens, targets))
        return run(weights.params)

    plain = logprobs()
    monkeypatch.setattr(decoder, "QUERY_BLOCK", 8)
    monkeypatch.setattr(decoder, "LOGITS_BLOCK", 400)
    blocked = logprobs()
    np.testing.assert_allclose(np.asarray(plain), np.asarray(blocked), atol=1e-5)


def test_recomputed_activations_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tiny()
    tokens = np.random.default_rng(0).integers(0, 40, (1, 16))

    def gradients():
        def loss(params):
            return decoder.target_logprobs(params, weights.config, tokens, tokens).sum()

        return jax.jit(jax.grad(loss))(weights.params)

    plain = gradients()
    monkeypatch.setattr(decoder, "REMAT_FROM_LAYERS", 1)
    for name, gradient in gradients().items():
        np.testing.assert_allclose(np.asarray(gradient), np.asarray(plain[name]), atol=1e-4, err_msg=name)


@pytest.mark.parametrize("name", NAMES)
def test_published_weights_are_a_model_directory_with_the_same_numbers(name: str, tmp_path) -> None:
    weights = tiny(name)
    WeightStore(None, tmp_path, 1).publish("m", "v", weights)
    original = load_file(FIXTURES / name / "model.safetensors")
    written = load_file(tmp_path / "m" / "sampler_weights" / "v" / "model.safetensors")
    assert original.keys() == written.keys()
    assert all(np.array_equal(original[key], written[key]) for key in original)
