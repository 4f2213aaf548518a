"""A minimal client of the wire for tests and measurements; standard library and protobuf alone."""

import http.client
import json
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from wideseek_engine import wire_pb2 as pb


class Refused(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail


class Client:
    """One connection per thread."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.local = threading.local()

    def raw(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes, str]:
        for attempt in (0, 1):
            if not hasattr(self.local, "connection"):
                self.local.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=320)
            try:
                self.local.connection.request(method, f"/api/v1/{path}", body, headers)
                response = self.local.connection.getresponse()
                return response.status, response.read(), response.headers.get("content-type", "")
            except (http.client.HTTPException, OSError):
                del self.local.connection
                if attempt:
                    raise
        raise AssertionError

    def call(self, path: str, body: Any = None, content_type: str = "application/json", **headers: str) -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, reply, kind = self.raw("POST", path, data, {"content-type": content_type, **headers})
        if status >= 400:
            raise Refused(status, json.loads(reply)["detail"])
        return reply if kind.startswith("application/x-protobuf") else json.loads(reply)

    def get(self, path: str) -> Any:
        status, reply, _ = self.raw("GET", path, None, {})
        if status >= 400:
            raise Refused(status, json.loads(reply)["detail"])
        return json.loads(reply)

    def delete(self, path: str) -> None:
        status, reply, _ = self.raw("DELETE", path, None, {})
        if status >= 400:
            raise Refused(status, json.loads(reply)["detail"])

    def wait(self, pending: dict[str, Any]) -> Any:
        return self.call("retrieve_future", {"request_id": pending["request_id"]})

    def create(self, base: str, rank: int = 0, seed: int = 0) -> str:
        session = self.call("create_session", {"tags": [], "sdk_version": "test"})["session_id"]
        body = {"session_id": session, "base_model": base, "lora_config": {"rank": rank, "seed": seed}}
        pending = self.call("create_model", body)
        self.wait(pending)
        return pending["model_id"]

    def post_batch(self, message: pb.ForwardBackwardRequest) -> dict[str, Any]:
        return self.call("forward_backward", message.SerializeToString(), "application/x-protobuf")

    def train(self, message: pb.ForwardBackwardRequest) -> tuple[list[np.ndarray], float]:
        """Log-probs per datum and the summed loss."""
        output = pb.ForwardBackwardOutput.FromString(self.wait(self.post_batch(message)))
        record = output.loss_fn_outputs[0]
        field = record.fields["logprobs"]
        offsets = np.frombuffer(field.offsets, "<i8") // 4
        values = np.frombuffer(field.data, "<f4")
        assert record.num_datums == len(offsets) - 1
        return [values[a:b] for a, b in zip(offsets[:-1], offsets[1:])], output.metrics["loss:sum"]

    def step(self, model: str, seq: int, rate: float = 1e-3, **adam: float) -> dict[str, float]:
        params = {"learning_rate": rate, "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "weight_decay": 0.0, **adam}
        return self.wait(self.call("optim_step", {"model_id": model, "seq_id": seq, "adam_params": params}))["metrics"]

    def save(self, model: str, name: str) -> str:
        return self.wait(self.call("save_weights", {"model_id": model, "path": name}))["path"]

    def load(self, model: str, path: str) -> None:
        self.wait(self.call("load_weights", {"model_id": model, "path": path, "optimizer": True}))

    def publish(self, model: str, name: str) -> str:
        return self.wait(self.call("save_weights_for_sampler", {"model_id": model, "path": name}))["path"]

    def sample(
        self, prompt: Sequence[int], path: str | None = None, base: str | None = None, samples: int = 1, **params: Any
    ) -> pb.SampleResponse:
        body = {
            "prompt": {"chunks": [{"type": "encoded_text", "tokens": [int(token) for token in prompt]}]},
            "num_samples": samples,
            "prompt_logprobs": params.pop("prompt_logprobs", False),
            "sampling_params": {"max_tokens": 16, "temperature": 1.0, "top_k": -1, "top_p": 1.0, **params},
        }
        body.update({"model_path": path} if base is None else {"base_model": base})
        return pb.SampleResponse.FromString(self.wait(self.call("asample", body)))


def batch(
    model: str,
    seq: int,
    rows: Sequence[dict[str, Any]],
    loss: str = "cross_entropy",
    forward_only: bool = False,
    **config: float,
) -> pb.ForwardBackwardRequest:
    """Rows have `tokens`, `target_tokens` and whatever float inputs the loss takes."""
    message = pb.ForwardBackwardRequest(model_id=model, seq_id=seq, loss_fn=loss, forward_only=forward_only)
    message.loss_fn_config.update(config)
    for row in rows:
        datum = message.data.add()
        datum.model_input.add().encoded_text.tokens = np.asarray(row["tokens"], "<i4").tobytes()
        for name, values in row.items():
            if name == "tokens":
                continue
            integer = name == "target_tokens"
            tensor = datum.loss_fn_inputs[name]
            tensor.dense = np.asarray(values, "<i8" if integer else "<f4").tobytes()
            tensor.dtype = pb.DTYPE_INT64 if integer else pb.DTYPE_FLOAT32
    return message


def sequence(tokens: Sequence[int], weights: Sequence[float] | None = None) -> dict[str, Any]:
    """A cross-entropy datum of a whole sequence, shifted."""
    length = len(tokens) - 1
    return {"tokens": tokens[:-1], "target_tokens": tokens[1:], "weights": [1.0] * length if weights is None else weights}
