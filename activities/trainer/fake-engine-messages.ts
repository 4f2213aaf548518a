import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Datum } from '../../domain/rl/datum.ts';
import type { ForwardBackward, Sampled } from './port.ts';
import {
  type Datum as WireDatum,
  DType,
  ForwardBackwardOutputSchema,
  ForwardBackwardRequestSchema,
  SampleResponseSchema,
  StopReason,
} from './wire/gen/wire_pb.ts';
import { float32Bytes, int32Bytes, int64Bytes, readFloat32, readInt32, readInt64 } from './wire/tensors.ts';

export interface PassRequest {
  modelId: string;
  seqId: number;
  forwardOnly: boolean;
  call: ForwardBackward;
}

const LOSSES = ['cross_entropy', 'importance_sampling', 'ppo'] as const;

/**
 * The server's side of a forward_backward request. As real engines do it, arrays that are too short are padded with
 * zeros and missing weights are 1. Throws an Error for what they refuse.
 */
export function decodePassRequest(body: Uint8Array): PassRequest {
  const request = fromBinary(ForwardBackwardRequestSchema, body);
  const lossFn = LOSSES.find((name) => name === request.lossFn);
  if (lossFn === undefined) throw new Error(`unknown loss function ${request.lossFn}`);
  return {
    modelId: request.modelId,
    seqId: request.seqId,
    forwardOnly: request.forwardOnly,
    call: { lossFn, lossFnConfig: request.lossFnConfig, data: request.data.map(datumOf) },
  };
}

function datumOf(datum: WireDatum): Datum {
  const tokens = datum.modelInput.flatMap(({ chunk }) => {
    if (chunk.case !== 'encodedText') throw new Error('only chunks of text are served');
    return Array.from(readInt32(chunk.value.tokens, 'tokens'));
  });
  const length = tokens.length;
  const bytes = (name: string): Uint8Array | undefined => {
    const tensor = datum.lossFnInputs[name];
    return tensor?.encoding.case === 'dense' ? tensor.encoding.value : undefined;
  };
  const floats = (name: string, missing: number): Float32Array => {
    const found = bytes(name);
    const result = new Float32Array(length).fill(found === undefined ? missing : 0);
    if (found !== undefined) result.set(readFloat32(found, name).subarray(0, length));
    return result;
  };
  const targets = bytes('target_tokens');
  if (targets === undefined) throw new Error('target_tokens are missing');
  const ids = readInt64(targets, 'target_tokens');
  return {
    tokens: Int32Array.from(tokens),
    targets: Int32Array.from({ length }, (_, i) => ids[i] ?? 0),
    weights: floats('weights', 1),
    logprobs: floats('logprobs', 0),
    advantages: floats('advantages', 0),
  };
}

/** Bytes of a pass's reply: one record with the arrays of all datums laid end to end. */
export function encodePassReply(
  output: { logprobs: Float32Array[]; losses: Float32Array[] },
  metrics: Record<string, number>,
): Uint8Array {
  const batched = (arrays: Float32Array[]) => {
    const offsets = [0];
    for (const array of arrays) offsets.push((offsets.at(-1) ?? 0) + array.byteLength);
    const data = new Uint8Array(offsets.at(-1) ?? 0);
    arrays.forEach((array, i) => data.set(float32Bytes(array), offsets[i] ?? 0));
    return { data, offsets: int64Bytes(offsets), dtype: DType.DTYPE_FLOAT32, trailingShape: [] };
  };
  return toBinary(
    ForwardBackwardOutputSchema,
    create(ForwardBackwardOutputSchema, {
      lossFnOutputType: 'scalar',
      lossFnOutputs: [
        {
          numDatums: BigInt(output.logprobs.length),
          fields: { logprobs: batched(output.logprobs), elementwise_loss: batched(output.losses) },
        },
      ],
      metrics,
    }),
  );
}

/** Bytes of a sample's reply. */
export function encodeSampleReply(sampled: Sampled, promptLogprobs: Float32Array | undefined): Uint8Array {
  return toBinary(
    SampleResponseSchema,
    create(SampleResponseSchema, {
      sequences: [
        {
          stopReason: sampled.stopReason === 'stop' ? StopReason.STOP : StopReason.LENGTH,
          tokens: int32Bytes(sampled.tokens),
          logprobs: float32Bytes(sampled.logprobs),
        },
      ],
      ...(promptLogprobs !== undefined && { promptLogprobs: float32Bytes(promptLogprobs) }),
    }),
  );
}
