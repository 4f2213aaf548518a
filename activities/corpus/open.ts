import { join } from 'node:path';
import type { CorpusConfig } from '../../configs/corpus-schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import { openEmbeddedSearch } from '../search/embedded/open.ts';
import { createMemorySearch, type MemoryPassage } from '../search/memory.ts';
import type { EncoderPreset } from '../search/encoder/open.ts';
import type { Encoder, Page, SearchProvider } from '../search/port.ts';
import { openQdrantSearch } from '../search/qdrant/open.ts';

import { openSource } from './source.ts';

export interface OpenCorpusOptions {
  /** Folder of built indexes. */
  indexDir: string;
  /** The encoder that a corpus was built with. */
  encoderFor: (preset: EncoderPreset) => Promise<Encoder>;
  env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths of sources start; only a corpus in memory reads them here. Default: the working directory. */
  dataDir?: string;
}

/**
 * Opens the index of a corpus where its configuration says that it is: files under `indexDir`, Qdrant, or memory.
 * Throws `NotFound` with a hint where it is not built, `InvalidInput` where Qdrant has no address.
 */
export async function openCorpus(corpus: CorpusConfig, options: OpenCorpusOptions): Promise<SearchProvider> {
  if (corpus.store.kind === 'memory') return openInMemory(corpus, options.dataDir ?? '.');
  const encoder = await options.encoderFor(corpus.encoder);
  if (corpus.store.kind === 'embedded') {
    return openEmbeddedSearch({ dir: join(options.indexDir, corpus.name), encoder });
  }
  const { collection, hnswEf } = corpus.store;
  const url = corpus.store.url ?? options.env.QDRANT_URL;
  if (!url) throw invalidInput('QDRANT_URL', 'is not set', `The corpus ${corpus.name} is in Qdrant`);
  return openQdrantSearch({ url, collection, hnswEf, encoder, apiKey: options.env.QDRANT_API_KEY });
}

async function openInMemory(corpus: CorpusConfig, dataDir: string): Promise<SearchProvider> {
  const passages: MemoryPassage[] = [];
  const pages: Page[] = [];
  for (const source of corpus.sources)
    for await (const record of openSource(source, corpus, dataDir).read(0)) {
      passages.push(...record.passages);
      if (record.page) pages.push(record.page);
    }
  return createMemorySearch(corpus.name, passages, pages);
}
