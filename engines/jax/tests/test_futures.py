"""What is kept of results, and what keeping them costs."""

from collections import OrderedDict
from collections.abc import ItemsView, Iterator
from concurrent.futures import Future
from typing import Any

from wideseek_engine.futures import KEPT_SECONDS, FutureStore


class Watched(OrderedDict[str, Any]):
    """Counts the entries that are looked at."""

    looked = 0

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        entries = super().items()

        def counted() -> Iterator[tuple[str, Any]]:
            for entry in entries:
                self.looked += 1
                yield entry

        return counted()  # type: ignore[return-value]


def done() -> "Future[bytes]":
    future: Future[bytes] = Future()
    future.set_result(b"")
    return future


def test_a_sample_costs_the_same_whatever_is_kept() -> None:
    store = FutureStore()
    store.entries = Watched()
    for _ in range(3000):
        store.add(done())
    store.entries.looked = 0
    store.add(done())
    assert 0 < store.entries.looked <= 64


def test_old_samples_go_and_those_under_way_stay() -> None:
    store = FutureStore()
    waiting = store.add(Future())
    old = [store.add(done()) for _ in range(5)]
    for entry in store.entries.values():
        entry.born -= KEPT_SECONDS + 1
    fresh = store.add(done())
    assert list(store.entries) == [waiting, fresh]
    assert old[0] not in store.entries
