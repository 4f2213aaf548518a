import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../../domain/errors.ts';
import { checkpointSchema } from '../index-port.ts';
import type { IndexTarget } from '../index-port.ts';
import { connectQdrant, pageId, pagesOf } from './client.ts';
import type { QdrantOptions } from './client.ts';

export interface QdrantTargetOptions extends QdrantOptions {
  /** Spec 2.7: 32 and 512. */
  m: number;
  efConstruct: number;
  /** How long the server may take to build its graph after the last batch. */
  indexingDeadlineMs?: number;
}

const POLL_MS = 2_000;
const INDEXING_DEADLINE_MS = 12 * 3_600_000;
/** The point of the pages' collection that keeps the checkpoint. */
const STATE_ID = '00000000-0000-0000-0000-000000000000';

/**
 * An index on a Qdrant server: a collection per generation with whole records as payload, and an alias that
 * readers use. Upserts wait, so a batch that returned is stored.
 */
export const createQdrantIndex = (options: QdrantTargetOptions): IndexTarget => {
  const { collection, m, efConstruct, indexingDeadlineMs = INDEXING_DEADLINE_MS } = options;
  const { client, call } = connectQdrant(options);
  let name = '';
  let size = 0;
  const nameOf = (generation: string): string => `${collection}_${generation}`;
  const isGeneration = new RegExp(`^${collection}_[0-9a-f]+(_pages)?$`);

  const aliasTarget = async (): Promise<string | undefined> => {
    const { aliases } = await call(() => client.getAliases());
    return aliases.find(({ alias_name }) => alias_name === collection)?.collection_name;
  };
  const collections = async (): Promise<string[]> =>
    (await call(() => client.getCollections())).collections.map((each) => each.name);
  const create = async (): Promise<void> => {
    const existing = await collections();
    if (existing.includes(collection))
      throw new WideseekError('ConfigError', `qdrant: ${collection} is a collection, not an alias`, {
        hint: 'Search it as it is, or give the corpus another collection name to build its own.',
      });
    if (!existing.includes(name))
      await call(() =>
        client.createCollection(name, {
          vectors: { size, distance: 'Cosine' },
          hnsw_config: { m, ef_construct: efConstruct },
        }),
      );
    if (!existing.includes(pagesOf(name)))
      await call(() => client.createCollection(pagesOf(name), { vectors: {} }));
  };
  const countOf = async (which: string): Promise<number> =>
    (await call(() => client.count(which, { exact: true }))).count;
  const state = async () => {
    const [point] = await call(() => client.retrieve(pagesOf(name), { ids: [STATE_ID] }));
    return checkpointSchema.safeParse(point?.payload).data;
  };
  const count = async () => ({
    passages: await countOf(name),
    pages: (await countOf(pagesOf(name))) - ((await state()) ? 1 : 0),
  });

  return {
    current: async () => {
      const target = await aliasTarget();
      return target === undefined ? undefined : { generation: target.slice(collection.length + 1) };
    },
    prepare: async (generation, dimensions) => {
      if (dimensions === 0)
        throw new WideseekError('ConfigError', 'a Qdrant index needs an encoder', {
          hint: 'Use the embedded store to search by words only.',
        });
      name = nameOf(generation);
      size = dimensions;
      await create();
    },
    rewind: async (checkpoint) => {
      if (checkpoint.nextId > 0) return (await countOf(name)) >= checkpoint.passages;
      // The same records under the same ids would only be overwritten, but what is there may be of a broken build.
      await call(() => client.deleteCollection(name));
      await call(() => client.deleteCollection(pagesOf(name)));
      await create();
      return true;
    },
    write: async (passages, vectors) => {
      if (passages.length === 0) return;
      const points = passages.map(({ id, title, record }, row) => ({
        id,
        vector: [...(vectors[row] ?? [])],
        payload: { title, ...record },
      }));
      await call(() => client.upsert(name, { wait: true, points }));
    },
    writePages: async (pages) => {
      if (pages.length === 0) return;
      const points = pages.map(({ url, title, text }) => ({
        id: pageId(url),
        vector: {},
        payload: { url, title, contents: text },
      }));
      await call(() => client.upsert(pagesOf(name), { wait: true, points }));
    },
    save: async (checkpoint) => {
      const points = [{ id: STATE_ID, vector: {}, payload: checkpoint }];
      await call(() => client.upsert(pagesOf(name), { wait: true, points }));
    },
    saved: state,
    finish: async (signal) => {
      const deadline = Date.now() + indexingDeadlineMs;
      for (;;) {
        const { status } = await call(() => client.getCollection(name), signal);
        if (status === 'green') return;
        if (status === 'red')
          throw new WideseekError('Overloaded', `qdrant: the collection ${name} reports an error`);
        if (Date.now() > deadline)
          throw new WideseekError('Timeout', `qdrant: ${name} was not indexed within the deadline`);
        await sleep(POLL_MS, undefined, { signal });
      }
    },
    count,
    publish: async () => {
      const before = await aliasTarget();
      const drop = [collection, pagesOf(collection)].map((alias_name) => ({ delete_alias: { alias_name } }));
      const add = [
        { create_alias: { alias_name: collection, collection_name: name } },
        { create_alias: { alias_name: pagesOf(collection), collection_name: pagesOf(name) } },
      ];
      // One request: readers see the old pair or the new one.
      await call(() => client.updateCollectionAliases({ actions: [...(before ? drop : []), ...add] }));
      const keep = new Set([name, before].flatMap((each) => (each ? [each, pagesOf(each)] : [])));
      for (const old of await collections())
        if (isGeneration.test(old) && !keep.has(old)) await call(() => client.deleteCollection(old));
    },
  };
};
