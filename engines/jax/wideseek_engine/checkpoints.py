"""Checkpoints on disk: whole or absent, whatever is killed when."""

import contextlib
import fcntl
import json
import os
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save

from .errors import EngineError

MARKER = "COMPLETE"
"""Written last inside the directory: the sizes of all files. A directory without it, or with other sizes, is no checkpoint."""

PENDING = ".pending-"
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")

Contents = Mapping[str, Mapping[str, np.ndarray] | Mapping[str, Any]]
"""File name to its content: tensors for `.safetensors`, an object for `.json`."""


def check_name(name: str) -> str:
    if NAME.fullmatch(name) is None:
        raise EngineError(f"path {name!r}: use up to 128 letters, digits, '.', '_' and '-', not starting with '.'", 422)
    return name


def write_checkpoint(target: Path, contents: Contents) -> None:
    """
    Writes to a directory beside the target, syncs, renames. Throws `EngineError` (409) if the target exists and
    `EngineError` for a full disk or another I/O error; nothing is left behind then, and other checkpoints are untouched.
    """
    if target.exists():
        raise EngineError(f"checkpoint {target.name!r} already exists", 409)
    pending = target.parent / f"{PENDING}{uuid.uuid4().hex}"
    try:
        pending.mkdir(parents=True)
        with in_work(pending):
            sizes = {name: write_file(pending / name, encoded(name, content)) for name, content in contents.items()}
            write_file(pending / MARKER, json.dumps(sizes).encode())
            sync_directory(pending)
            os.rename(pending, target)
        sync_directory(target.parent)
    except OSError as error:
        shutil.rmtree(pending, ignore_errors=True)
        raise EngineError(f"checkpoint {target.name!r} was not written: {error.strerror or error}") from error


@contextlib.contextmanager
def in_work(directory: Path) -> Iterator[None]:
    """Tells other engines of the same folder that somebody writes here; a kill takes the sign away."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def is_in_work(directory: Path) -> bool:
    try:
        handle = os.open(directory, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)


def encoded(name: str, content: Mapping[str, Any]) -> bytes:
    if name.endswith(".safetensors"):
        return save({key: np.ascontiguousarray(value) for key, value in content.items()}, metadata={"format": "pt"})
    return json.dumps(content, indent=2).encode()


def write_file(path: Path, data: bytes) -> int:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return len(data)


def sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_complete(directory: Path) -> bool:
    try:
        sizes = json.loads((directory / MARKER).read_text())
        return all((directory / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def require_complete(directory: Path, label: str) -> Path:
    if not directory.is_dir():
        raise EngineError(f"{label} does not exist", 404)
    if not is_complete(directory):
        raise EngineError(f"{label} is damaged: a file is missing or has the wrong size", 422)
    return directory


def remove_checkpoint(directory: Path) -> None:
    """It stops being one at once, and is then removed."""
    doomed = directory.parent / f"{PENDING}{uuid.uuid4().hex}"
    os.rename(directory, doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def remove_pending(root: Path) -> int:
    """
    Removes what a killed engine left half written, not what a living one of another host writes into the same folder.
    Returns how many directories.
    """
    found = [directory for directory in root.glob(f"*/*/{PENDING}*") if not is_in_work(directory)]
    for directory in found:
        shutil.rmtree(directory, ignore_errors=True)
    return len(found)
