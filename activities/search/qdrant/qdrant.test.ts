import { randomBytes } from 'node:crypto';
import { QdrantClient } from '@qdrant/js-client-rest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeProvider } from '../provider-contract.fake.ts';
import { createWordEncoder } from '../word-encoder.fake.ts';
import { openQdrantSearch } from './open.ts';
import { startFakeQdrant } from './server.fake.ts';
import { createQdrantIndex } from './target.ts';

const graph = { m: 32, efConstruct: 512 };
const signal = new AbortController().signal;
let fake: Awaited<ReturnType<typeof startFakeQdrant>>;
beforeAll(async () => {
  fake = await startFakeQdrant();
});
afterAll(() => fake.stop());

const backendAt = (url: () => string) => async () => {
  const collection = `wideseek_${randomBytes(4).toString('hex')}x`;
  return {
    createTarget: async () => createQdrantIndex({ url: url(), collection, ...graph }),
    open: (
      encoder: ReturnType<typeof createWordEncoder> | Parameters<typeof openQdrantSearch>[0]['encoder'],
    ) => openQdrantSearch({ url: url(), collection, encoder }),
  };
};

describeProvider(
  'qdrant client against an in-memory server',
  backendAt(() => fake.url),
);

const realUrl = process.env.QDRANT_URL ?? '';
describe.skipIf(realUrl === '')('with a real server (set QDRANT_URL)', () => {
  afterAll(async () => {
    const client = new QdrantClient({ url: realUrl, checkCompatibility: false });
    const { collections } = await client.getCollections();
    for (const { name } of collections)
      if (/^wideseek_[0-9a-f]{8}x_/.test(name)) await client.deleteCollection(name);
  });
  describeProvider(
    'qdrant',
    backendAt(() => realUrl),
  );
});

describe('qdrant', () => {
  it('creates the collection of the specification', async () => {
    const target = createQdrantIndex({ url: fake.url, collection: 'wiki', ...graph });
    await target.prepare('ab', 768);
    expect(fake.collections.get('wiki_ab')?.config).toMatchObject({
      vectors: { size: 768, distance: 'Cosine' },
      hnsw_config: { m: 32, ef_construct: 512 },
    });
    await expect(target.prepare('ab', 0)).rejects.toMatchObject({ type: 'ConfigError' });
  });

  it('waits for green, and gives up on red and at the deadline', async () => {
    const target = createQdrantIndex({ url: fake.url, collection: 'slow', ...graph, indexingDeadlineMs: -1 });
    await target.prepare('ab', 4);
    fake.statuses.push('red');
    await expect(target.finish(signal)).rejects.toMatchObject({ type: 'Overloaded' });
    fake.statuses.push('yellow');
    await expect(target.finish(signal)).rejects.toMatchObject({ type: 'Timeout' });
    await target.finish(signal);
  });

  it('searches a collection of somebody else, and says that it has no pages', async () => {
    const encoder = createWordEncoder();
    const [vector] = await encoder.embed(['old record'], 'passage');
    fake.collections.set('prebuilt', {
      config: { vectors: { size: 64, distance: 'Cosine' } },
      points: new Map([
        [0, { id: 0, vector: [...(vector ?? [])], payload: { id: 'x', contents: 'old record', url: 'u' } }],
      ]),
    });
    const search = await openQdrantSearch({ url: fake.url, collection: 'prebuilt', encoder });
    expect(await search.search('record', 3, signal)).toMatchObject([
      { text: 'old record', url: 'u', title: '' },
    ]);
    expect(await search.access('u', signal)).toEqual({ url: 'u', unreadable: 'no_pages' });
    const target = createQdrantIndex({ url: fake.url, collection: 'prebuilt', ...graph });
    await expect(target.prepare('ab', 64)).rejects.toThrow(/is a collection, not an alias/);
  });

  it('tells a server that is away from one without the collection', async () => {
    const gone = openQdrantSearch({
      url: 'http://127.0.0.1:1',
      collection: 'c',
      encoder: createWordEncoder(),
    });
    await expect(gone).rejects.toMatchObject({ type: 'Overloaded', retryable: true });
  });
});
