import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { invalidInput, WideseekError } from '../../../domain/errors.ts';
import { CATALOGUE, type HubSource } from '../catalogue.ts';
import { dataFolder } from '../folder.ts';
import { openHub } from './client.ts';
import { type DownloadOptions, downloadFile } from './download.ts';

const pinSchema = z.object({
  /** Data set on the hub and the commit that the files are of. */
  id: z.string(),
  revision: z.string(),
  licence: z.string(),
  files: z.array(z.object({ path: z.string(), size: z.number(), checksum: z.string() })),
});
export type Pin = z.infer<typeof pinSchema>;

export interface PullProgress {
  path: string;
  /** 1-based number of the file, and how many there are. */
  file: number;
  files: number;
  bytes: number;
  size: number;
}

export interface Pulled {
  folder: string;
  pin: Pin;
  fetched: number;
  present: number;
}

const PIN_FILE = '.hub.json';

/**
 * Brings a data set of the catalogue from the hub into the data folder. The commit is pinned in `.hub.json` by the first
 * pull; later ones bring that commit, unless `revision` names another. Safe to call again at any time: it goes on where
 * it was. Throws `InvalidInput` for a name without a source, and what the hub and the disk throw.
 */
export async function pullDataset(
  name: string,
  options: Omit<DownloadOptions, 'onProgress'> & {
    env: NodeJS.ProcessEnv;
    revision?: string;
    onProgress?: (progress: PullProgress) => void;
  },
): Promise<Pulled> {
  const entry = CATALOGUE.get(name.toLowerCase());
  const source = entry?.hub;
  if (!entry || !source) throw invalidInput('NAME', `"${name}" is no data set that can be pulled`, known());
  const folder = join(dataFolder(options.env), entry.folder);
  await mkdir(folder, { recursive: true });
  const hub = openHub({ id: source.id, env: options.env });
  const revision = await hub.resolve(options.revision ?? (await readPin(folder, source))?.revision ?? 'main');
  const files = (await hub.files(revision)).filter(({ path }) => source.include.test(path));
  if (files.length === 0) {
    throw new WideseekError('NotFound', `${source.id} at ${revision} has none of the expected files`, {
      hint: 'It may have been rearranged; pull an earlier one with --revision',
    });
  }
  const counts = { fetched: 0, present: 0 };
  for (const [index, file] of files.entries()) {
    const where = { path: file.path, file: index + 1, files: files.length, size: file.size };
    const target = join(folder, ...safeParts(file.path));
    const done = await downloadFile(hub, file, revision, target, {
      ...options,
      onProgress: (bytes) => options.onProgress?.({ ...where, bytes }),
    });
    counts[done] += 1;
  }
  const pin: Pin = {
    id: source.id,
    revision,
    licence: source.licence,
    files: files.map(({ path, size, checksum }) => ({
      path,
      size,
      checksum: `${checksum.algorithm}:${checksum.hex}`,
    })),
  };
  await writeFile(join(folder, `${PIN_FILE}.new`), `${JSON.stringify(pin, null, 2)}\n`);
  await rename(join(folder, `${PIN_FILE}.new`), join(folder, PIN_FILE));
  return { folder, pin, ...counts };
}

const known = (): string =>
  `Known: ${[...CATALOGUE.values()].flatMap(({ name, hub }) => (hub ? [name] : [])).join(', ')}`;

/** The list comes from a server: a path must not leave the folder. */
function safeParts(path: string): string[] {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    throw new WideseekError('BadReply', `the hub names an impossible file ${JSON.stringify(path)}`);
  return parts;
}

async function readPin(folder: string, source: HubSource): Promise<Pin | null> {
  const text = await readFile(join(folder, PIN_FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    const pin = pinSchema.parse(JSON.parse(text));
    return pin.id === source.id ? pin : null;
  } catch {
    throw new WideseekError('InvalidInput', `${join(folder, PIN_FILE)}: cannot be read`, {
      hint: 'Remove it to pull the newest revision',
    });
  }
}
