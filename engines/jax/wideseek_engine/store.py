"""Where weights come from: base models in a directory, snapshots in memory and on disk."""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .checkpoints import check_name, is_complete, require_complete, write_checkpoint
from .config import ModelConfig, read_config
from .errors import EngineError
from .weights import Params, load_params

SCHEME = "tinker://"


@dataclass(frozen=True)
class Weights:
    """Immutable: a snapshot is never changed, so that it can be sampled while training goes on."""

    config: ModelConfig
    raw_config: dict[str, Any]
    params: Params


def split_path(path: str, kinds: tuple[str, ...]) -> tuple[str, str, str]:
    """`tinker://MODEL/NAME` or `tinker://MODEL/KIND/NAME` to (model, kind, name); an absent kind is ''."""
    parts = path.removeprefix(SCHEME).split("/")
    model, kind, name = (parts[0], "", parts[-1]) if len(parts) == 2 else (*parts, "", "", "")[:3]
    if not path.startswith(SCHEME) or len(parts) not in (2, 3) or kind not in kinds:
        forms = " or ".join(f"{SCHEME}MODEL/{kind + '/' if kind else ''}NAME" for kind in kinds)
        raise EngineError(f"path {path!r} must be {forms}", 400)
    return check_name(model), kind, check_name(name)


class WeightStore:
    """Safe to use from several threads. Keeps the latest `keep` snapshots in memory."""

    def __init__(self, models: Path | None, root: Path, keep: int) -> None:
        self.models = models
        self.root = root
        self.keep = keep
        self.lock = threading.Lock()
        self.bases: dict[Path, Weights] = {}
        self.snapshots: OrderedDict[str, Weights] = OrderedDict()

    def base_directory(self, name: str) -> Path:
        """A directory path, or a name below `models`. Throws `EngineError` (422) for an unknown one."""
        if Path(name).is_absolute():
            directory = Path(name)
        elif self.models is not None and (self.models / name).resolve().is_relative_to(self.models.resolve()):
            directory = self.models / name
        else:
            raise EngineError(f"base_model {name!r} is unknown", 422)
        if not (directory / "config.json").is_file():
            raise EngineError(f"base_model {name!r} is unknown: {directory}/config.json does not exist", 422)
        return directory.resolve()

    def base_names(self) -> list[str]:
        if self.models is None:
            return []
        return sorted(path.parent.name for path in self.models.glob("*/config.json"))

    def base(self, name: str) -> Weights:
        directory = self.base_directory(name)
        with self.lock:
            if directory not in self.bases:
                config, raw = read_config(directory)
                self.bases[directory] = Weights(config, raw, load_params(directory, config))
            return self.bases[directory]

    def snapshot_directory(self, model_id: str, name: str) -> Path:
        return self.root / model_id / "sampler_weights" / name

    def publish(self, model_id: str, name: str, weights: Weights) -> str:
        """Writes a snapshot that survives a restart and is a loadable model directory; keeps it in memory as well."""
        arrays = {key: np.asarray(value) for key, value in weights.params.items()}
        contents = {"config.json": weights.raw_config, "model.safetensors": arrays}
        write_checkpoint(self.snapshot_directory(model_id, name), contents)
        self.remember(f"{model_id}/{name}", weights)
        return f"{SCHEME}{model_id}/{name}"

    def remember(self, key: str, weights: Weights) -> None:
        with self.lock:
            self.snapshots[key] = weights
            self.snapshots.move_to_end(key)
            while len(self.snapshots) > self.keep:
                self.snapshots.popitem(last=False)

    def forget(self, key: str) -> None:
        with self.lock:
            self.snapshots.pop(key, None)

    def snapshot(self, path: str) -> Weights:
        """Throws `EngineError` (404) for a path that was never published."""
        model_id, _, name = split_path(path, ("", "sampler_weights"))
        key = f"{model_id}/{name}"
        with self.lock:
            if key in self.snapshots:
                self.snapshots.move_to_end(key)
                return self.snapshots[key]
        directory = self.snapshot_directory(model_id, name)
        if not directory.is_dir():
            raise EngineError(f"model_path {path!r} was never published here", 404)
        require_complete(directory, f"snapshot {path}")
        config, raw = read_config(directory)
        weights = Weights(config, raw, load_params(directory, config))
        self.remember(key, weights)
        return weights

    def published(self) -> list[str]:
        found = (path for path in self.root.glob("*/sampler_weights/*") if is_complete(path))
        return sorted(f"{SCHEME}{path.parent.parent.name}/{path.name}" for path in found)
