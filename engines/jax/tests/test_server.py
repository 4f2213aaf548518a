"""The wire as a client sees it, on one running engine."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import zstandard
from client import Client, Refused, batch, sequence
from conftest import Process

from wideseek_engine import wire_pb2 as pb

BASE = "qwen3-tiny"
ROWS = [sequence(list(range(1, 20))), sequence([5, 4, 3, 2, 1, 0])]


def refused(status: int, detail: str):
    return pytest.raises(Refused, match=f"^{status}: .*{detail}")


def policy_row(**changes: object) -> dict[str, object]:
    floats = {name: [0.5] * 5 for name in ("weights", "logprobs", "advantages")}
    return {"tokens": [1, 2, 3, 4, 5], "target_tokens": [2, 3, 4, 5, 6], **floats, **changes}


def test_a_whole_round_lowers_the_loss_and_snapshots_stay_apart(engine: Process) -> None:
    client = engine.client
    model = client.create(BASE)
    losses, paths = [], []
    for step in range(3):
        paths.append(client.publish(model, f"v{step}"))
        logprobs, loss = client.train(batch(model, 2 * step + 1, ROWS))
        losses.append(loss)
        assert [len(part) for part in logprobs] == [18, 5]
        assert loss == pytest.approx(-sum(float(part.sum()) for part in logprobs), rel=1e-5)
        client.step(model, 2 * step + 2, 0.05)
    assert losses[2] < losses[1] < losses[0]

    def logprobs_of(path: str | None, base: str | None = None) -> np.ndarray:
        reply = client.sample(list(range(1, 20)), path, base, prompt_logprobs=True, max_tokens=1)
        return np.frombuffer(reply.prompt_logprobs, "<f4")

    with ThreadPoolExecutor(6) as pool:
        scored = list(pool.map(logprobs_of, [*paths, *reversed(paths)]))
    for forward, backward in zip(scored[:3], reversed(scored[3:])):
        assert np.array_equal(forward, backward)
    assert scored[0].sum() < scored[1].sum() < scored[2].sum()
    assert np.array_equal(scored[0], logprobs_of(None, BASE))


def test_a_sampled_reply_scores_alike_in_training(engine: Process) -> None:
    client = engine.client
    model = client.create(BASE)
    path = client.publish(model, "s")
    reply = client.sample([1, 2, 3], path, samples=3, seed=9, max_tokens=12)
    assert len({bytes(one.tokens) for one in reply.sequences}) == 3
    for index, one in enumerate(reply.sequences):
        tokens = [1, 2, 3, *np.frombuffer(one.tokens, "<i4").tolist()]
        (scored,), _ = client.train(batch(model, 10 + index, [sequence(tokens)], forward_only=True))
        np.testing.assert_allclose(scored[2:], np.frombuffer(one.logprobs, "<f4"), atol=1e-4)


def test_the_same_number_and_body_is_applied_once(engine: Process) -> None:
    client = engine.client
    once, twice = client.create(BASE), client.create(BASE)
    first = client.post_batch(batch(twice, 1, ROWS))
    assert client.post_batch(batch(twice, 1, ROWS))["request_id"] == first["request_id"]
    client.wait(first)
    client.train(batch(once, 1, ROWS))
    adam = {"model_id": twice, "seq_id": 2, "adam_params": {"learning_rate": 1e-3, "eps": 1e-8}}
    step = client.call("optim_step", adam)
    assert client.call("optim_step", adam)["request_id"] == step["request_id"]
    assert client.wait(step)["metrics"] == client.step(once, 2, 1e-3)
    sums = [client.train(batch(model, 3, ROWS, forward_only=True))[1] for model in (once, twice)]
    assert sums[0] == sums[1]
    with refused(409, "seq_id 1"):
        client.post_batch(batch(twice, 1, ROWS[:1]))
    with refused(409, "seq_id 1"):
        client.call("optim_step", {**adam, "seq_id": 1})


def test_names_are_taken_once_and_paths_are_checked(engine: Process) -> None:
    client = engine.client
    model = client.create(BASE)
    path = client.save(model, "a")
    assert path == f"tinker://{model}/weights/a"
    client.publish(model, "a")
    for call in (client.save, client.publish):
        with refused(409, "already exists"):
            call(model, "a")
    with refused(422, "letters, digits"):
        client.save(model, "../a")
    with refused(404, "does not exist"):
        client.load(client.create(BASE), f"tinker://{model}/weights/b")
    with refused(400, "must be tinker://MODEL/weights/NAME"):
        client.load(client.create(BASE), path.replace("weights/", ""))
    with refused(400, "first call"):
        client.load(model, path)
    with refused(422, "rank 0, the model has rank 2"):
        client.load(client.create(BASE, rank=2), path)
    with refused(404, "never published"):
        client.sample([1], f"tinker://{model}/zzz")


def test_checkpoints_are_listed_and_removed(engine: Process) -> None:
    client = engine.client
    model = client.create(BASE)
    client.save(model, "a")
    path = client.publish(model, "b")
    saved = f"training_runs/{model}/checkpoints"
    assert client.get(saved)["checkpoints"] == [
        {"checkpoint_id": "a", "checkpoint_type": "training"},
        {"checkpoint_id": "b", "checkpoint_type": "sampler"},
    ]
    client.delete(f"{saved}/sampler_weights/b")
    with refused(404, "never published"):
        client.sample([1], path)
    with refused(404, "does not exist"):
        client.delete(f"{saved}/weights/b")
    assert [entry["checkpoint_id"] for entry in client.get(saved)["checkpoints"]] == ["a"]
    client.publish(model, "b")


def test_what_is_unknown_is_404(engine: Process) -> None:
    client = engine.client
    with refused(404, "model 'm' is unknown"):
        client.post_batch(batch("m", 1, ROWS))
    with refused(404, "session"):
        client.call("session_heartbeat", {"session_id": "s"})
    with refused(404, "request 'r'"):
        client.wait({"request_id": "r"})
    with refused(422, "base_model '../tests' is unknown"):
        client.create("../tests")
    model = client.create(BASE)
    client.wait(client.call("unload_model", {"model_id": model}))
    with refused(404, "unknown"):
        client.save(model, "a")


@pytest.mark.parametrize(
    ("row", "loss", "config", "detail"),
    [
        (policy_row(advantages=[1.0]), "ppo", {}, r"data\[0\].loss_fn_inputs.advantages has 1 entries for 5"),
        (policy_row(logprobs=[np.nan] * 5), "ppo", {}, r"logprobs\[0\] is not finite"),
        (policy_row(target_tokens=[2, 3, 4, 5, 40]), "ppo", {}, "token ids must be from 0 to 39"),
        (policy_row(tokens=[], target_tokens=[]), "ppo", {}, "model_input is empty"),
        (policy_row(), "ppo", {"clip": 0.2}, "loss_fn_config.clip is unknown"),
        (policy_row(), "ppo", {"clip_low_threshold": 1.2}, "bounds of the ratio itself"),
        (policy_row(), "ppo", {"dual_clip": 0.5}, "must be above 1"),
        (policy_row(), "cispo", {}, "not one of"),
        (sequence(list(range(5))), "importance_sampling", {}, "logprobs is missing"),
        (sequence([1] * 66), "cross_entropy", {}, "65 tokens, the model holds 64"),
    ],
)
def test_what_would_need_a_guess_is_422(engine: Process, row, loss: str, config, detail: str) -> None:
    model = engine.client.create(BASE)
    with refused(422, detail):
        engine.client.post_batch(batch(model, 1, [row], loss, **config))


def test_bodies_are_protobuf_and_may_be_zstd(engine: Process) -> None:
    client = engine.client
    model = client.create(BASE)
    body = batch(model, 1, ROWS).SerializeToString()
    with refused(415, "x-protobuf"):
        client.call("forward_backward", {})
    with refused(422, "not a ForwardBackwardRequest"):
        client.call("forward_backward", b"\xff\xff", "application/x-protobuf")
    with refused(422, "not zstd"):
        client.call("forward_backward", body, "application/x-protobuf", **{"content-encoding": "zstd"})
    packed = zstandard.ZstdCompressor().compress(body)
    pending = client.call("forward_backward", packed, "application/x-protobuf", **{"content-encoding": "zstd"})
    assert client.post_batch(batch(model, 1, ROWS))["request_id"] == pending["request_id"]


def test_sample_bodies_name_the_wrong_field(engine: Process) -> None:
    client = engine.client
    with refused(422, "sampling_params.max_tokens"):
        client.sample([1], base=BASE, max_tokens=0)
    with refused(422, "exceed the model's 64 positions"):
        client.sample([1] * 60, base=BASE)
    with refused(422, "prompt is empty"):
        client.sample([], base=BASE)
    with refused(422, "exactly one of"):
        client.call("asample", {"prompt": {"chunks": []}, "sampling_params": {"max_tokens": 1}})


def test_a_failed_call_is_told_when_its_future_is_asked_for_and_harms_nothing(engine: Process) -> None:
    client = engine.client
    model = client.create(BASE)
    bad = policy_row(logprobs=[-1e4] * 5, advantages=[-1.0] * 5)
    with refused(400, "datum 0, position 0: the loss is -?inf"):
        client.train(batch(model, 1, [bad], "ppo"))
    with refused(400, "no gradients"):
        client.step(model, 2)
    client.train(batch(model, 3, [policy_row()], "ppo"))
    assert client.step(model, 4)["step"] == 1


def test_many_requests_at_once_share_batches(engine: Process) -> None:
    client = engine.client
    before = client.get("engine")["sampling"]
    barrier = threading.Barrier(32)

    def one(seed: int) -> bytes:
        barrier.wait()
        reply = client.sample([1, 2, 3], base=BASE, seed=seed % 8, max_tokens=8)
        assert isinstance(reply, pb.SampleResponse)
        return reply.sequences[0].tokens

    with ThreadPoolExecutor(32) as pool:
        tokens = list(pool.map(one, range(32)))
    after = client.get("engine")["sampling"]
    assert after["requests"] - before["requests"] == 32
    assert after["batches"] - before["batches"] < 32
    assert len(set(tokens)) == 8


def test_the_report_says_what_is_there(engine: Process) -> None:
    client = Client(engine.client.port)
    model = client.create(BASE, rank=2)
    path = client.publish(model, "r")
    report = client.get("engine")
    assert path in report["published"]
    (facts,) = [entry for entry in report["models"] if entry["model_id"] == model]
    assert facts["rank"] == 2 and facts["config"]["hidden_size"] == 24
    assert report["base_models"] == ["qwen3-tiny", "qwen3-tiny-untied"]
    assert report["peak_rss_bytes"] > 1e7
    assert client.call("get_info", {"model_id": model})["model_data"]["base_model"] == BASE
    names = [entry["model_name"] for entry in client.get("get_server_capabilities")["supported_models"]]
    assert names == report["base_models"]
