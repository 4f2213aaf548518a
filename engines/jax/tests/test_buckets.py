"""Laws of the batch planners, over random lengths."""

import numpy as np
import pytest

from wideseek_engine.buckets import (
    length_bucket,
    micro_batches,
    prompt_bucket,
    reply_bucket,
    sample_batches,
    uniform_batches,
)

SIZES = (1, 8, 32)


def random_lengths(seed: int) -> list[int]:
    random = np.random.default_rng(seed)
    return random.integers(1, 600, random.integers(1, 90)).tolist()


def test_a_bucket_holds_its_length_and_wastes_at_most_half() -> None:
    for length in range(1, 5000):
        assert length <= length_bucket(length) <= max(32, length * 1.5)
        assert length <= reply_bucket(length)
        assert length <= prompt_bucket(length) < max(33, 2 * length)
    assert len({length_bucket(length) for length in range(1, 5000)}) < 18
    assert len({prompt_bucket(length) for length in range(1, 5000)}) < 10


@pytest.mark.parametrize("seed", range(20))
def test_every_planner_places_each_member_once_where_it_fits(seed: int) -> None:
    lengths = random_lengths(seed)
    plans = [micro_batches(lengths, 2048), sample_batches(lengths, SIZES), uniform_batches(lengths, 8)]
    for batches in plans:
        members = [index for batch in batches for index in batch.members]
        assert sorted(members) == list(range(len(lengths)))
        for batch in batches:
            assert 0 < len(batch.members) <= batch.rows
            assert max(lengths[index] for index in batch.members) <= batch.length
    assert all(batch.rows * batch.length <= 2048 for batch in plans[0])
    assert all(batch.rows in SIZES for batch in plans[1])


def test_a_sequence_above_the_budget_is_a_batch_of_its_own() -> None:
    assert [batch.rows for batch in micro_batches([900, 900, 30], 512)][:2] == [1, 1]


def test_the_uniform_shape_of_a_member_depends_on_it_alone() -> None:
    lengths = random_lengths(1)
    for batch in uniform_batches(lengths, 8):
        assert batch.rows == 8
        assert {prompt_bucket(lengths[index]) for index in batch.members} == {batch.length}


def test_training_shapes_are_few() -> None:
    shapes = {(b.rows, b.length) for seed in range(50) for b in micro_batches(random_lengths(seed), 4096)}
    assert len(shapes) < 40


def test_short_prompts_do_not_pay_for_one_long_prompt() -> None:
    batches = sample_batches([20] * 31 + [500], SIZES)
    assert sorted((batch.rows, batch.length) for batch in batches) == [(1, 512), (32, 32)]
