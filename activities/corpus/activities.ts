import path from 'node:path';
import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { loadCorpus, parseCorpus } from '../../configs/corpus-schema.ts';
import type { CorpusConfig } from '../../configs/corpus-schema.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { withTypedFailures } from '../failures.ts';
import { createEmbeddedIndex } from '../search/embedded/target.ts';
import { checkpointSchema } from '../search/index-port.ts';
import type { IndexTarget } from '../search/index-port.ts';
import type { Encoder } from '../search/port.ts';
import { createQdrantIndex } from '../search/qdrant/target.ts';
import { buildIndex } from './build.ts';
import type { BuildProgress, BuildResult } from './build.ts';
import { estimateIndex, measureRate } from './estimate.ts';
import type { IndexEstimate } from './estimate.ts';

export interface CorpusDeps {
  /** Folder of built indexes; each corpus has a folder of its name in it. */
  indexDir: string;
  /** Where relative paths of sources start. */
  dataDir: string;
  encoder: (preset: CorpusConfig['encoder']) => Promise<Encoder>;
  qdrant?: { url?: string; apiKey?: string };
}

/** What a person types: a name or path of a configuration, or the corpus itself. */
export const indexInputSchema = z.union([
  z.strictObject({ config: z.string().min(1) }),
  z.strictObject({ corpus: z.record(z.string(), z.unknown()) }),
]);
export type IndexInput = z.input<typeof indexInputSchema>;

/** Heartbeat details of a build: enough to show it and to go on. */
const detailsSchema = z.object({ checkpoint: checkpointSchema });

/** The store that a corpus is built in. Throws `ConfigError` for Qdrant without an address. */
export const targetOf = (
  config: CorpusConfig,
  deps: Pick<CorpusDeps, 'indexDir' | 'qdrant'>,
): IndexTarget => {
  const { store } = config;
  if (store.kind === 'memory')
    throw new WideseekError(
      'ConfigError',
      `corpus ${config.name} is kept in memory: there is no index to build`,
      {
        hint: 'Search it as it is.',
      },
    );
  if (store.kind === 'embedded') return createEmbeddedIndex(path.join(deps.indexDir, config.name));
  const url = store.url ?? deps.qdrant?.url;
  if (!url)
    throw new WideseekError('ConfigError', 'store.url: no Qdrant server is named', {
      hint: 'Set store.url in the corpus configuration, or QDRANT_URL.',
    });
  const { collection, m, efConstruct } = store;
  return createQdrantIndex({
    url,
    collection,
    m,
    efConstruct,
    ...(deps.qdrant?.apiKey ? { apiKey: deps.qdrant.apiKey } : {}),
  });
};

/** Activities of the `indexCorpus` workflow. */
export const createCorpusActivities = (deps: CorpusDeps) => {
  /** Reads and checks the input. Throws `InvalidInput` naming the field. */
  const readCorpus = async (input: IndexInput): Promise<CorpusConfig> => {
    const parsed = indexInputSchema.safeParse(input);
    if (!parsed.success)
      throw invalidInput('input', 'must be {"config": "<name or path>"} or {"corpus": {…}}');
    return 'config' in parsed.data ? loadCorpus(parsed.data.config) : parseCorpus(parsed.data.corpus);
  };

  /** Encodes a few passages to say what the build will take. */
  const estimateCorpus = async (config: CorpusConfig): Promise<IndexEstimate> => {
    const encoder = await deps.encoder(config.encoder);
    const rate = await measureRate(config, encoder, deps.dataDir);
    return estimateIndex(config, rate, { dataDir: deps.dataDir, dimensions: encoder.dimensions });
  };

  /** Builds the index; each batch is a heartbeat with its checkpoint, from which a later attempt goes on. */
  const buildCorpus = async (config: CorpusConfig): Promise<BuildResult> => {
    const context = Context.current();
    const resumeFrom = detailsSchema.safeParse(context.info.heartbeatDetails).data?.checkpoint;
    const report = (progress: BuildProgress): void => {
      // Reading has nothing to remember: it must not overwrite the checkpoint of the attempt before.
      if (progress.checkpoint) context.heartbeat(progress);
    };
    return buildIndex(config, {
      encoder: await deps.encoder(config.encoder),
      target: targetOf(config, deps),
      dataDir: deps.dataDir,
      onProgress: report,
      signal: context.cancellationSignal,
      ...(resumeFrom ? { resumeFrom } : {}),
    });
  };

  return {
    readCorpus: withTypedFailures('corpus', readCorpus),
    estimateCorpus: withTypedFailures('corpus', estimateCorpus),
    buildCorpus: withTypedFailures('corpus', buildCorpus),
  };
};
export type CorpusActivities = ReturnType<typeof createCorpusActivities>;
