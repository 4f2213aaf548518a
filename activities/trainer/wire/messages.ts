import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Datum } from '../../../domain/rl/datum.ts';
import { WideseekError } from '../../../domain/errors.ts';
import type { ForwardBackward, Sampled } from '../port.ts';
import {
  type BatchedTensor,
  DType,
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  SampleResponseSchema,
  StopReason,
  type TensorSchema,
} from './gen/wire_pb.ts';
import { float32Bytes, floatWidth, int32Bytes, int64Bytes, readFloat32, readFloats } from './tensors.ts';
import { readInt32, readInt64 } from './tensors.ts';

/** What a call of forward_backward returned, as it came: lengths and values are not checked yet. */
export interface PassOutput {
  logprobs: Float32Array[];
  /** Weighted loss per position, where the engine sends it. */
  elementwiseLoss: Float32Array[] | undefined;
  metrics: Record<string, number>;
}

/** What sampling returned, as it came. */
export interface SampleOutput {
  sequences: Sampled[];
  promptLogprobs: Float32Array | undefined;
}

/** Bytes of a forward_backward request. cross_entropy takes targets and weights; the policy losses take all arrays. */
export function encodePass(
  modelId: string,
  seqId: number,
  call: ForwardBackward,
  forwardOnly: boolean,
): Uint8Array {
  return toBinary(
    ForwardBackwardRequestSchema,
    create(ForwardBackwardRequestSchema, {
      modelId,
      seqId,
      lossFn: call.lossFn,
      lossFnConfig: { ...call.lossFnConfig },
      forwardOnly,
      data: call.data.map((datum) => ({
        modelInput: [
          { chunk: { case: 'encodedText' as const, value: { tokens: int32Bytes(datum.tokens) } } },
        ],
        lossFnInputs: inputs(datum, call.lossFn),
      })),
    }),
  );
}

type TensorInit = MessageInitShape<typeof TensorSchema>;

function inputs(datum: Datum, lossFn: ForwardBackward['lossFn']): Record<string, TensorInit> {
  const supervised = { target_tokens: longs(datum.targets), weights: floats(datum.weights) };
  if (lossFn === 'cross_entropy') return supervised;
  return { ...supervised, logprobs: floats(datum.logprobs), advantages: floats(datum.advantages) };
}

const floats = (values: Float32Array): TensorInit => ({
  encoding: { case: 'dense', value: float32Bytes(values) },
  dtype: DType.DTYPE_FLOAT32,
  shape: [BigInt(values.length)],
});

const longs = (values: Int32Array): TensorInit => ({
  encoding: { case: 'dense', value: int64Bytes(values) },
  dtype: DType.DTYPE_INT64,
  shape: [BigInt(values.length)],
});

/** Reads the reply of forward and forward_backward. Throws `BadReply` where it is not one. */
export function decodePass(bytes: Uint8Array): PassOutput {
  const output = parsed('forward_backward', () => fromBinary(ForwardBackwardOutputSchema, bytes));
  const field = (name: string): Float32Array[] | undefined => {
    const tensors = output.lossFnOutputs.map(({ fields }) => fields[name]);
    const present = tensors.filter((tensor) => tensor !== undefined);
    return present.length === 0 ? undefined : present.flatMap((tensor) => split(tensor, name));
  };
  return {
    logprobs: field('logprobs') ?? [],
    elementwiseLoss: field('elementwise_loss'),
    metrics: output.metrics,
  };
}

/** The datums of one batched tensor. Offsets are bytes. */
function split(tensor: BatchedTensor, name: string): Float32Array[] {
  const offsets = readInt64(tensor.offsets, `${name} offsets`);
  const width = floatWidth(tensor.dtype);
  return offsets.slice(1).map((end, i) => {
    const start = offsets[i] ?? 0;
    if (start < 0 || end < start || end > tensor.data.byteLength || start % width !== 0)
      throw new WideseekError(
        'BadReply',
        `${name} of datum ${i}: bytes ${start} to ${end} of ${tensor.data.byteLength}`,
      );
    return readFloats(tensor.data.subarray(start, end), tensor.dtype, `${name} of datum ${i}`);
  });
}

/** Reads the reply of sampling. Throws `BadReply` where it is not one or has no log-probs. */
export function decodeSample(bytes: Uint8Array): SampleOutput {
  const output = parsed('asample', () => fromBinary(SampleResponseSchema, bytes));
  return {
    sequences: output.sequences.map((sequence) => {
      if (sequence.logprobs === undefined)
        throw new WideseekError('BadReply', 'asample: the reply has no log-probs');
      return {
        tokens: readInt32(sequence.tokens, 'asample tokens'),
        logprobs: readFloat32(sequence.logprobs, 'asample log-probs'),
        stopReason: sequence.stopReason === StopReason.STOP ? ('stop' as const) : ('length' as const),
      };
    }),
    promptLogprobs:
      output.promptLogprobs === undefined
        ? undefined
        : readFloat32(output.promptLogprobs, 'asample prompt log-probs'),
  };
}

function parsed<T>(call: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new WideseekError('BadReply', `${call}: the reply is no protobuf of the wire: ${said}`);
  }
}
