"""The protobuf half of the wire: bytes to validated requests, results to bytes."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from google.protobuf.message import DecodeError

from . import wire_pb2 as pb
from .config import ModelConfig
from .errors import EngineError
from .losses import CLIP_KEYS, DEFAULT_CLIP, LOSSES
from .requests import Datum, LossCall, Reply
from .trainer import CallResult

DTYPES = {pb.DTYPE_FLOAT32: np.dtype("<f4"), pb.DTYPE_INT64: np.dtype("<i8"), pb.DTYPE_INT32: np.dtype("<i4")}
NEEDED = {"cross_entropy": ("weights",), "importance_sampling": ("logprobs", "advantages"), "ppo": ("logprobs", "advantages")}


def bad(detail: str) -> EngineError:
    return EngineError(detail, 422)


def parse_request(body: bytes) -> pb.ForwardBackwardRequest:
    message = pb.ForwardBackwardRequest()
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        raise bad(f"the body is not a ForwardBackwardRequest: {error}") from error
    return message


def parse_call(message: pb.ForwardBackwardRequest, config: ModelConfig) -> LossCall:
    """Throws `EngineError` (422) for anything that would have to be guessed or padded."""
    if message.loss_fn not in LOSSES:
        raise bad(f"loss_fn is {message.loss_fn!r}, not one of {', '.join(LOSSES)}")
    if not message.data:
        raise bad("data is empty")
    clip = parse_clip(message.loss_fn, dict(message.loss_fn_config))
    data = tuple(
        parse_datum(datum, f"data[{index}]", message.loss_fn, message.forward_only, config)
        for index, datum in enumerate(message.data)
    )
    return LossCall(message.loss_fn, clip, data, message.forward_only)


def parse_clip(loss: str, given: Mapping[str, float]) -> tuple[float, float, float]:
    allowed = CLIP_KEYS if loss == "ppo" else ()
    for key, value in given.items():
        if key not in allowed:
            raise bad(f"loss_fn_config.{key} is unknown to {loss}; known: {', '.join(allowed) or 'none'}")
        if not np.isfinite(value):
            raise bad(f"loss_fn_config.{key} is {value}, not a finite number")
    low, high, dual = ({**DEFAULT_CLIP, **given}[key] for key in CLIP_KEYS)
    if not 0 <= low <= 1 <= high:
        raise bad(f"clip thresholds {low} and {high} are bounds of the ratio itself: 0 ≤ low ≤ 1 ≤ high")
    if dual != 0 and dual <= 1:
        raise bad(f"loss_fn_config.dual_clip is {dual}: it must be above 1, or 0 for none")
    return low, high, dual


def parse_datum(datum: pb.Datum, where: str, loss: str, forward_only: bool, config: ModelConfig) -> Datum:
    tokens = text_tokens(datum.model_input, where)
    if not len(tokens):
        raise bad(f"{where}.model_input is empty")
    if len(tokens) > config.max_position_embeddings:
        raise bad(f"{where}.model_input has {len(tokens)} tokens, the model holds {config.max_position_embeddings}")
    arrays = {name: tensor(value, f"{where}.loss_fn_inputs.{name}") for name, value in datum.loss_fn_inputs.items()}
    for name in ("target_tokens", *(() if forward_only else NEEDED[loss])):
        if name not in arrays:
            raise bad(f"{where}.loss_fn_inputs.{name} is missing")
    for name, values in arrays.items():
        if len(values) != len(tokens):
            raise bad(f"{where}.loss_fn_inputs.{name} has {len(values)} entries for {len(tokens)} tokens")
        if not np.all(np.isfinite(values)):
            raise bad(f"{where}.loss_fn_inputs.{name}[{np.flatnonzero(~np.isfinite(values))[0]}] is not finite")
    targets = arrays["target_tokens"]
    if targets.dtype.kind != "i":
        raise bad(f"{where}.loss_fn_inputs.target_tokens must be int64")
    for name, ids in (("model_input", tokens), ("loss_fn_inputs.target_tokens", targets)):
        if ids.min() < 0 or ids.max() >= config.vocab_size:
            raise bad(f"{where}.{name}: token ids must be from 0 to {config.vocab_size - 1}")

    def floats(name: str, missing: float) -> np.ndarray:
        values = arrays.get(name)
        return np.full(len(tokens), missing, np.float32) if values is None else values.astype(np.float32)

    return Datum(
        tokens, targets.astype(np.int32), floats("weights", 1), floats("logprobs", 0), floats("advantages", 0)
    )


def text_tokens(chunks: Sequence[pb.Chunk], where: str) -> np.ndarray:
    parts = []
    for index, chunk in enumerate(chunks):
        if chunk.WhichOneof("chunk") != "encoded_text":
            raise bad(f"{where}.model_input[{index}] is not encoded_text")
        parts.append(array(chunk.encoded_text.tokens, np.dtype("<i4"), f"{where}.model_input[{index}].tokens"))
    return np.concatenate(parts) if parts else np.zeros(0, np.int32)


def tensor(message: pb.Tensor, where: str) -> np.ndarray:
    dtype = DTYPES.get(message.dtype)
    if dtype is None or message.WhichOneof("encoding") != "dense":
        raise bad(f"{where} is not a dense tensor of float32, int64 or int32")
    if len(message.shape) > 1:
        raise bad(f"{where} has {len(message.shape)} dimensions, not one")
    return array(message.dense, dtype, where)


def array(data: bytes, dtype: np.dtype, where: str) -> np.ndarray:
    if len(data) % dtype.itemsize:
        raise bad(f"{where} has {len(data)} bytes, not a multiple of {dtype.itemsize}")
    return np.frombuffer(data, dtype)


def call_digest(call: LossCall) -> str:
    """The same call has the same digest however its bytes were packed: for retries under one sequence number."""
    digest = hashlib.sha256(repr((call.loss, call.clip, call.forward_only, len(call.data))).encode())
    for datum in call.data:
        digest.update(len(datum.tokens).to_bytes(8, "little"))
        for values in (datum.tokens, datum.targets, datum.weights, datum.logprobs, datum.advantages):
            digest.update(values.tobytes())
    return digest.hexdigest()


def batched(arrays: Sequence[np.ndarray]) -> pb.BatchedTensor:
    offsets = np.zeros(len(arrays) + 1, "<i8")
    np.cumsum([4 * len(values) for values in arrays], out=offsets[1:])
    data = b"".join(values.astype("<f4").tobytes() for values in arrays)
    return pb.BatchedTensor(data=data, offsets=offsets.tobytes(), dtype=pb.DTYPE_FLOAT32)


def encode_call(result: CallResult) -> bytes:
    """`logprobs`, `elementwise_loss` (weight · loss) per datum and the metric `loss:sum`."""
    message = pb.ForwardBackwardOutput(loss_fn_output_type="scalar")
    message.metrics["loss:sum"] = result.total
    record = message.loss_fn_outputs.add(num_datums=len(result.logprobs))
    record.fields["logprobs"].CopyFrom(batched(result.logprobs))
    record.fields["elementwise_loss"].CopyFrom(batched(result.losses))
    return message.SerializeToString()


def encode_replies(replies: Sequence[Reply], prompt: np.ndarray | None) -> bytes:
    message = pb.SampleResponse()
    for reply in replies:
        message.sequences.add(
            stop_reason=pb.STOP_REASON_STOP if reply.stopped else pb.STOP_REASON_LENGTH,
            tokens=reply.tokens.astype("<i4").tobytes(),
            logprobs=reply.logprobs.astype("<f4").tobytes(),
        )
    if prompt is not None:
        message.prompt_logprobs = prompt.astype("<f4").tobytes()
    return message.SerializeToString()
