import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import type { UnreadableReason } from './reasons.ts';

/** Servers that stack encodings are broken or hostile. */
const MAX_ENCODINGS = 2;

/**
 * The whole body after decompression, or why it cannot be had. Stops reading as soon as the bytes received or
 * the bytes after decompression pass `maxBytes`, so memory stays near `maxBytes` whatever the server sends. With
 * `truncate` the first `maxBytes` are returned instead. Throws the signal's reason and what the socket throws.
 */
export async function readBody(
  body: Readable,
  encoding: string,
  { maxBytes, truncate = false }: { maxBytes: number; truncate?: boolean },
): Promise<Buffer | UnreadableReason> {
  const names = encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) return discard(body, 'unsupported_encoding');
  let received = 0;
  let overRaw = false;
  let stream: Readable = body;
  const raw = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      received += (chunk as Buffer).length;
      yield chunk as Buffer;
      if (received > maxBytes) {
        overRaw = true;
        return;
      }
    }
  };
  if (names.length > 0) stream = Readable.from(raw(), { objectMode: false });
  for (const name of names.reverse()) {
    const decoder = await decoderOf(name, stream);
    if (!decoder) return discard(body, 'unsupported_encoding');
    const source = stream;
    source.once('error', (error) => decoder.destroy(error));
    decoder.once('close', () => source.destroy());
    stream = source.pipe(decoder);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > maxBytes || overRaw) return truncate ? cut(chunks, maxBytes) : 'too_large';
    }
  } catch (error) {
    if (overRaw) return truncate ? cut(chunks, maxBytes) : 'too_large';
    if (isZlib(error)) return 'unsupported_encoding';
    throw error;
  } finally {
    stream.destroy();
    body.on('error', () => undefined).destroy();
  }
  return Buffer.concat(chunks);
}

const cut = (chunks: Buffer[], maxBytes: number): Buffer => Buffer.concat(chunks).subarray(0, maxBytes);

function discard(body: Readable, reason: UnreadableReason): UnreadableReason {
  body.on('error', () => undefined).destroy();
  return reason;
}

const isZlib = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(Z_|ERR__?(ERROR|BROTLI)|ERR_BROTLI)/.test(error.code);

/** The decoder of one encoding; undefined for an encoding that we did not ask for. */
async function decoderOf(name: string, stream: Readable): Promise<Transform | undefined> {
  if (name === 'gzip' || name === 'x-gzip') return createGunzip();
  if (name === 'br') return createBrotliDecompress();
  if (name !== 'deflate') return undefined;
  // `deflate` means zlib, but some servers send it raw; the first byte of zlib has the method in its low half.
  await new Promise<void>((resolve) => {
    stream
      .once('readable', resolve)
      .once('end', resolve)
      .once('error', () => resolve());
  });
  const first = stream.read() as Buffer | null;
  if (first) stream.unshift(first);
  return first && ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
}
