"""
Measures the engine on the experiment's model (0.5M parameters): through the server, and the same work in plain JAX calls
in this process. Prints JSON.

    python bench.py [--rows 32] [--prompt 250] [--reply 40] [--repeat 5]

Times are wall-clock medians; `cpu` is processor time of the process that computes, which a busy machine disturbs less.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "tests")]

CONFIG = {
    "model_type": "qwen3",
    "vocab_size": 336,
    "hidden_size": 128,
    "intermediate_size": 256,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "tie_word_embeddings": True,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--prompt", type=int, default=250)
    parser.add_argument("--reply", type=int, default=40)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--plain", metavar="MODEL", help=argparse.SUPPRESS)
    return parser.parse_args()


def prompts(args: argparse.Namespace, count: int) -> list[list[int]]:
    import numpy as np

    return np.random.default_rng(0).integers(0, 336, (count, args.prompt)).tolist()


def processor_seconds(pid: int) -> float:
    """User and system time of a process so far; 0 where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(work: Callable[[], Any], repeat: int, pid: int, tokens: int) -> dict[str, float]:
    """The first call, then the median of the others."""
    started = time.perf_counter()
    work()
    first = time.perf_counter() - started
    walls, processor = [], processor_seconds(pid)
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        walls.append(time.perf_counter() - started)
    wall = statistics.median(walls)
    return {
        "first_seconds": round(first, 3),
        "milliseconds": round(wall * 1000, 1),
        "cpu_milliseconds": round((processor_seconds(pid) - processor) / repeat * 1000, 1),
        "tokens": tokens,
        "tokens_per_second": round(tokens / wall),
    }


def plain(args: argparse.Namespace) -> dict[str, Any]:
    """No server: the compiled functions called directly, without a persistent cache."""
    import jax
    import numpy as np

    from wideseek_engine import training_model
    from wideseek_engine.buckets import sample_batches
    from wideseek_engine.optim import AdamSettings
    from wideseek_engine.requests import Datum, LossCall, SampleCall
    from wideseek_engine.sampler import Row, run_batch
    from wideseek_engine.store import WeightStore

    weights = WeightStore(None, Path(args.plain), 1).base(args.plain)

    def sampling(count: int) -> Callable[[], None]:
        calls = [
            SampleCall(np.asarray(prompt, np.int32), 1, args.reply, 1.0, 0, 1.0, seed, (), False)
            for seed, prompt in enumerate(prompts(args, count))
        ]
        (batch,) = sample_batches([args.prompt] * count, (count,))

        def work() -> None:
            run_batch(weights.params, weights.config, [Row(call, 0) for call in calls], batch)

        return work

    model = training_model.new_model(weights, 0, 0)
    ones = np.ones(args.prompt - 1, np.float32)
    data = tuple(
        Datum(np.asarray(p[:-1], np.int32), np.asarray(p[1:], np.int32), ones, -5.8 * ones, ones)
        for p in prompts(args, args.rows)
    )
    call = LossCall("ppo", (0.8, 1.28, 0.0), data, False)

    def train() -> None:
        jax.block_until_ready(training_model.forward_backward(model, call, 4096).gradients)
        training_model.optim_step(model, AdamSettings(1e-4, 0.9, 0.95, 1e-8, 0.0, 1.0))

    pid, reply = os.getpid(), args.reply
    return {
        "sample_1": timed(sampling(1), args.repeat, pid, reply),
        f"sample_{args.rows}": timed(sampling(args.rows), args.repeat, pid, reply * args.rows),
        "train_step": timed(train, args.repeat, pid, args.rows * (args.prompt - 1)),
    }


def served(args: argparse.Namespace, models: Path, cache: Path, work: Path) -> dict[str, Any]:
    """The same work through the wire, one request per reply, all at once."""
    from client import Client, batch

    command = [sys.executable, "-m", "wideseek_engine", "serve", "--models", str(models), "--checkpoints", str(work)]
    command += ["--port", "0", "--cache", str(cache), "--sample-batches", f"1,{args.rows}"]
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    client = Client(json.loads(process.stdout.readline())["port"])
    ready = time.perf_counter() - started
    result: dict[str, Any] = {"ready_seconds": round(ready, 2)}
    with ThreadPoolExecutor(args.rows) as pool:

        def sampling(count: int) -> Callable[[], None]:
            asked = list(enumerate(prompts(args, count)))

            def one(item: tuple[int, list[int]]) -> None:
                client.sample(item[1], base="mini", seed=item[0], max_tokens=args.reply)

            return lambda: list(pool.map(one, asked))

        model, seq = client.create("mini"), iter(range(1, 1_000_000))
        length = args.prompt - 1
        floats = {"weights": [1.0] * length, "logprobs": [-5.8] * length, "advantages": [1.0] * length}
        rows = [{"tokens": p[:-1], "target_tokens": p[1:], **floats} for p in prompts(args, args.rows)]
        messages = batch(model, 1, rows, "ppo", clip_low_threshold=0.8, clip_high_threshold=1.28)

        def train() -> None:
            messages.seq_id = next(seq)
            client.train(messages)
            client.step(model, next(seq), 1e-4, grad_clip_norm=1.0)

        def publish() -> None:
            client.publish(model, f"v{next(seq)}")

        pid, reply = process.pid, args.reply
        result["sample_1"] = timed(sampling(1), args.repeat, pid, reply)
        result[f"sample_{args.rows}"] = timed(sampling(args.rows), args.repeat, pid, reply * args.rows)
        result["train_step"] = timed(train, args.repeat, pid, args.rows * length)
        result["publish"] = timed(publish, args.repeat, pid, 0)
    result["peak_rss_megabytes"] = round(client.get("engine")["peak_rss_bytes"] / 1e6)
    process.terminate()
    process.wait()
    return result


def main() -> None:
    args = arguments()
    if args.plain:
        print(json.dumps(plain(args)))
        return
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / "config.json").write_text(json.dumps(CONFIG))
        init = ["-m", "wideseek_engine", "init", "--config", str(root / "config.json"), "--out"]
        subprocess.run([sys.executable, *init, str(root / "models" / "mini")], cwd=HERE, check=True, capture_output=True)
        shape = [f"--{key}={getattr(args, key)}" for key in ("rows", "prompt", "reply", "repeat")]
        command = [sys.executable, __file__, "--plain", str(root / "models" / "mini"), *shape]
        report: dict[str, Any] = {"setting": {**vars(args), "cores": os.cpu_count(), "load": os.getloadavg()[0]}}
        report["setting"].pop("plain")
        report["plain"] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        report["served_without_cache"] = served(args, root / "models", root / "cache", root / "a")
        report["served_with_cache"] = served(args, root / "models", root / "cache", root / "b")
        print(json.dumps(report, indent=2))


main()
