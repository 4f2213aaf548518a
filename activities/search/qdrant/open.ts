import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import type { Encoder, Hit, SearchProvider } from '../port.ts';
import { connectQdrant, pageId, pagesOf } from './client.ts';
import type { QdrantOptions } from './client.ts';

export interface QdrantSearchOptions extends QdrantOptions {
  encoder: Encoder;
  /** Candidates that the graph search keeps (spec 2.5: 256). */
  hnswEf?: number;
}

/** Payloads of other builders have at least these (spec 2.4). */
const payloadSchema = z.looseObject({
  contents: z.string(),
  url: z.string().default(''),
  title: z.string().default(''),
});

const read = (payload: unknown, collection: string) => {
  const parsed = payloadSchema.safeParse(payload);
  if (parsed.success) return parsed.data;
  throw new WideseekError('BadReply', `qdrant: a record of ${collection} has no text under \`contents\``);
};

const vectorSize = (vectors: unknown): number | undefined =>
  z.object({ size: z.number() }).safeParse(vectors).data?.size;

/**
 * Searches a Qdrant collection by meaning: one made by this project or any with the payload of spec 2.4. Pages
 * come from the collection's companion; where there is none, every page is `unreadable: 'no_pages'`.
 * Throws `NotFound` without the collection and `ConfigError` where its vectors have another size than the encoder's.
 */
export const openQdrantSearch = async (options: QdrantSearchOptions): Promise<SearchProvider> => {
  const { collection, encoder, hnswEf = 256 } = options;
  const { client, call } = connectQdrant(options);
  const exists = async (name: string): Promise<boolean> =>
    (await call(() => client.collectionExists(name))).exists;

  if (!(await exists(collection)))
    throw new WideseekError('NotFound', `qdrant: there is no collection ${collection}`, {
      hint: 'Build it with `wideseek index` or restore its snapshot.',
    });
  const { config } = await call(() => client.getCollection(collection));
  const size = vectorSize(config.params.vectors);
  if (size !== encoder.dimensions)
    throw new WideseekError(
      'ConfigError',
      `qdrant: ${collection} has vectors of size ${size}, the encoder ${encoder.name} of ${encoder.dimensions}`,
      { hint: 'Open it with the encoder that it was built with.' },
    );
  const hasPages = await exists(pagesOf(collection));

  return {
    name: 'qdrant',
    search: async (query, topK, signal) => {
      signal.throwIfAborted();
      if (query.trim() === '' || topK < 1) return [];
      const [vector] = await encoder.embed([query.trim()], 'query');
      const { points } = await call(
        () =>
          client.query(collection, {
            query: [...(vector ?? [])],
            limit: topK,
            params: { hnsw_ef: hnswEf },
            with_payload: true,
          }),
        signal,
      );
      return points.map(({ payload, score }): Hit => {
        const { url, title, contents } = read(payload, collection);
        return { url, title, text: contents, score };
      });
    },
    access: async (url, signal) => {
      if (!hasPages) return { url, unreadable: 'no_pages' };
      const [point] = await call(() => client.retrieve(pagesOf(collection), { ids: [pageId(url)] }), signal);
      if (!point) return { url, unreadable: 'not_found' };
      const page = read(point.payload, pagesOf(collection));
      return { url: page.url, title: page.title, text: page.contents };
    },
  };
};
