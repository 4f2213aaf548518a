"""Checkpoints are whole or absent."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from wideseek_engine import checkpoints
from wideseek_engine.checkpoints import is_complete, remove_pending, require_complete, write_checkpoint
from wideseek_engine.errors import EngineError

CONTENTS = {"meta.json": {"step": 3}, "model.safetensors": {"w": np.arange(5, dtype=np.float32)}}


class Killed(BaseException):
    """Like a kill: nothing in the code under test may catch it."""


def target(root: Path, name: str = "a") -> Path:
    return root / "model_1" / "weights" / name


def test_a_checkpoint_is_complete_and_its_name_is_taken(tmp_path: Path) -> None:
    write_checkpoint(target(tmp_path), CONTENTS)
    assert is_complete(target(tmp_path))
    with pytest.raises(EngineError, match="already exists") as refused:
        write_checkpoint(target(tmp_path), CONTENTS)
    assert refused.value.status == 409


@pytest.mark.parametrize("moment", ["write_file", "sync_directory", "rename"])
def test_a_kill_before_the_rename_leaves_no_checkpoint(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_checkpoint(target(tmp_path, "old"), CONTENTS)

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(os if moment == "rename" else checkpoints, moment, kill)
        with pytest.raises(Killed):
            write_checkpoint(target(tmp_path), CONTENTS)
    assert not target(tmp_path).exists()
    assert is_complete(target(tmp_path, "old"))
    assert remove_pending(tmp_path) == 1
    write_checkpoint(target(tmp_path), CONTENTS)
    assert sorted(path.name for path in target(tmp_path).parent.iterdir()) == ["a", "old"]


def test_an_engine_that_starts_leaves_alone_what_another_one_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = checkpoints.sync_directory
    removed: list[int] = []

    def start_another(path: Path) -> None:
        removed.append(remove_pending(tmp_path))
        real(path)

    monkeypatch.setattr(checkpoints, "sync_directory", start_another)
    write_checkpoint(target(tmp_path), CONTENTS)
    assert removed == [0, 0]
    assert is_complete(target(tmp_path))


def test_a_full_disk_is_told_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_checkpoint(target(tmp_path, "old"), CONTENTS)
    real = checkpoints.write_file

    def full(path: Path, data: bytes) -> int:
        if path.suffix == ".safetensors":
            real(path, data[:10])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, data)

    monkeypatch.setattr(checkpoints, "write_file", full)
    with pytest.raises(EngineError, match="was not written: No space left on device"):
        write_checkpoint(target(tmp_path), CONTENTS)
    assert [path.name for path in target(tmp_path).parent.iterdir()] == ["old"]
    assert is_complete(target(tmp_path, "old"))


def test_a_cut_or_unmarked_checkpoint_is_refused(tmp_path: Path) -> None:
    write_checkpoint(target(tmp_path), CONTENTS)
    file = target(tmp_path) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(EngineError, match="damaged"):
        require_complete(target(tmp_path), "it")
    write_checkpoint(target(tmp_path, "b"), CONTENTS)
    (target(tmp_path, "b") / checkpoints.MARKER).unlink()
    assert not is_complete(target(tmp_path, "b"))
    with pytest.raises(EngineError, match="does not exist"):
        require_complete(target(tmp_path, "c"), "it")


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", ".hidden", "x" * 129, "a b"])
def test_a_name_cannot_leave_its_directory(name: str) -> None:
    with pytest.raises(EngineError):
        checkpoints.check_name(name)
