"""Fixed shapes: arrays are padded to a few sizes, so that few functions are compiled and memory is bounded."""

from collections.abc import Sequence
from dataclasses import dataclass

REPLY_SIZES = (16, 64, 128, 256, 1024, 4096, 16384)


def length_bucket(length: int) -> int:
    """The smallest of 32, 48, 64, 96, 128, 192, … that holds `length`: never more than half as much again."""
    size = 32
    while size < length:
        if size + size // 2 >= length:
            return size + size // 2
        size *= 2
    return size


def prompt_bucket(length: int) -> int:
    """The smallest power of two, from 32 on: reading a padded prompt is cheap beside compiling for another length."""
    return max(32, 1 << (length - 1).bit_length())


def reply_bucket(tokens: int) -> int:
    return next((size for size in REPLY_SIZES if size >= tokens), tokens)


@dataclass(frozen=True)
class Batch:
    """Members by index, padded to `rows` × `length`."""

    members: tuple[int, ...]
    rows: int
    length: int


def micro_batches(lengths: Sequence[int], token_budget: int) -> list[Batch]:
    """
    Training batches of at most `token_budget` padded tokens (one row if a single sequence exceeds it), longest first.
    Each length has one full size; only the last batch may be a quarter, a sixteenth, … of it.
    """
    order = sorted(range(len(lengths)), key=lambda index: (-lengths[index], index))
    batches = []
    at = 0
    while at < len(order):
        length = length_bucket(lengths[order[at]])
        rows = max(1, 1 << ((token_budget // length).bit_length() - 1)) if token_budget >= length else 1
        members = tuple(order[at : at + rows])
        while rows // 4 >= len(members):
            rows //= 4
        batches.append(Batch(members, rows, length))
        at += len(members)
    return batches


ROW_COST = 60
"""Cost of one row's reply, and of one batch, in prompt tokens: they weigh padding against more batches."""
BATCH_COST = 500


def sample_batches(lengths: Sequence[int], sizes: Sequence[int]) -> list[Batch]:
    """The cheapest cut of prompts, sorted by length, into batches of the given sizes. Sorting keeps padding small."""
    order = sorted(range(len(lengths)), key=lambda index: lengths[index])
    best: list[tuple[float, tuple[int, int] | None]] = [(0.0, None)]
    for end in range(1, len(order) + 1):
        length = prompt_bucket(lengths[order[end - 1]])
        options = []
        for rows in sizes:
            start = max(0, end - rows)
            options.append((best[start][0] + rows * (length + ROW_COST) + BATCH_COST, (start, rows)))
        best.append(min(options))
    batches = []
    end = len(order)
    while end > 0:
        choice = best[end][1]
        assert choice is not None
        start, rows = choice
        batches.append(Batch(tuple(order[start:end]), rows, prompt_bucket(lengths[order[end - 1]])))
        end = start
    return batches


def uniform_batches(lengths: Sequence[int], rows: int) -> list[Batch]:
    """Batches of one size whose length depends on no other member: a row's result is then its own (deterministic mode)."""
    groups: dict[int, list[int]] = {}
    for index, length in enumerate(lengths):
        groups.setdefault(prompt_bucket(length), []).append(index)
    return [
        Batch(tuple(members[at : at + rows]), rows, length)
        for length, members in groups.items()
        for at in range(0, len(members), rows)
    ]
