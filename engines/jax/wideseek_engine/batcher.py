"""Dynamic batching: requests that wait at the same time are sampled together."""

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np

from .buckets import Batch
from .requests import Reply, SampleCall
from .sampler import Row, plan, prompt_logprobs, run_batch, shape_key
from .store import Weights
from .wire import encode_replies

log = logging.getLogger(__name__)

LOOK_AHEAD = 512
"""At most this many waiting rows are considered for one batch."""


@dataclass
class Job:
    call: SampleCall
    source: str
    """Which weights; jobs of different weights never share a batch."""
    weights: Weights
    future: "Future[bytes]" = field(default_factory=Future)
    replies: dict[int, Reply] = field(default_factory=dict)
    born: float = field(default_factory=time.monotonic)

    @property
    def group(self) -> tuple[str, int, bool]:
        return (self.source, *shape_key(self.call))


@dataclass
class SampleCounters:
    requests: int = 0
    batches: int = 0
    rows: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0
    busy_seconds: float = 0.0


class Batcher:
    """One thread. It serves the oldest waiting row first, together with the rows that fit best beside it."""

    def __init__(self, sizes: Sequence[int], deterministic: bool, window_seconds: float) -> None:
        self.sizes = tuple(sorted(sizes))
        self.deterministic = deterministic
        self.window = window_seconds
        self.counters = SampleCounters()
        self.waiting: list[tuple[Job, int]] = []
        self.condition = threading.Condition()
        self.closed = False
        self.thread = threading.Thread(target=self.serve, name="sampler", daemon=True)
        self.thread.start()

    def submit(self, job: Job) -> "Future[bytes]":
        with self.condition:
            self.waiting.extend((job, sample) for sample in range(job.call.samples))
            self.condition.notify()
        return job.future

    def close(self) -> None:
        with self.condition:
            self.closed = True
            self.condition.notify()

    def serve(self) -> None:
        while (taken := self.next_batch()) is not None:
            jobs, batch = taken
            try:
                self.run(jobs, batch)
            except Exception as error:
                log.warning("sampling failed: %s", error, exc_info=not hasattr(error, "status"))
                with self.condition:
                    failed = {id(job) for job, _ in jobs}
                    self.waiting = [entry for entry in self.waiting if id(entry[0]) not in failed]
                for job, _ in jobs:
                    if not job.future.done():
                        job.future.set_exception(error)

    def next_batch(self) -> tuple[list[tuple[Job, int]], Batch] | None:
        """Waits for work, then for the window. Returns the rows of one batch and its shape; None when closed."""
        with self.condition:
            while not self.closed:
                if not self.waiting:
                    self.condition.wait()
                    continue
                oldest = self.waiting[0][0]
                group = oldest.group
                rows = [entry for entry in self.waiting if entry[0].group == group][:LOOK_AHEAD]
                patience = oldest.born + self.window - time.monotonic()
                if patience > 0 and len(rows) < self.sizes[-1]:
                    self.condition.wait(patience)
                    continue
                batches = plan([Row(job.call, sample) for job, sample in rows], self.sizes, self.deterministic)
                batch = next(batch for batch in batches if 0 in batch.members)
                taken = [rows[index] for index in batch.members]
                keys = {(id(job), sample) for job, sample in taken}
                self.waiting = [entry for entry in self.waiting if (id(entry[0]), entry[1]) not in keys]
                return taken, batch
        return None

    def run(self, taken: Sequence[tuple[Job, int]], batch: Batch) -> None:
        started = time.monotonic()
        weights = taken[0][0].weights
        rows = [Row(job.call, sample) for job, sample in taken]
        replies = run_batch(weights.params, weights.config, rows, batch)
        for (job, sample), reply in zip(taken, replies):
            job.replies[sample] = reply
            if len(job.replies) == job.call.samples:
                job.future.set_result(encode_replies(in_order(job.replies), self.scored(job, weights)))
                self.counters.requests += 1
        self.count(rows, replies, time.monotonic() - started)

    def scored(self, job: Job, weights: Weights) -> np.ndarray | None:
        if not job.call.prompt_logprobs:
            return None
        return prompt_logprobs(weights.params, weights.config, job.call.prompt)

    def count(self, rows: Sequence[Row], replies: Sequence[Reply], seconds: float) -> None:
        self.counters.batches += 1
        self.counters.rows += len(rows)
        self.counters.prompt_tokens += sum(len(row.call.prompt) for row in rows)
        self.counters.new_tokens += sum(len(reply.tokens) for reply in replies)
        self.counters.busy_seconds += seconds


def in_order(replies: dict[int, Reply]) -> list[Reply]:
    return [replies[sample] for sample in sorted(replies)]
