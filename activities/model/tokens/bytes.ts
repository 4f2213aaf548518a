import { WideseekError } from '../../../domain/errors.ts';
import type { StoredTokens } from './document.ts';

/** What a turn's blob holds: the prompt's new ids, the reply's ids, one log-prob per reply id. */
export interface TurnArrays {
  added: Int32Array;
  response: Int32Array;
  logprobs: Float32Array;
}

/** Four bytes a number, little-endian as all machines we run on, one array after another. */
export function packTurn({ added, response, logprobs }: TurnArrays): Uint8Array {
  const bytes = new Uint8Array(4 * (added.length + response.length + logprobs.length));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of [added, response, logprobs]) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

/** Reads what `packTurn` wrote. Throws `Internal` for a blob of another length than the document says. */
export function unpackTurn(bytes: Uint8Array, stored: StoredTokens): TurnArrays {
  const { added, responseTokens: length } = stored;
  if (bytes.byteLength !== 4 * (added + 2 * length))
    throw new WideseekError(
      'Internal',
      `blob ${stored.ref}: ${bytes.byteLength} bytes, not those of ${added} and ${length} tokens`,
    );
  // A copy: what a database returns need not lie on a multiple of four.
  const { buffer } = new Uint8Array(bytes);
  return {
    added: new Int32Array(buffer, 0, added),
    response: new Int32Array(buffer, 4 * added, length),
    logprobs: new Float32Array(buffer, 4 * (added + length), length),
  };
}

/** Versions run by run, `[tokens, version]`. */
export function packVersions(versions: Int32Array): [number, number][] {
  const runs: [number, number][] = [];
  for (const version of versions) {
    const last = runs.at(-1);
    if (last?.[1] === version) last[0] += 1;
    else runs.push([1, version]);
  }
  return runs;
}

/** One version per token again. */
export const unpackVersions = (runs: readonly (readonly [number, number])[]): Int32Array =>
  Int32Array.from(runs.flatMap(([length, version]) => Array.from({ length }, () => version)));
