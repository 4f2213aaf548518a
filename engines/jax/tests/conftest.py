"""What the tests share: a tiny model, an engine process, a place for compiled functions."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

# Tests compare numbers, not speed: this halves compilation. Engine processes run without it, as in real use.
QUICK = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
os.environ["XLA_FLAGS"] = QUICK

from client import Client  # noqa: E402

from wideseek_engine.serve import use_cache  # noqa: E402

FIXTURES = HERE / "fixtures"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = Path(os.environ.get("WIDESEEK_ENGINE_TEST_CACHE") or tmp_path_factory.mktemp("cache"))
    use_cache(directory)
    return directory


@dataclass
class Process:
    client: Client
    popen: subprocess.Popen[str]
    checkpoints: Path

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.popen.send_signal(how)
        return self.popen.wait(20)


def start_engine(checkpoints: Path, cache: Path, *extra: str) -> Process:
    command = [sys.executable, "-m", "wideseek_engine", "serve", "--models", str(FIXTURES), "--checkpoints"]
    command += [str(checkpoints), "--port", "0", "--cache", str(cache), *extra]
    environment = {key: value for key, value in os.environ.items() if key != "XLA_FLAGS"}
    popen = subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True, env=environment)
    assert popen.stdout is not None
    line = popen.stdout.readline()
    assert line, f"the engine ended with {popen.wait()}"
    return Process(Client(json.loads(line)["port"]), popen, checkpoints)


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Process]:
    """One engine for tests that do not stop it."""
    process = start_engine(tmp_path_factory.mktemp("checkpoints"), cache, "--sample-batches", "1,8")
    yield process
    process.stop()
