import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Index } from '@lancedb/lancedb';
import { WideseekError } from '../../../domain/errors.ts';
import { canonicalUrl } from '../canonical-url.ts';
import { checkpointSchema } from '../index-port.ts';
import type { IndexTarget } from '../index-port.ts';
import { searchTerms } from '../terms.ts';
import { generationDir, readManifest, writeManifest } from './manifest.ts';
import { createTables } from './tables.ts';
import type { IndexTables } from './tables.ts';

/** Below this many passages a full scan is as fast as a graph, and exact. */
export const GRAPH_FROM_PASSAGES = 10_000;

/** A question mostly names its subject, and so does the title of the page about it. */
const TITLE_WEIGHT = 4;

/** Stemming is English; other languages' words pass through it unharmed or nearly so. */
const FULL_TEXT = {
  baseTokenizer: 'simple',
  language: 'English',
  lowercase: true,
  stem: true,
  asciiFolding: true,
  removeStopWords: false,
  withPosition: false,
} as const;

/** A full disk is a matter for an operator, and worth a retry afterwards; anything else is passed on as it is. */
const explain = (cause: unknown): unknown =>
  /no space left|ENOSPC|disk full/i.test(String(cause))
    ? new WideseekError('StorageFull', 'the index cannot be written: the disk is full', { cause })
    : cause;

/** Keeps the newest two: somebody may still read the one that was just replaced. */
const removeOldGenerations = async (dir: string, keep: string): Promise<void> => {
  const names = (await readdir(dir)).filter((name) => name.startsWith('g-') && name !== `g-${keep}`);
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(path.join(dir, name))).mtimeMs })),
  );
  for (const { name } of aged.sort((a, b) => b.at - a.at).slice(1))
    await rm(path.join(dir, name), { recursive: true, force: true });
};

/**
 * An index in files under `dir`: LanceDB tables with vectors, full text and whole pages. One process builds at a
 * time; any number may search. Parameters of the graph are those measured at 100k x 384 (recall@10 1.000).
 */
export const createEmbeddedIndex = (dir: string): IndexTarget => {
  let open: IndexTables | undefined;
  let vectorSize = 0;
  let building = '';
  const checkpointFile = (generation: string): string =>
    path.join(generationDir(dir, generation), 'checkpoint.json');
  const tables = (): IndexTables => {
    if (!open) throw new WideseekError('Internal', 'the index was written to before it was prepared');
    return open;
  };
  const attempt = <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      throw explain(cause);
    });

  return {
    current: () => readManifest(dir),
    prepare: async (generation, dimensions) => {
      vectorSize = dimensions;
      building = generation;
      open = await attempt(createTables(generationDir(dir, generation), dimensions));
    },
    rewind: async (checkpoint) => {
      const { passages, pages } = tables();
      // Not `at least`: two builds at the same time would leave rows twice.
      if ((await passages.countRows(`id < ${checkpoint.nextId}`)) !== checkpoint.passages) return false;
      if ((await pages.countRows(`id < ${checkpoint.pages}`)) !== checkpoint.pages) return false;
      await attempt(passages.delete(`id >= ${checkpoint.nextId}`));
      await attempt(pages.delete(`id >= ${checkpoint.pages}`));
      return true;
    },
    write: async (passages, vectors) => {
      const rows = passages.map(({ id, url, title, text }, row) => ({
        id,
        url,
        title,
        text,
        terms: searchTerms([...Array<string>(TITLE_WEIGHT).fill(title), text].join('\n')),
        ...(vectorSize > 0 ? { vector: vectors[row] ?? null } : {}),
      }));
      if (rows.length > 0) await attempt(tables().passages.add(rows));
    },
    writePages: async (pages, firstId) => {
      const rows = pages.map(({ url, title, text }, row) => ({
        id: firstId + row,
        key: canonicalUrl(url),
        url,
        title,
        text,
      }));
      if (rows.length > 0) await attempt(tables().pages.add(rows));
    },
    save: async (checkpoint) => {
      const file = checkpointFile(checkpoint.generation);
      await attempt(writeFile(`${file}.next`, JSON.stringify(checkpoint)));
      await rename(`${file}.next`, file);
    },
    saved: async () => {
      const text = await readFile(checkpointFile(building), 'utf8').catch(() => 'null');
      return checkpointSchema.safeParse(JSON.parse(text)).data;
    },
    finish: async () => {
      const { passages, pages } = tables();
      const rows = await passages.countRows();
      if (rows > 0) {
        await attempt(passages.optimize());
        await attempt(passages.createIndex('terms', { config: Index.fts(FULL_TEXT) }));
        if (vectorSize > 0 && rows >= GRAPH_FROM_PASSAGES)
          await attempt(
            passages.createIndex('vector', {
              config: Index.hnswSq({ distanceType: 'cosine', numPartitions: 1, m: 20, efConstruction: 300 }),
            }),
          );
      }
      if ((await pages.countRows()) > 0) {
        await attempt(pages.optimize());
        await attempt(pages.createIndex('key', { config: Index.btree() }));
      }
    },
    count: async () => ({
      passages: await tables().passages.countRows(),
      pages: await tables().pages.countRows(),
    }),
    publish: async (manifest) => {
      await attempt(writeManifest(dir, manifest));
      await removeOldGenerations(dir, manifest.generation);
    },
  };
};
