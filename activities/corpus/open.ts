import { join } from 'node:path';
import type { CorpusConfig } from '../../configs/corpus-schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import { openEmbeddedSearch } from '../search/embedded/open.ts';
import type { EncoderPreset } from '../search/encoder/open.ts';
import type { Encoder, SearchProvider } from '../search/port.ts';
import { openQdrantSearch } from '../search/qdrant/open.ts';

export interface OpenCorpusOptions {
  /** Folder of built indexes. */
  indexDir: string;
  /** The encoder that a corpus was built with. */
  encoderFor: (preset: EncoderPreset) => Promise<Encoder>;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens the index of a corpus where its configuration says that it is: files under `indexDir`, or Qdrant.
 * Throws `NotFound` with a hint where it is not built, `InvalidInput` where Qdrant has no address.
 */
export async function openCorpus(corpus: CorpusConfig, options: OpenCorpusOptions): Promise<SearchProvider> {
  const encoder = await options.encoderFor(corpus.encoder);
  if (corpus.store.kind === 'embedded') {
    return openEmbeddedSearch({ dir: join(options.indexDir, corpus.name), encoder });
  }
  const { collection, hnswEf } = corpus.store;
  const url = corpus.store.url ?? options.env.QDRANT_URL;
  if (!url) throw invalidInput('QDRANT_URL', 'is not set', `The corpus ${corpus.name} is in Qdrant`);
  return openQdrantSearch({ url, collection, hnswEf, encoder, apiKey: options.env.QDRANT_API_KEY });
}
