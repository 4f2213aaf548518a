"""The engine as a process: restarts, kills, signals, readiness."""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from client import Client, Refused, batch, sequence
from conftest import FIXTURES, HERE, start_engine

BASE = "qwen3-tiny"
ROWS = [sequence(list(range(1, 20))), sequence([5, 4, 3, 2, 1, 0])]


def train_step(client: Client, model: str, seq: int) -> float:
    _, loss = client.train(batch(model, seq, ROWS))
    client.step(model, seq + 1, 1e-2)
    return loss


def test_a_killed_engine_resumes_bit_equal_from_its_checkpoint(tmp_path: Path, cache: Path) -> None:
    first = start_engine(tmp_path / "c", cache, "--sample-batches", "8", "--deterministic")
    model = first.client.create(BASE)
    train_step(first.client, model, 1)
    saved = first.client.save(model, "one")
    published = first.client.publish(model, "one")
    reply = first.client.sample([1, 2, 3], published, seed=5).SerializeToString()
    losses = [train_step(first.client, model, seq) for seq in (3, 5)]
    pending = tmp_path / "c" / model / "weights" / ".pending-x"
    pending.mkdir()
    assert first.stop(signal.SIGKILL) == -signal.SIGKILL

    second = start_engine(tmp_path / "c", cache, "--sample-batches", "8", "--deterministic")
    client = second.client
    assert not pending.exists()
    with pytest.raises(Refused, match="404"):
        client.post_batch(batch(model, 7, ROWS))
    resumed = client.create(BASE)
    client.load(resumed, saved)
    assert [train_step(client, resumed, seq) for seq in (1, 3)] == losses
    assert client.sample([1, 2, 3], published, seed=5).SerializeToString() == reply

    def in_company(length: int) -> bytes:
        mine = client.sample([1, 2, 3], published, seed=5) if length == 0 else None
        return mine.SerializeToString() if mine else client.sample([7] * length, published).SerializeToString()

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(in_company, [9, 3, 30, 2, 0, 12, 1, 5, 8, 20, 31, 0]))[4] == reply
    assert second.stop(signal.SIGTERM) == 0


def test_init_writes_a_model_that_the_seed_decides(tmp_path: Path) -> None:
    def init(out: str, seed: int) -> int:
        command = [sys.executable, "-m", "wideseek_engine", "init", "--config", str(FIXTURES / BASE / "config.json")]
        run = [*command, "--out", str(tmp_path / out), "--seed", str(seed)]
        return subprocess.run(run, cwd=HERE.parent, capture_output=True, check=False).returncode

    assert [init("a", 1), init("b", 1), init("c", 2)] == [0, 0, 0]
    a, b, c = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert a == b != c
    assert json.loads((tmp_path / "a" / "config.json").read_text())["hidden_size"] == 24
    assert init("a", 1) == 2


def test_deterministic_mode_wants_one_size(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wideseek_engine", "serve", "--checkpoints", str(tmp_path), "--deterministic"]
    run = subprocess.run([*command, "--sample-batches", "1,8"], cwd=HERE.parent, capture_output=True, text=True)
    assert run.returncode == 2
    assert "one batch size" in run.stderr


def test_nothing_but_health_answers_before_the_engine_is_ready() -> None:
    import asyncio

    from wideseek_engine.server import Readiness, create_app

    async def status(path: str, method: str) -> int:
        app = create_app(None, Readiness())  # type: ignore[arg-type]
        sent: list[dict] = []

        async def receive() -> dict:
            return {"type": "http.request", "body": b"{}", "more_body": False}

        async def send(message: dict) -> None:
            sent.append(message)

        scope = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b"", "root_path": ""}
        await app(scope, receive, send)
        return sent[0]["status"]

    assert asyncio.run(status("/api/v1/healthz", "GET")) == 503
    assert asyncio.run(status("/api/v1/asample", "POST")) == 503


def test_the_generated_messages_are_those_of_the_contract() -> None:
    import re

    from wideseek_engine import wire_pb2

    text = (HERE.parent.parent / "wire" / "wire.proto").read_text()
    messages = re.findall(r"^message (\w+) \{(.*?)^\}", text, re.M | re.S)
    assert {name for name, _ in messages} == set(wire_pb2.DESCRIPTOR.message_types_by_name)
    for name, body in messages:
        fields = {field: int(number) for field, number in re.findall(r"(\w+) = (\d+);", body)}
        known = wire_pb2.DESCRIPTOR.message_types_by_name[name].fields
        assert fields == {field.name: field.number for field in known}, name
