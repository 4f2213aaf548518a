import { createHash } from 'node:crypto';
import type { CorpusConfig } from '../../configs/corpus-schema.ts';
import type { Encoder } from '../search/port.ts';

/** Raised when the layout of stored indexes changes, so that old ones are rebuilt. */
const LAYOUT = 2;

/**
 * Names an index by everything that decides what is in it: the content of the sources, the encoder and the
 * parameters. Where the files lie, the batch size and where the index is stored do not matter.
 */
export const generationOf = (
  config: CorpusConfig,
  fingerprints: readonly string[],
  encoder: Pick<Encoder, 'name' | 'dimensions'>,
): string => {
  const sources = config.sources.map((source, index) => [
    source.kind,
    fingerprints[index],
    source.kind === 'pages' && source.searchable,
  ]);
  const graph = config.store.kind === 'qdrant' ? [config.store.m, config.store.efConstruct] : [];
  const identity = [
    LAYOUT,
    sources,
    encoder.name,
    encoder.dimensions,
    config.chunkWords,
    config.embedWords,
    config.vectors,
    graph,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
};
