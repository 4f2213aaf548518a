"""Futures that clients poll: results stay for retries, within bounds."""

import asyncio
import time
import uuid
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from .errors import EngineError

KEPT_PER_MODEL = 256
KEPT_SECONDS = 1800.0

Result = bytes | dict[str, Any]
"""Protobuf bytes for sampling and forward/forward_backward, a JSON object otherwise."""


@dataclass
class Entry:
    future: "Future[Result]"
    model_id: str | None
    born: float = field(default_factory=time.monotonic)


class FutureStore:
    """Used from the event loop alone. Samples are dropped by age, a model's results by number and with the model."""

    def __init__(self) -> None:
        self.entries: OrderedDict[str, Entry] = OrderedDict()
        self.by_model: dict[str, list[str]] = {}

    def add(self, future: "Future[Result]", model_id: str | None = None) -> str:
        request_id = uuid.uuid4().hex
        self.entries[request_id] = Entry(future, model_id)
        if model_id is None:
            self.drop_old()
        else:
            owned = self.by_model.setdefault(model_id, [])
            owned.append(request_id)
            if len(owned) > KEPT_PER_MODEL and self.entries[owned[0]].future.done():
                self.entries.pop(owned.pop(0))
        return request_id

    def drop_old(self) -> None:
        horizon = time.monotonic() - KEPT_SECONDS
        # The oldest few, and never a copy of them all: this runs at every sample, beside tens of thousands of results.
        for request_id, entry in list(islice(self.entries.items(), 64)):
            if entry.born > horizon:
                break
            if entry.model_id is None and entry.future.done():
                del self.entries[request_id]

    def forget_model(self, model_id: str) -> None:
        """Its results stay for the time that a sample's would."""
        for request_id in self.by_model.pop(model_id, []):
            self.entries[request_id].model_id = None

    async def wait(self, request_id: str, seconds: float) -> Result:
        """The result. Throws `EngineError`: 404 unknown, 408 not yet, else what made the call fail."""
        entry = self.entries.get(request_id)
        if entry is None:
            raise EngineError(f"request {request_id!r} is unknown or too old", 404)
        try:
            return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(entry.future)), seconds)
        except TimeoutError:
            raise EngineError("no result yet", 408) from None
