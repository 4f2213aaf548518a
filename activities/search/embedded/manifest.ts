import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import type { IndexManifest } from '../index-port.ts';

const manifestSchema = z.object({
  format: z.literal(1),
  generation: z.string().regex(/^[0-9a-f]+$/),
  encoder: z.string(),
  dimensions: z.int().min(0),
  vectors: z.enum(['all', 'latin']).default('all'),
  passages: z.int().min(0),
  pages: z.int().min(0),
});

const pointer = (dir: string): string => path.join(dir, 'current.json');

/** Folder of one generation's tables. */
export const generationDir = (dir: string, generation: string): string => path.join(dir, `g-${generation}`);

/** The index in use in `dir`; undefined where none was built. Throws `ConfigError` for a pointer it cannot read. */
export const readManifest = async (dir: string): Promise<IndexManifest | undefined> => {
  const text = await readFile(pointer(dir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new WideseekError(
      'ConfigError',
      `${pointer(dir)} is not an index pointer that this version reads`,
      {
        hint: 'Build the index again.',
        cause,
      },
    );
  }
};

/** Changes whenever the pointer was switched. */
export const manifestStamp = async (dir: string): Promise<string> =>
  stat(pointer(dir)).then(
    ({ ino, mtimeMs }) => `${ino}:${mtimeMs}`,
    () => '',
  );

/** Atomic: a reader sees the old pointer or the new one. */
export const writeManifest = async (dir: string, manifest: IndexManifest): Promise<void> => {
  await mkdir(dir, { recursive: true });
  const next = `${pointer(dir)}.${process.pid}.next`;
  await writeFile(next, JSON.stringify({ format: 1, ...manifest }, null, 2));
  await rename(next, pointer(dir));
};
