"""The HTTP routes of the wire, under `/api/v1`."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import zstandard
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from . import bodies
from .engine import Engine
from .errors import EngineError
from .report import engine_report

log = logging.getLogger(__name__)

PROTOBUF = "application/x-protobuf"
POLL_SECONDS = 300.0
MAX_BODY_BYTES = 1 << 30

CAPABILITIES = {
    "reduction": "sum",
    "mean_over": "step",
    "clip": True,
    "dual_clip": True,
    "forward": True,
    "gradient_norm_clip": True,
    "adam": "all",
}
"""What the client's configuration must agree with."""

Handler = Callable[[Request], Awaitable[Response]]


@dataclass
class Readiness:
    """Set once the engine has compiled and run something."""

    ready: bool = False
    problem: str | None = None


def failure(error: Exception) -> Response:
    if isinstance(error, EngineError):
        return JSONResponse({"detail": str(error)}, error.status)
    log.error("internal error", exc_info=error)
    return JSONResponse({"detail": f"internal error: {type(error).__name__}: {error}"}, 500)


def pending(request_id: str, **facts: object) -> Response:
    return JSONResponse({"request_id": request_id, "future_id": request_id, "status": "pending", **facts})


async def protobuf_body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != PROTOBUF:
        raise EngineError(f"forward_backward takes {PROTOBUF}, not {kind or 'a body without a content type'}", 415)
    body = await request.body()
    if request.headers.get("content-encoding", "").strip().lower() != "zstd":
        return body
    try:
        return zstandard.ZstdDecompressor().decompress(body, max_output_size=MAX_BODY_BYTES)
    except zstandard.ZstdError as error:
        raise EngineError(f"the body is not zstd: {error}", 422) from error


def create_app(engine: Engine, readiness: Readiness) -> Starlette:
    """All routes. Everything but `healthz` answers 503 until the engine is ready."""

    def guarded(handler: Handler) -> Handler:
        async def handle(request: Request) -> Response:
            try:
                if not readiness.ready:
                    raise EngineError(readiness.problem or "the engine is still starting", 503)
                return await handler(request)
            except Exception as error:
                return failure(error)

        return handle

    async def healthz(_: Request) -> Response:
        if readiness.ready:
            return JSONResponse({"status": "ok"})
        return JSONResponse({"detail": readiness.problem or "the engine is still starting"}, 503)

    async def create_session(request: Request) -> Response:
        bodies.parse(bodies.CreateSession, await request.body())
        return JSONResponse({"type": "create_session", "session_id": engine.create_session()})

    async def heartbeat(request: Request) -> Response:
        engine.touch(bodies.parse(bodies.Session, await request.body()).session_id)
        return JSONResponse({"type": "session_heartbeat"})

    async def create_model(request: Request) -> Response:
        body = bodies.parse(bodies.CreateModel, await request.body())
        await asyncio.to_thread(engine.store.base, body.base_model)
        model_id, request_id = engine.create_model(body)
        return pending(request_id, model_id=model_id, base_model=body.base_model)

    async def forward_backward(request: Request) -> Response:
        return pending(engine.forward_backward(await protobuf_body(request)))

    async def optim_step(request: Request) -> Response:
        return pending(engine.optim_step(bodies.parse(bodies.OptimStep, await request.body())))

    async def save_weights(request: Request) -> Response:
        return pending(engine.save_weights(bodies.parse(bodies.SaveWeights, await request.body())))

    async def save_for_sampler(request: Request) -> Response:
        return pending(engine.publish(bodies.parse(bodies.SaveWeights, await request.body())))

    async def load_weights(request: Request) -> Response:
        return pending(engine.load_weights(bodies.parse(bodies.LoadWeights, await request.body())))

    async def sample(request: Request) -> Response:
        body = bodies.parse(bodies.Sample, await request.body())
        if not engine.in_memory(body):
            await asyncio.to_thread(engine.weights_for, body)
        return pending(engine.sample(body))

    async def unload_model(request: Request) -> Response:
        body = bodies.parse(bodies.Model, await request.body())
        return pending(engine.unload(body.model_id), model_id=body.model_id)

    async def get_info(request: Request) -> Response:
        entry = engine.model(bodies.parse(bodies.Model, await request.body()).model_id)
        data = {"base_model": entry.base_model, "model_name": entry.base_model, "lora_config": {"rank": entry.rank}}
        return JSONResponse({"model_id": entry.model_id, "status": "created", "model_data": data})

    async def capabilities(_: Request) -> Response:
        names = engine.store.base_names()
        return JSONResponse({"supported_models": [{"model_name": name} for name in names], "training": CAPABILITIES})

    async def checkpoints(request: Request) -> Response:
        return JSONResponse({"checkpoints": engine.checkpoints_of(request.path_params["model_id"])})

    async def delete_checkpoint(request: Request) -> Response:
        engine.delete_checkpoint(*(request.path_params[key] for key in ("model_id", "kind", "name")))
        return Response(status_code=204)

    async def report(_: Request) -> Response:
        return JSONResponse(await asyncio.to_thread(engine_report, engine))

    async def retrieve_future(request: Request) -> Response:
        body = bodies.parse(bodies.RetrieveFuture, await request.body())
        result = await engine.futures.wait(body.request_id, POLL_SECONDS)
        return Response(result, media_type=PROTOBUF) if isinstance(result, bytes) else JSONResponse(result)

    posts: dict[str, Handler] = {
        "create_session": create_session,
        "session_heartbeat": heartbeat,
        "create_model": create_model,
        "forward_backward": forward_backward,
        "optim_step": optim_step,
        "save_weights": save_weights,
        "save_weights_for_sampler": save_for_sampler,
        "load_weights": load_weights,
        "asample": sample,
        "unload_model": unload_model,
        "get_info": get_info,
        "retrieve_future": retrieve_future,
    }
    gets: dict[str, Handler] = {"get_server_capabilities": capabilities, "engine": report}
    routes = [Route(f"/api/v1/{name}", guarded(handler), methods=["POST"]) for name, handler in posts.items()]
    routes += [Route(f"/api/v1/{name}", guarded(handler), methods=["GET"]) for name, handler in gets.items()]
    saved = "/api/v1/training_runs/{model_id}/checkpoints"
    routes.append(Route(saved, guarded(checkpoints), methods=["GET"]))
    routes.append(Route(f"{saved}/{{kind}}/{{name}}", guarded(delete_checkpoint), methods=["DELETE"]))
    routes.append(Route("/api/v1/healthz", healthz, methods=["GET"]))

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        reaper = asyncio.create_task(reap(engine))
        yield
        reaper.cancel()
        engine.close()

    return Starlette(routes=routes, lifespan=lifespan)


async def reap(engine: Engine) -> None:
    """Ends sessions whose client has gone."""
    while True:
        await asyncio.sleep(10)
        engine.end_silent_sessions()
