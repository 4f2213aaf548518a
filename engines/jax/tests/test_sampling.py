"""Sampling: log-probs of the trainer, seeds, stops, restrictions, and independence from the rest of a batch."""

from collections import Counter

import numpy as np
import pytest
from tiny import loss_call, sample_call, tiny

from wideseek_engine.buckets import Batch
from wideseek_engine.requests import Datum, Reply, SampleCall
from wideseek_engine.sampler import Row, plan, prompt_logprobs, run_batch
from wideseek_engine.trainer import run_call

WEIGHTS = tiny()
PROMPT = [3, 14, 15, 9, 26]


def run(calls: list[SampleCall], rows: int = 8, length: int = 32) -> list[Reply]:
    batch = Batch(tuple(range(len(calls))), rows, length)
    return run_batch(WEIGHTS.params, WEIGHTS.config, [Row(call, 0) for call in calls], batch)


def trainer_logprobs(sequence: np.ndarray) -> np.ndarray:
    zeros = np.zeros(len(sequence) - 1, np.float32)
    datum = Datum(sequence[:-1], sequence[1:], zeros, zeros, zeros)
    return run_call(WEIGHTS.config, WEIGHTS.params, {}, loss_call((datum,), forward_only=True), 64).logprobs[0]


def test_logprobs_are_the_trainers_at_temperature_one_whatever_the_temperature() -> None:
    calls = [sample_call(PROMPT[:n], seed=n, temperature=t) for n, t in ((1, 1.0), (3, 0.5), (5, 2.0), (4, 0.0))]
    for call, reply in zip(calls, run(calls)):
        whole = np.concatenate([call.prompt, reply.tokens])
        expected = trainer_logprobs(whole)[len(call.prompt) - 1 :]
        assert len(reply.tokens) == 16
        np.testing.assert_allclose(reply.logprobs, expected, atol=1e-4)


def test_a_stop_token_ends_a_reply_and_is_its_last_token() -> None:
    (free,) = run([sample_call(PROMPT)])
    stop = int(free.tokens[6])
    at = free.tokens.tolist().index(stop)
    (stopped,) = run([sample_call(PROMPT, stop=(39, stop) if stop != 39 else (stop,))])
    cut = [index for index, token in enumerate(free.tokens) if token in (39, stop)][0]
    assert stopped.stopped and not free.stopped
    assert cut <= at
    assert stopped.tokens.tolist() == free.tokens[: cut + 1].tolist()


def test_each_row_has_its_own_bound() -> None:
    replies = run([sample_call(PROMPT, max_tokens=n) for n in (1, 16, 7)])
    assert [len(reply.tokens) for reply in replies] == [1, 16, 7]
    assert replies[0].tokens[0] == replies[1].tokens[0]


def test_seeds_decide_and_words_of_a_long_seed_all_count() -> None:
    seeds = [0, 1, 2**32, 2**63]
    replies = run([sample_call(PROMPT, seed=seed) for seed in seeds])
    again = run([sample_call(PROMPT, seed=seed) for seed in seeds])
    assert all(np.array_equal(a.tokens, b.tokens) for a, b in zip(replies, again))
    assert len({tuple(reply.tokens) for reply in replies}) == len(seeds)


def test_top_k_one_and_tiny_top_p_are_greedy() -> None:
    greedy = run([sample_call(PROMPT, temperature=0.0)])[0].tokens
    for restriction in ({"top_k": 1}, {"top_p": 1e-6}):
        assert np.array_equal(run([sample_call(PROMPT, **restriction)], rows=1024)[0].tokens, greedy)


def first_tokens(**restriction: object) -> Counter[int]:
    calls = [sample_call(PROMPT, seed=seed, max_tokens=1, **restriction) for seed in range(1024)]
    return Counter(int(reply.tokens[0]) for reply in run(calls, rows=1024))


def test_frequencies_are_the_probabilities() -> None:
    following = [np.concatenate([PROMPT, [token]]).astype(np.int32) for token in range(40)]
    probabilities = np.exp([trainer_logprobs(sequence)[-1] for sequence in following])
    assert probabilities.sum() == pytest.approx(1, abs=1e-4)
    counts = first_tokens()
    for token, probability in enumerate(probabilities):
        deviation = np.sqrt(1024 * probability * (1 - probability)) + 1
        assert abs(counts[token] - 1024 * probability) < 5 * deviation
    likeliest = set(np.argsort(-probabilities)[:3].tolist())
    assert set(first_tokens(top_k=3)) == likeliest
    order = np.argsort(-probabilities)
    inside = int(np.searchsorted(np.cumsum(probabilities[order]), 0.5)) + 1
    assert set(first_tokens(top_p=0.5)) == set(order[:inside].tolist())


def test_prompt_logprobs_are_the_trainers() -> None:
    prompt = np.asarray(PROMPT, np.int32)
    np.testing.assert_allclose(
        prompt_logprobs(WEIGHTS.params, WEIGHTS.config, prompt), trainer_logprobs(prompt), atol=1e-5
    )
    assert len(prompt_logprobs(WEIGHTS.params, WEIGHTS.config, prompt[:1])) == 0


def test_a_deterministic_reply_is_bit_equal_in_any_company_and_at_any_place() -> None:
    random = np.random.default_rng(0)

    def other(index: int) -> SampleCall:
        return sample_call(random.integers(0, 40, random.integers(1, 60)).tolist(), seed=index, max_tokens=16)

    mine = sample_call(PROMPT, seed=42)
    results = []
    for company in (0, 3, 7, 20):
        calls = [other(index) for index in range(company)]
        at = int(random.integers(0, company + 1))
        calls.insert(at, mine)
        rows = [Row(call, 0) for call in calls]
        batches = plan(rows, (8,), deterministic=True)
        batch = next(batch for batch in batches if at in batch.members)
        members = [rows[index] for index in batch.members]
        replies = run_batch(WEIGHTS.params, WEIGHTS.config, members, batch)
        results.append(replies[batch.members.index(at)])
    for reply in results[1:]:
        assert reply.tokens.tobytes() == results[0].tokens.tobytes()
        assert reply.logprobs.tobytes() == results[0].logprobs.tobytes()
