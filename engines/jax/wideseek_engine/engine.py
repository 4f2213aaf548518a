"""The engine's state and its calls. Requests are checked on the event loop; models change on one training thread alone."""

import json
import logging
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import bodies, training_model
from .batcher import Batcher, Job
from .checkpoints import check_name, is_complete, remove_checkpoint, remove_pending, require_complete
from .errors import EngineError
from .futures import FutureStore, Result
from .requests import LossCall
from .store import SCHEME, Weights, WeightStore, split_path
from .training_model import TrainingModel
from .wire import call_digest, encode_call, parse_call, parse_request

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Options:
    models: Path | None
    checkpoints: Path
    sample_sizes: tuple[int, ...]
    deterministic: bool = False
    token_budget: int = 4096
    window_seconds: float = 0.005
    keep_published: int = 4
    session_seconds: float = 1800.0


@dataclass
class ModelEntry:
    """What the event loop knows of a model; `state` is set and changed by the training thread."""

    model_id: str
    session_id: str
    base_model: str
    base: Weights
    rank: int
    state: TrainingModel | None = None
    used: bool = False
    """A call that forbids a later `load_weights` was made."""
    calls: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Sequence number to (digest, request id); kept for the model's whole life, so that nothing is applied twice."""
    saving: set[str] = field(default_factory=set)
    last_seq: int = 0


@dataclass
class TrainCounters:
    forward_backward: int = 0
    forward: int = 0
    optim_steps: int = 0
    tokens: int = 0
    busy_seconds: float = 0.0


class Engine:
    def __init__(self, options: Options) -> None:
        self.options = options
        options.checkpoints.mkdir(parents=True, exist_ok=True)
        removed = remove_pending(options.checkpoints)
        if removed:
            log.warning("removed %d half-written checkpoints", removed)
        self.store = WeightStore(options.models, options.checkpoints, options.keep_published)
        self.batcher = Batcher(options.sample_sizes, options.deterministic, options.window_seconds)
        self.trainer = ThreadPoolExecutor(1, "trainer")
        self.futures = FutureStore()
        self.models: dict[str, ModelEntry] = {}
        self.sessions: dict[str, float] = {}
        self.counters = TrainCounters()
        self.started = time.time()

    def close(self) -> None:
        self.batcher.close()
        self.trainer.shutdown(wait=False, cancel_futures=True)

    # Sessions

    def create_session(self) -> str:
        session_id = f"session_{uuid.uuid4().hex[:16]}"
        self.sessions[session_id] = time.monotonic()
        return session_id

    def touch(self, session_id: str) -> None:
        """Throws `EngineError` (404) for a session that ended or is from before a restart."""
        if session_id not in self.sessions:
            raise EngineError(f"session {session_id!r} is unknown", 404)
        self.sessions[session_id] = time.monotonic()

    def end_silent_sessions(self) -> None:
        horizon = time.monotonic() - self.options.session_seconds
        for session_id in [key for key, seen in self.sessions.items() if seen < horizon]:
            del self.sessions[session_id]
            for entry in [entry for entry in self.models.values() if entry.session_id == session_id]:
                log.warning("session %s is silent: unloading %s", session_id, entry.model_id)
                self.unload(entry.model_id)

    # Models

    def model(self, model_id: str) -> ModelEntry:
        entry = self.models.get(model_id)
        if entry is None:
            raise EngineError(f"model {model_id!r} is unknown; create it again from its last checkpoint", 404)
        self.sessions[entry.session_id] = time.monotonic()
        return entry

    def submit(self, entry: ModelEntry, work: Callable[[TrainingModel], Result]) -> str:
        """Queues work for the training thread, in order of arrival."""

        def run() -> Result:
            started = time.monotonic()
            try:
                if entry.state is None:
                    raise EngineError(f"model {entry.model_id} was not created: see its create_model future")
                return work(entry.state)
            finally:
                self.counters.busy_seconds += time.monotonic() - started

        return self.futures.add(self.trainer.submit(run), entry.model_id)

    def create_model(self, body: bodies.CreateModel) -> tuple[str, str]:
        """Returns (model id, request id). Throws `EngineError` (422) for a base model that does not exist or fit."""
        self.touch(body.session_id)
        base = self.store.base(body.base_model)
        model_id = f"model_{uuid.uuid4().hex[:16]}"
        rank = body.lora_config.rank
        entry = ModelEntry(model_id, body.session_id, body.base_model, base, rank)
        self.models[model_id] = entry

        def build() -> Result:
            entry.state = training_model.new_model(base, rank, body.lora_config.seed or 0)
            return {
                "type": "create_model",
                "model_id": model_id,
                "base_model": body.base_model,
                "lora_config": {"rank": rank, "alpha": 32.0, "seed": body.lora_config.seed or 0},
            }

        return model_id, self.futures.add(self.trainer.submit(build), model_id)

    def unload(self, model_id: str) -> str:
        self.model(model_id)
        del self.models[model_id]
        future: Future[Result] = Future()
        future.set_result({"type": "unload_model", "model_id": model_id, "status": "unloaded"})
        self.futures.forget_model(model_id)
        return self.futures.add(future)

    def once(self, entry: ModelEntry, seq_id: int, digest: str, start: Callable[[], str]) -> str:
        """The same number and body gives the first call's future; another body is refused (409). 0 is no number."""
        entry.used = True
        if seq_id == 0:
            return start()
        earlier = entry.calls.get(seq_id)
        if earlier is None:
            request_id = start()
            entry.calls[seq_id] = (digest, request_id)
            entry.last_seq = max(entry.last_seq, seq_id)
            return request_id
        if earlier[0] != digest:
            raise EngineError(f"seq_id {seq_id} of {entry.model_id} was used for another call", 409)
        return earlier[1]

    # Training

    def forward_backward(self, body: bytes) -> str:
        message = parse_request(body)
        entry = self.model(message.model_id)
        call = parse_call(message, entry.base.config)
        return self.once(entry, message.seq_id, call_digest(call), lambda: self.submit_call(entry, call))

    def submit_call(self, entry: ModelEntry, call: LossCall) -> str:
        def work(state: TrainingModel) -> Result:
            result = training_model.forward_backward(state, call, self.options.token_budget)
            if call.forward_only:
                self.counters.forward += 1
            else:
                self.counters.forward_backward += 1
            self.counters.tokens += sum(len(datum.tokens) for datum in call.data)
            return encode_call(result)

        return self.submit(entry, work)

    def optim_step(self, body: bodies.OptimStep) -> str:
        entry = self.model(body.model_id)
        settings = body.settings()

        def work(state: TrainingModel) -> Result:
            metrics = training_model.optim_step(state, settings)
            self.counters.optim_steps += 1
            return {"type": "optim_step", "metrics": metrics}

        return self.once(entry, body.seq_id or 0, body.digest(), lambda: self.submit(entry, work))

    # Weights

    def reserve(self, entry: ModelEntry, kind: str, name: str) -> str:
        """Throws `EngineError` (409) for a name that exists or is being written."""
        label = f"{kind}/{check_name(name)}"
        if label in entry.saving or (self.options.checkpoints / entry.model_id / label).exists():
            raise EngineError(f"{SCHEME}{entry.model_id}/{label} already exists", 409)
        entry.saving.add(label)
        entry.used = True
        return label

    def release_after(self, entry: ModelEntry, label: str, request_id: str) -> str:
        self.futures.entries[request_id].future.add_done_callback(lambda _: entry.saving.discard(label))
        return request_id

    def save_weights(self, body: bodies.SaveWeights) -> str:
        entry = self.model(body.model_id)
        label = self.reserve(entry, "weights", body.path)
        facts = {"model_id": entry.model_id, "base_model": entry.base_model, "last_seq_id": entry.last_seq}

        def work(state: TrainingModel) -> Result:
            training_model.save(state, self.options.checkpoints / entry.model_id / label, facts)
            return {"type": "save_weights", "path": f"{SCHEME}{entry.model_id}/{label}"}

        return self.release_after(entry, label, self.submit(entry, work))

    def load_weights(self, body: bodies.LoadWeights) -> str:
        entry = self.model(body.model_id)
        if entry.used:
            raise EngineError("load_weights must be a model's first call: create a new model and load into that", 400)
        source_model, _, name = split_path(body.path, ("weights",))
        source = require_complete(self.options.checkpoints / source_model / "weights" / name, f"checkpoint {body.path}")
        meta = json.loads((source / "meta.json").read_text())
        if meta.get("rank") != entry.rank:
            raise EngineError(f"{body.path} has rank {meta.get('rank')}, the model has rank {entry.rank}", 422)
        entry.used = True

        def work(state: TrainingModel) -> Result:
            training_model.load(state, source, body.path, meta, body.optimizer)
            return {"type": "load_weights", "path": body.path, "step": int(state.moments.count)}

        return self.submit(entry, work)

    def checkpoints_of(self, model_id: str) -> list[dict[str, str]]:
        """Complete checkpoints of a model, whether it is loaded or not."""
        root = self.options.checkpoints / check_name(model_id)
        kinds = {"weights": "training", "sampler_weights": "sampler"}
        return [
            {"checkpoint_id": path.name, "checkpoint_type": kinds[path.parent.name]}
            for kind in kinds
            for path in sorted(root.glob(f"{kind}/*"))
            if is_complete(path)
        ]

    def delete_checkpoint(self, model_id: str, kind: str, name: str) -> None:
        """Throws `EngineError`: 404 for one that does not exist, 425 while it is being written."""
        label = f"{kind}/{check_name(name)}"
        entry = self.models.get(model_id)
        if entry is not None and label in entry.saving:
            raise EngineError(f"{SCHEME}{model_id}/{label} is being written", 425)
        directory = self.options.checkpoints / check_name(model_id) / label
        if kind not in ("weights", "sampler_weights") or not directory.is_dir():
            raise EngineError(f"checkpoint {SCHEME}{model_id}/{label} does not exist", 404)
        remove_checkpoint(directory)
        self.store.forget(f"{model_id}/{name}" if kind == "sampler_weights" else "")

    def publish(self, body: bodies.SaveWeights) -> str:
        entry = self.model(body.model_id)
        label = self.reserve(entry, "sampler_weights", body.path)

        def work(state: TrainingModel) -> Result:
            path = self.store.publish(entry.model_id, body.path, training_model.merged(state))
            return {"type": "save_weights_for_sampler", "path": path, "sampling_session_id": None}

        return self.release_after(entry, label, self.submit(entry, work))

    # Sampling

    def source(self, body: bodies.Sample) -> str:
        """What tells one set of weights from another. Throws `EngineError` for a request that names none or two."""
        if (body.base_model is None) == (body.model_path is None):
            raise EngineError("give exactly one of base_model and model_path", 422)
        if body.model_path is None:
            return f"base:{body.base_model}"
        model_id, _, name = split_path(body.model_path, ("", "sampler_weights"))
        return f"{model_id}/{name}"

    def in_memory(self, body: bodies.Sample) -> bool:
        """Whether `weights_for` answers without reading files."""
        return self.source(body) in self.store.snapshots

    def weights_for(self, body: bodies.Sample) -> Weights:
        """Throws `EngineError`: 422 for an unknown base model, 404 for a snapshot that was never published here."""
        self.source(body)
        if body.model_path is None:
            return self.store.base(str(body.base_model))
        return self.store.snapshot(body.model_path)

    def sample(self, body: bodies.Sample) -> str:
        """A request holds its weights, so that what is published or removed meanwhile does not matter to it."""
        weights = self.weights_for(body)
        job = Job(body.call(weights.config), self.source(body), weights)
        return self.futures.add(self.batcher.submit(job))
