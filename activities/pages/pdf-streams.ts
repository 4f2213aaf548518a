import { inflateSync } from 'node:zlib';

/**
 * Whether all deflated streams of a PDF stay within `maxBytes` together once inflated. The PDF library inflates a
 * stream as a whole, so a bomb must be found before it is handed over. Streams inflated twice count both times.
 */
export function inflatesWithin(bytes: Uint8Array, maxBytes: number): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = maxBytes;
  let from = 0;
  for (;;) {
    const start = file.indexOf('stream', from);
    if (start < 0) return true;
    from = start + 6;
    if (file.subarray(start - 3, start).toString('latin1') === 'end') continue;
    const data = start + 6 + (file[start + 6] === 0x0d ? 2 : 1);
    const end = file.indexOf('endstream', data);
    const before = file.subarray(Math.max(0, start - 600), start).toString('latin1');
    const dictionary = before.slice(before.lastIndexOf('obj') + 1);
    if (!/\/Fl(ateDecode)?\b/.test(dictionary) || /\/Image\b/.test(dictionary)) continue;
    const rounds = Math.min(4, dictionary.match(/\/Fl(ateDecode)?\b/g)?.length ?? 1);
    let content: Buffer = file.subarray(data, end < 0 ? file.length : end);
    for (let round = 0; round < rounds; round++) {
      const inflated = inflate(content, left);
      if (inflated === 'too_large') return false;
      content = inflated;
      left -= content.length;
    }
    from = end < 0 ? file.length : end;
  }
}

/** Broken streams count as empty: the library copes with them, and they cannot grow. */
function inflate(content: Buffer, left: number): Buffer | 'too_large' {
  try {
    return inflateSync(content, { maxOutputLength: Math.max(1, left), finishFlush: 2 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : Buffer.alloc(0);
  }
}
