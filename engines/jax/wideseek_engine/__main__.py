"""`python -m wideseek_engine serve | init`."""

import argparse
import json
import logging
import os
import sys
from pathlib import Path

from .errors import EngineError


def sizes(text: str) -> tuple[int, ...]:
    values = tuple(sorted({int(part) for part in text.split(",")}))
    if not values or values[0] < 1:
        raise argparse.ArgumentTypeError("give batch sizes above 0, e.g. 1,8,32")
    return values


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="wideseek_engine", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="serve the trainer's wire")
    serve.add_argument("--models", type=Path, help="base models: one directory each, in Hugging Face layout")
    serve.add_argument("--checkpoints", type=Path, required=True)
    serve.add_argument("--host", default="127.0.0.1")
    serve.add_argument("--port", type=int, default=8777, help="0 takes any free port")
    serve.add_argument("--cache", type=Path, help="where compiled functions are kept")
    serve.add_argument("--sample-batches", type=sizes, help="default 1,8,32,64,128; 32 with --deterministic")
    serve.add_argument("--deterministic", action="store_true", help="a reply never depends on its neighbours")
    serve.add_argument("--token-budget", type=int, default=4096, help="padded tokens of one training micro-batch")
    serve.add_argument("--window-ms", type=float, default=5.0, help="how long a request waits for others")
    serve.add_argument("--keep-published", type=int, default=4, help="snapshots kept in memory")
    serve.add_argument("--session-timeout", type=float, default=1800.0, help="seconds of silence that end a session")
    init = commands.add_parser("init", help="write a model directory with fresh weights")
    init.add_argument("--config", type=Path, required=True)
    init.add_argument("--out", type=Path, required=True)
    init.add_argument("--seed", type=int, default=0)
    return top


def serve(args: argparse.Namespace) -> None:
    from .engine import Options
    from .serve import run_server, use_cache

    batches = args.sample_batches or ((32,) if args.deterministic else (1, 8, 64))
    if args.deterministic and len(batches) != 1:
        raise EngineError("--deterministic needs one batch size: --sample-batches 32")
    if args.token_budget < 1:
        raise EngineError("--token-budget must be above 0")
    if args.cache is not None:
        use_cache(args.cache)
    options = Options(
        models=args.models,
        checkpoints=args.checkpoints,
        sample_sizes=batches,
        deterministic=args.deterministic,
        token_budget=args.token_budget,
        window_seconds=args.window_ms / 1000,
        keep_published=args.keep_published,
        session_seconds=args.session_timeout,
    )
    run_server(options, args.host, args.port)


def init(args: argparse.Namespace) -> None:
    import numpy as np

    from .checkpoints import write_checkpoint
    from .config import parse_config
    from .weights import init_params

    raw = json.loads(args.config.read_text())
    params = init_params(parse_config(raw, str(args.config)), args.seed)
    arrays = {name: np.asarray(value) for name, value in params.items()}
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_checkpoint(args.out, {"config.json": raw, "model.safetensors": arrays})
    print(json.dumps({"out": str(args.out), "parameters": sum(array.size for array in arrays.values())}))


def main() -> int:
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("jax").setLevel(logging.WARNING)
    args = parser().parse_args()
    try:
        {"serve": serve, "init": init}[args.command](args)
    except EngineError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # A thread inside a compiled function cannot be interrupted; what matters is on disk already.
    os._exit(code)
