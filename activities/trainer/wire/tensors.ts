import { WideseekError } from '../../../domain/errors.ts';
import { DType } from './gen/wire_pb.ts';

/** Typed arrays have the machine's byte order, the wire is little-endian: on such a machine bytes are only copied. */
const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Little-endian float32 bytes. */
export function float32Bytes(values: Float32Array): Uint8Array {
  if (LITTLE) return new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();
  return written(values.length, 4, (view, at, i) => view.setFloat32(at, values[i] ?? 0, true));
}

/** Little-endian int32 bytes. */
export function int32Bytes(values: Int32Array): Uint8Array {
  if (LITTLE) return new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();
  return written(values.length, 4, (view, at, i) => view.setInt32(at, values[i] ?? 0, true));
}

/** Little-endian int64 bytes of whole numbers. */
export const int64Bytes = (values: ArrayLike<number>): Uint8Array =>
  written(values.length, 8, (view, at, i) => view.setBigInt64(at, BigInt(values[i] ?? 0), true));

/** Reads int32 bytes. Throws `BadReply` if they are no whole number of values; `what` names the field. */
export function readInt32(bytes: Uint8Array, what: string): Int32Array {
  const view = viewOf(bytes, 4, what);
  return Int32Array.from({ length: bytes.byteLength / 4 }, (_, i) => view.getInt32(i * 4, true));
}

/** Reads float32 bytes. Throws `BadReply` if they are no whole number of values; `what` names the field. */
export function readFloat32(bytes: Uint8Array, what: string): Float32Array {
  if (LITTLE && bytes.byteLength % 4 === 0) return new Float32Array(bytes.slice().buffer);
  const view = viewOf(bytes, 4, what);
  return Float32Array.from({ length: bytes.byteLength / 4 }, (_, i) => view.getFloat32(i * 4, true));
}

/** Reads int64 bytes as numbers. Throws `BadReply` if they are no whole number of values; `what` names the field. */
export function readInt64(bytes: Uint8Array, what: string): number[] {
  const view = viewOf(bytes, 8, what);
  return Array.from({ length: bytes.byteLength / 8 }, (_, i) => Number(view.getBigInt64(i * 8, true)));
}

/** Reads the values of a tensor of floating-point numbers; bfloat16 is the upper half of a float32. */
export function readFloats(bytes: Uint8Array, dtype: DType, what: string): Float32Array {
  if (dtype === DType.DTYPE_FLOAT32) return readFloat32(bytes, what);
  if (dtype !== DType.DTYPE_BFLOAT16) throw badReply(`${what}: its numbers have type ${dtype}, not float32`);
  const view = viewOf(bytes, 2, what);
  const wide = new DataView(new ArrayBuffer(4));
  return Float32Array.from({ length: bytes.byteLength / 2 }, (_, i) => {
    wide.setUint16(0, view.getUint16(i * 2, true), false);
    return wide.getFloat32(0, false);
  });
}

/** Bytes of one value of a type of floating-point numbers. */
export const floatWidth = (dtype: DType): number => (dtype === DType.DTYPE_BFLOAT16 ? 2 : 4);

function viewOf(bytes: Uint8Array, width: number, what: string): DataView {
  if (bytes.byteLength % width !== 0)
    throw badReply(`${what}: ${bytes.byteLength} bytes are no whole number of ${width}-byte values`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function written(
  length: number,
  width: number,
  write: (view: DataView, at: number, i: number) => void,
): Uint8Array {
  const bytes = new Uint8Array(length * width);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < length; i += 1) write(view, i * width, i);
  return bytes;
}

const badReply = (message: string): WideseekError => new WideseekError('BadReply', message);
