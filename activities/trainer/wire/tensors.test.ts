import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DType } from './gen/wire_pb.ts';
import {
  float32Bytes,
  int32Bytes,
  int64Bytes,
  readFloat32,
  readFloats,
  readInt32,
  readInt64,
} from './tensors.ts';

test('arrays come back as they were sent, whatever their offset in a larger buffer', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true })), fc.array(fc.integer()), (floats, integers) => {
      const padded = Float32Array.of(0, ...floats).subarray(1);
      expect([...readFloat32(float32Bytes(padded), 'x')]).toEqual([...padded]);
      expect([...readInt32(int32Bytes(Int32Array.from(integers)), 'x')]).toEqual(integers);
      expect(readInt64(int64Bytes(integers), 'x')).toEqual(integers);
      const shifted = new Uint8Array([7, ...float32Bytes(padded)]).subarray(1);
      expect([...readFloat32(shifted, 'x')]).toEqual([...padded]);
    }),
  );
});

test('bytes are little-endian', () => {
  expect([...int32Bytes(Int32Array.of(1))]).toEqual([1, 0, 0, 0]);
  expect([...int64Bytes([258])]).toEqual([2, 1, 0, 0, 0, 0, 0, 0]);
  expect([...float32Bytes(Float32Array.of(1))]).toEqual([0, 0, 128, 63]);
});

test('bfloat16 is the upper half of a float32', () => {
  const bytes = Uint8Array.of(128, 63, 0, 192);
  expect([...readFloats(bytes, DType.DTYPE_BFLOAT16, 'x')]).toEqual([1, -2]);
});

test('what cannot be read is BadReply and names the field', () => {
  const message = expect.stringContaining('log-probs: 5 bytes') as string;
  expect(() => readFloat32(new Uint8Array(5), 'log-probs')).toThrow(
    expect.objectContaining({ type: 'BadReply', message }) as Error,
  );
  expect(() => readFloats(new Uint8Array(4), DType.DTYPE_INT32, 'x')).toThrow(/not float32/);
});
