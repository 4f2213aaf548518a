"""The policy losses: values against their definition, gradients of the whole model against finite differences."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny import random_data, tiny

from wideseek_engine.losses import token_losses
from wideseek_engine.model import target_logprobs


def by_definition(name: str, new: float, weight: float, old: float, advantage: float, clip) -> float:
    if name == "cross_entropy":
        return -weight * new
    ratio = np.exp(new - old)
    if name == "importance_sampling":
        return -weight * advantage * ratio
    low, high, dual = clip
    gain = min(ratio * advantage, min(max(ratio, low), high) * advantage)
    if dual and advantage < 0:
        gain = max(gain, dual * advantage)
    return -weight * gain


@pytest.mark.parametrize("name", ["cross_entropy", "importance_sampling", "ppo"])
@pytest.mark.parametrize("clip", [(0.8, 1.28, 0.0), (0.8, 1.2, 3.0)])
def test_values_follow_the_definition(name: str, clip) -> None:
    random = np.random.default_rng(1)
    new, old, advantage = random.standard_normal((3, 400)).astype(np.float32)
    weight = random.integers(0, 3, 400).astype(np.float32) / 2
    losses = jax.jit(token_losses, static_argnums=0)(name, new, weight, old, advantage, jnp.asarray(clip))
    expected = [by_definition(name, *row, clip) for row in zip(new, weight, old, advantage)]
    np.testing.assert_allclose(np.asarray(losses), expected, rtol=1e-5, atol=1e-6)


def test_a_target_without_weight_has_no_gradient_even_where_its_ratio_overflows() -> None:
    def total(new):
        old, advantage = jnp.asarray([-500.0, 0.0]), jnp.ones(2)
        return token_losses("ppo", new, jnp.asarray([0.0, 1.0]), old, advantage, jnp.asarray([0.8, 1.2, 0])).sum()

    gradient = jax.grad(total)(jnp.asarray([0.0, 0.0]))
    assert gradient.tolist() == [0.0, -1.0]


@pytest.mark.parametrize(
    ("name", "clip"),
    [("importance_sampling", (0.8, 1.2, 0.0)), ("ppo", (0.8, 1.28, 0.0)), ("ppo", (0.5, 2.0, 1.1))],
)
def test_gradients_match_finite_differences(name: str, clip) -> None:
    """In double precision, along random directions of all weights."""
    weights = tiny()
    (datum,) = random_data(3, (16,))
    with jax.enable_x64(True):
        params = {key: jnp.asarray(np.asarray(value), jnp.float64) for key, value in weights.params.items()}
        rows = [jnp.asarray(value)[None] for value in (datum.tokens, datum.targets)]
        now = jax.jit(lambda params: target_logprobs(params, weights.config, *rows))(params)
        old = now + 0.4 * np.random.default_rng(5).standard_normal(now.shape)

        @jax.jit
        def loss(params):
            new = target_logprobs(params, weights.config, *rows)
            return token_losses(name, new, datum.weights[None], old, datum.advantages[None], jnp.asarray(clip)).sum()

        gradient = jax.jit(jax.grad(loss))(params)
        random = np.random.default_rng(7)
        for _ in range(3):
            direction = {key: random.standard_normal(value.shape) for key, value in params.items()}
            shifted = [
                loss({key: value + step * direction[key] for key, value in params.items()}) for step in (1e-6, -1e-6)
            ]
            slope = sum(float((gradient[key] * direction[key]).sum()) for key in params)
            assert float(shifted[0] - shifted[1]) / 2e-6 == pytest.approx(slope, rel=1e-4)
