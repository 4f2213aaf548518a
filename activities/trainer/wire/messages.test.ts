import { create, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { decodePassRequest, encodePassReply, encodeSampleReply } from '../fake-engine-messages.ts';
import { ForwardBackwardOutputSchema, SampleResponseSchema } from './gen/wire_pb.ts';
import { decodePass, decodeSample, encodePass } from './messages.ts';

const data = [
  {
    tokens: Int32Array.of(1, 2),
    targets: Int32Array.of(2, 3),
    weights: Float32Array.of(0, 1),
    logprobs: Float32Array.of(0, -0.5),
    advantages: Float32Array.of(0, 2),
  },
];

test('a pass arrives at the server as it was sent', () => {
  const call = { lossFn: 'ppo' as const, lossFnConfig: { clip_low_threshold: 0.8 }, data };
  expect(decodePassRequest(encodePass('m', 4, call, true))).toEqual({
    modelId: 'm',
    seqId: 4,
    forwardOnly: true,
    call,
  });
});

test('the bytes are fields in the order of their numbers, tensors with their type and shape', () => {
  // model_id "m", seq_id 1, one datum of one token 5, target 6, weight 1; written field by field.
  const call = {
    lossFn: 'cross_entropy' as const,
    lossFnConfig: {},
    data: [
      {
        tokens: Int32Array.of(5),
        targets: Int32Array.of(6),
        weights: Float32Array.of(1),
        logprobs: Float32Array.of(0),
        advantages: Float32Array.of(0),
      },
    ],
  };
  const text = (value: string): number[] => [value.length, ...Buffer.from(value)];
  const chunk = [0x0a, 8, 0x0a, 6, 0x0a, 4, 5, 0, 0, 0];
  const targets = [0x0a, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0x18, 2, 0x22, 1, 1];
  const weights = [0x0a, 4, 0, 0, 128, 63, 0x18, 1, 0x22, 1, 1];
  const entry = (name: string, tensor: number[]): number[] => {
    const body = [0x0a, ...text(name), 0x12, tensor.length, ...tensor];
    return [0x12, body.length, ...body];
  };
  const datum = [...chunk, ...entry('target_tokens', targets), ...entry('weights', weights)];
  expect([...encodePass('m', 1, call, false)]).toEqual([
    ...[0x0a, ...text('m'), 0x10, 1, 0x1a, datum.length, ...datum, 0x22, ...text('cross_entropy')],
  ]);
});

test('a reply in several records is one list of datums', () => {
  const record = (values: number[][]) =>
    encodePassReply({ logprobs: values.map((v) => Float32Array.from(v)), losses: [] }, { 'loss:sum': 3 });
  expect(decodePass(record([[1, 2], [], [3]]))).toEqual({
    logprobs: [Float32Array.of(1, 2), new Float32Array(), Float32Array.of(3)],
    elementwiseLoss: [],
    metrics: { 'loss:sum': 3 },
  });
  // Protobuf messages laid end to end are one message with all the records.
  const both = new Uint8Array([...record([[1]]), ...record([[2, 3]])]);
  expect(decodePass(both).logprobs).toEqual([Float32Array.of(1), Float32Array.of(2, 3)]);
});

test('offsets that leave the data are BadReply', () => {
  const bytes = toBinary(
    ForwardBackwardOutputSchema,
    create(ForwardBackwardOutputSchema, {
      lossFnOutputs: [
        { fields: { logprobs: { data: new Uint8Array(4), offsets: new Uint8Array(16).fill(9), dtype: 1 } } },
      ],
    }),
  );
  expect(() => decodePass(bytes)).toThrow(/log-?probs of datum 0: bytes/);
});

test('a sample without log-probs, and bytes that are no protobuf, are BadReply', () => {
  const bare = create(SampleResponseSchema, { sequences: [{ tokens: new Uint8Array(4) }] });
  expect(() => decodeSample(toBinary(SampleResponseSchema, bare))).toThrow(/no log-probs/);
  expect(() => decodePass(Uint8Array.of(255, 255, 255))).toThrow(/no protobuf of the wire/);
  const sampled = {
    tokens: Int32Array.of(4),
    logprobs: Float32Array.of(-1),
    stopReason: 'stop' as const,
  };
  expect(decodeSample(encodeSampleReply(sampled, Float32Array.of(-2)))).toEqual({
    sequences: [sampled],
    promptLogprobs: Float32Array.of(-2),
  });
});
