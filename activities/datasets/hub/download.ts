import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../../domain/errors.ts';
import { toWideseekError } from '../../provider-errors.ts';
import type { Hub, HubFile } from './client.ts';

export interface DownloadOptions {
  signal: AbortSignal;
  /** Bytes of this file that are there. */
  onProgress?: (bytes: number) => void;
  /** Tries in one call; a try that brought bytes does not count. Default 4. */
  tries?: number;
  /** Milliseconds before try `n`, from 1. */
  backoffMs?: (n: number) => number;
  /** Milliseconds without a byte after which a try is given up. Default 60 s. */
  stallMs?: number;
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/**
 * Brings one file to `target`. What arrives is kept in `<target>.<checksum>.part`, so that a later call goes on where this
 * one was cut; only content with the right checksum gets the file's name. Returns whether anything had to be fetched.
 * Throws `BadReply` for a wrong checksum (the part is removed), `StorageFull`, and what the hub throws.
 */
export async function downloadFile(
  hub: Hub,
  file: HubFile,
  revision: string,
  target: string,
  options: DownloadOptions,
): Promise<'fetched' | 'present'> {
  if ((await sizeOf(target)) === file.size && (await matches(target, file))) return 'present';
  const part = `${target}.${file.checksum.hex.slice(0, 12)}.part`;
  await mkdir(dirname(target), { recursive: true });
  await fillPart(hub, file, revision, part, options);
  if (!(await matches(part, file))) {
    await rm(part, { force: true });
    throw new WideseekError('BadReply', `${file.path}: the checksum is wrong, the download was thrown away`, {
      hint: 'Pull again; if it stays wrong, the server or a proxy on the way changes the file',
    });
  }
  await rename(part, target);
  return 'fetched';
}

async function fillPart(
  hub: Hub,
  file: HubFile,
  revision: string,
  part: string,
  options: DownloadOptions,
): Promise<void> {
  const { signal, tries = 4, backoffMs = (n) => 1_000 * 2 ** (n - 1) } = options;
  let failures = 0;
  for (;;) {
    const before = await sizeOf(part);
    if (before >= file.size && before > 0) return;
    try {
      await append(hub, file, revision, part, before, options);
      if ((await sizeOf(part)) >= file.size) return;
      throw new WideseekError('Overloaded', `${file.path}: the connection ended early`);
    } catch (error) {
      signal.throwIfAborted();
      const failure = asFailure(error, file.path);
      failures = (await sizeOf(part)) > before ? 1 : failures + 1;
      if (!failure.retryable || failure.type === 'StorageFull' || failures >= tries) throw failure;
      await sleep(failure.details.retryAfterMs ?? backoffMs(failures), undefined, { signal });
    }
  }
}

/** One request, written behind what is already there. */
async function append(
  hub: Hub,
  file: HubFile,
  revision: string,
  part: string,
  from: number,
  { signal, onProgress, stallMs = 60_000 }: DownloadOptions,
): Promise<void> {
  const stalled = new AbortController();
  const inner = AbortSignal.any([signal, stalled.signal]);
  const giveUp = (): void =>
    stalled.abort(new WideseekError('Timeout', `${file.path}: no byte for ${stallMs} ms`));
  let timer = setTimeout(giveUp, stallMs);
  try {
    const response = await hub.open(file.path, revision, from, inner);
    if (response.status === 416) {
      // What we have is longer than the file: it belongs to something else.
      await rm(part, { force: true });
      throw new WideseekError('Overloaded', `${file.path}: the part did not fit and was dropped`);
    }
    const start = response.status === 206 ? from : 0;
    const output = await open(part, start > 0 ? 'a' : 'w');
    try {
      let bytes = start;
      for await (const piece of response.body ?? []) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, stallMs);
        await output.write(piece as Uint8Array);
        bytes += (piece as Uint8Array).byteLength;
        onProgress?.(bytes);
      }
    } finally {
      await output.close();
    }
  } catch (error) {
    throw stalled.signal.aborted ? stalled.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

function asFailure(error: unknown, path: string): WideseekError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new WideseekError('StorageFull', `${path}: the disk is full`, {
      hint: 'Free space and pull again; it goes on where it was',
    });
  return toWideseekError(error, path);
}

async function matches(path: string, { checksum, size }: HubFile): Promise<boolean> {
  const hash = createHash(checksum.algorithm === 'sha256' ? 'sha256' : 'sha1');
  if (checksum.algorithm === 'git-sha1') hash.update(`blob ${size}\0`);
  if (size > 0 || (await sizeOf(path)) > 0)
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex') === checksum.hex;
}
