"""Calls on a model in training: accumulation, the optimiser, adapters, exact resume, refusal of what is not finite."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny import loss_call, random_data, tiny

from wideseek_engine import training_model
from wideseek_engine.errors import EngineError
from wideseek_engine.optim import AdamSettings, adam_step, fresh_moments, settings_array
from wideseek_engine.store import Weights
from wideseek_engine.training_model import TrainingModel, forward_backward, new_model, optim_step
from wideseek_engine.weights import LORA_ALPHA

ADAM = AdamSettings(1e-2, 0.9, 0.95, 1e-8, 0.1, 1.0)
LENGTHS = (5, 20, 28, 31, 9)


def step(model: TrainingModel, seed: int) -> None:
    forward_backward(model, loss_call(random_data(seed, LENGTHS)), 64)
    optim_step(model, ADAM)


def test_micro_batches_change_only_rounding() -> None:
    model = new_model(tiny(), 0, 0)
    call = loss_call(random_data(0, LENGTHS))
    small, large = (training_model.run_call(model.base.config, model.trainable, {}, call, n) for n in (64, 256))
    assert small.total == pytest.approx(large.total, rel=1e-5)
    for a, b in zip(small.logprobs, large.logprobs):
        np.testing.assert_allclose(a, b, atol=1e-5)
    assert small.gradients is not None and large.gradients is not None
    for name, gradient in small.gradients.items():
        scale = float(jnp.abs(large.gradients[name]).max())
        np.testing.assert_allclose(gradient, large.gradients[name], atol=1e-5 * max(scale, 1), err_msg=name)


def test_two_calls_before_a_step_sum_their_gradients() -> None:
    together, apart = new_model(tiny(), 0, 0), new_model(tiny(), 0, 0)
    data = random_data(0, (20, 28))
    forward_backward(together, loss_call(data), 64)
    for datum in data:
        forward_backward(apart, loss_call((datum,)), 64)
    assert together.gradients is not None and apart.gradients is not None
    for name, gradient in together.gradients.items():
        np.testing.assert_allclose(gradient, apart.gradients[name], rtol=1e-3, atol=1e-4, err_msg=name)


def test_a_forward_pass_leaves_no_gradients() -> None:
    model = new_model(tiny(), 0, 0)
    result = forward_backward(model, loss_call(random_data(0, LENGTHS), forward_only=True), 64)
    assert model.gradients is None
    assert [len(part) for part in result.logprobs] == list(LENGTHS)
    with pytest.raises(EngineError, match="no gradients"):
        optim_step(model, ADAM)


@pytest.mark.parametrize("bound", [0.0, 0.5, 1e6])
def test_the_optimiser_is_adamw_with_a_norm_bound(bound: float) -> None:
    random = np.random.default_rng(0)
    params = {name: random.standard_normal(5) for name in "ab"}
    mu, nu = ({name: np.zeros(5) for name in "ab"} for _ in range(2))
    real, moments = ({k: jnp.asarray(v, jnp.float32) for k, v in params.items()}, None)
    moments = fresh_moments(real)
    for count in range(1, 4):
        grads = {name: random.standard_normal(5) for name in "ab"}
        grads["a"][:count] = 0
        settings = AdamSettings(0.1 / count, 0.8, 0.9, 1e-6, 0.3, bound)
        norm = np.sqrt(sum((g**2).sum() for g in grads.values()))
        scale = bound / norm if 0 < bound < norm else 1.0
        for k, gradient in grads.items():
            mu[k] = 0.8 * mu[k] + 0.2 * gradient * scale
            nu[k] = 0.9 * nu[k] + 0.1 * (gradient * scale) ** 2
            direction = (mu[k] / (1 - 0.8**count)) / (np.sqrt(nu[k] / (1 - 0.9**count)) + 1e-6)
            params[k] = params[k] - settings.learning_rate * (direction + 0.3 * params[k])
        given = {k: jnp.asarray(v, jnp.float32) for k, v in grads.items()}
        real, moments, facts = adam_step(real, moments, given, settings_array(settings))
        assert float(facts["grad_norm"]) == pytest.approx(norm, rel=1e-5)
        assert int(facts["zeros"]) == count
        for k in params:
            np.testing.assert_allclose(real[k], params[k], rtol=1e-4, atol=1e-5)


def test_an_adapter_starts_as_no_change_and_its_gradient_is_the_projected_one() -> None:
    base = tiny()
    full, adapted = new_model(base, 0, 0), new_model(base, 4, 7)
    call = loss_call(random_data(0, LENGTHS))
    results = [forward_backward(model, call, 64) for model in (full, adapted)]
    assert results[0].total == pytest.approx(results[1].total, rel=1e-6)
    assert full.gradients is not None and adapted.gradients is not None
    stem = "model.layers.1.mlp.up_proj"
    a = adapted.trainable[f"{stem}.lora_A.weight"]
    expected = LORA_ALPHA / 4 * full.gradients[f"{stem}.weight"] @ a.T
    np.testing.assert_allclose(adapted.gradients[f"{stem}.lora_B.weight"], expected, rtol=1e-3, atol=1e-3)


def test_a_merged_adapter_has_the_log_probs_of_the_trained_one() -> None:
    model = new_model(tiny(), 4, 7)
    call = loss_call(random_data(0, LENGTHS))
    forward_backward(model, call, 64)
    before = forward_backward(model, loss_call(call.data, forward_only=True), 64)
    optim_step(model, ADAM)
    after = forward_backward(model, loss_call(call.data, forward_only=True), 64)
    merged = training_model.merged(model)
    plain = forward_backward(new_model(merged, 0, 0), loss_call(call.data, forward_only=True), 64)
    assert abs(after.total - before.total) > 0.1
    for a, b in zip(after.logprobs, plain.logprobs):
        np.testing.assert_allclose(a, b, atol=1e-4)


@pytest.mark.parametrize("rank", [0, 4])
def test_a_resumed_run_is_bit_equal_to_one_that_never_stopped(rank: int, tmp_path: Path) -> None:
    straight = new_model(tiny(), rank, 3)
    step(straight, 1)
    training_model.save(straight, tmp_path / "c", {})
    step(straight, 2)
    resumed = new_model(tiny(), rank, 99)
    training_model.load(resumed, tmp_path / "c", "c", {"rank": rank, "step": 1}, True)
    step(resumed, 2)
    for name, value in straight.trainable.items():
        assert np.array_equal(value, resumed.trainable[name]), name
        assert np.array_equal(straight.moments.nu[name], resumed.moments.nu[name]), name
    assert int(resumed.moments.count) == 2


def test_without_the_moments_a_resumed_run_differs(tmp_path: Path) -> None:
    model = new_model(tiny(), 0, 0)
    step(model, 1)
    training_model.save(model, tmp_path / "c", {})
    fresh = new_model(tiny(), 0, 0)
    training_model.load(fresh, tmp_path / "c", "c", {"rank": 0, "step": 1}, False)
    assert int(fresh.moments.count) == 0
    assert all(np.array_equal(value, fresh.trainable[name]) for name, value in model.trainable.items())


def test_a_checkpoint_of_another_rank_is_refused(tmp_path: Path) -> None:
    training_model.save(new_model(tiny(), 0, 0), tmp_path / "c", {})
    with pytest.raises(EngineError, match="rank 0, the model has rank 2"):
        training_model.load(new_model(tiny(), 2, 0), tmp_path / "c", "c", {"rank": 0, "step": 0}, True)


def test_a_loss_that_is_not_finite_fails_and_changes_nothing() -> None:
    model = new_model(tiny(), 0, 0)
    good, bad = random_data(0, (20,)), random_data(1, (20,))
    bad[0].logprobs[:] = -1e4
    bad[0].weights[:] = 1
    bad[0].advantages[:] = -1
    forward_backward(model, loss_call(good), 64)
    kept = dict(model.gradients or {})
    with pytest.raises(EngineError, match="datum 1, position 0: the loss is -?inf"):
        forward_backward(model, loss_call(good + bad), 64)
    assert model.gradients is not None
    assert all(np.array_equal(kept[name], model.gradients[name]) for name in kept)


def test_weights_that_are_not_finite_fail_with_the_position() -> None:
    base = tiny()
    broken = {**base.params, "model.norm.weight": jnp.full(24, jnp.nan)}
    model = new_model(Weights(base.config, base.raw_config, broken), 0, 0)
    with pytest.raises(EngineError, match="datum 0, position 0: the log-prob is nan"):
        forward_backward(model, loss_call(random_data(0, (20,))), 64)


def test_a_step_that_would_break_the_weights_is_refused_and_leaves_them() -> None:
    model = new_model(tiny(), 0, 0)
    step(model, 0)
    weights, moments = (jax.device_get(tree) for tree in (model.trainable, model.moments))
    forward_backward(model, loss_call(random_data(0, LENGTHS)), 64)
    with pytest.raises(EngineError, match="not finite.*weights are unchanged"):
        optim_step(model, AdamSettings(float("inf"), 0.9, 0.95, 1e-8, 0, 0))
    assert all(np.array_equal(value, model.trainable[name]) for name, value in weights.items())
    assert all(np.array_equal(value, model.moments.mu[name]) for name, value in moments.mu.items())
    assert int(model.moments.count) == 1
