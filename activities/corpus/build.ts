import type { CorpusConfig } from '../../configs/corpus-schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import type { Checkpoint, IndexTarget } from '../search/index-port.ts';
import type { Encoder, Page } from '../search/port.ts';
import { isLatin } from '../search/script.ts';
import { generationOf } from './identity.ts';
import { openSource } from './source.ts';
import type { Draft, Source } from './source.ts';

export interface BuildProgress {
  phase: 'read' | 'write' | 'index' | 'done';
  /** Records of all sources that are done, of `records`. */
  recordsDone: number;
  records: number;
  passages: number;
  pages: number;
  /** Measured in this attempt; 0 before the first batch. */
  passagesPerSecond: number;
  /** Where a later attempt can go on; absent before anything was written. */
  checkpoint?: Checkpoint;
}

export interface BuildOptions {
  encoder: Encoder;
  target: IndexTarget;
  /** Where relative paths of sources start. */
  dataDir: string;
  onProgress?: (progress: BuildProgress) => void;
  signal?: AbortSignal;
  /** The checkpoint of an earlier attempt; the store's own is used where it is further. */
  resumeFrom?: Checkpoint;
}

export interface BuildResult {
  generation: string;
  encoder: string;
  passages: number;
  pages: number;
  /** True: this very index was in use already and nothing was done. */
  reused: boolean;
  /** Passages that an earlier attempt had written. */
  resumedAt: number;
  seconds: number;
}

interface Batch {
  drafts: (Draft & { id: number })[];
  pages: Page[];
}

/** The furthest checkpoint that the store can stand by, else the beginning. */
const startingPoint = async (
  generation: string,
  target: IndexTarget,
  resumeFrom: Checkpoint | undefined,
): Promise<Checkpoint> => {
  const known = [await target.saved(), resumeFrom]
    .filter((each) => each?.generation === generation)
    .filter((each) => each !== undefined)
    .sort((a, b) => b.nextId - a.nextId || b.records - a.records);
  const zero: Checkpoint = { generation, source: 0, records: 0, nextId: 0, passages: 0, pages: 0 };
  for (const checkpoint of [...known, zero]) if (await target.rewind(checkpoint)) return checkpoint;
  throw new WideseekError('Internal', `the index ${generation} cannot be emptied`);
};

/** Batches from the checkpoint on, each with the checkpoint that holds once it is written. */
async function* batchesOf(
  sources: readonly Source[],
  size: number,
  from: Checkpoint,
): AsyncGenerator<{ batch: Batch; after: Checkpoint }> {
  let at = { ...from };
  let batch: Batch = { drafts: [], pages: [] };
  for (let source = from.source; source < sources.length; source += 1) {
    if (source !== at.source) at = { ...at, source, records: 0 };
    for await (const record of sources[source]?.read(at.records) ?? []) {
      batch.drafts.push(...record.passages.map((draft, offset) => ({ ...draft, id: at.nextId + offset })));
      if (record.page) batch.pages.push(record.page);
      at = {
        ...at,
        records: at.records + 1,
        nextId: at.nextId + record.ids,
        passages: at.passages + record.passages.length,
        pages: at.pages + (record.page ? 1 : 0),
      };
      if (batch.drafts.length >= size || batch.pages.length >= size) {
        yield { batch, after: at };
        batch = { drafts: [], pages: [] };
      }
    }
  }
  yield { batch, after: { ...at, source: sources.length, records: 0 } };
}

/** In the drafts' order; undefined for what the encoder does not see. */
const vectorsOf = async (
  drafts: readonly Draft[],
  encoder: Encoder,
  which: CorpusConfig['vectors'],
): Promise<(Float32Array | undefined)[]> => {
  const seen = drafts.filter(({ embed }) => encoder.dimensions > 0 && (which === 'all' || isLatin(embed)));
  if (seen.length === 0) return drafts.map(() => undefined);
  const vectors = await encoder.embed(
    seen.map(({ embed }) => embed),
    'passage',
  );
  const byDraft = new Map(seen.map((draft, place) => [draft, vectors[place]]));
  return drafts.map((draft) => byDraft.get(draft));
};

const writeBatch = async (
  { drafts, pages }: Batch,
  after: Checkpoint,
  config: CorpusConfig,
  { encoder, target }: BuildOptions,
): Promise<void> => {
  await target.writePages(pages, after.pages - pages.length);
  await target.write(drafts, await vectorsOf(drafts, encoder, config.vectors));
  await target.save(after);
};

/**
 * Builds the index of a corpus, or finds that it is there already. A build that was killed goes on after its last
 * batch; the index in use is replaced in one step when the new one is complete and counted.
 * Throws `InvalidInput` (a bad line, with file:line), `NotFound` (a missing file), `StorageFull`, `Internal` (the
 * store has another number of passages than were written); rejects with the signal's reason when aborted.
 */
export const buildIndex = async (config: CorpusConfig, options: BuildOptions): Promise<BuildResult> => {
  const { encoder, target, onProgress = () => {}, signal = new AbortController().signal } = options;
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const sources = config.sources.map((source) => openSource(source, config, options.dataDir));

  onProgress({ phase: 'read', recordsDone: 0, records: 0, passages: 0, pages: 0, passagesPerSecond: 0 });
  const fingerprints: { hash: string; records: number }[] = [];
  for (const source of sources) fingerprints.push(await source.fingerprint(signal));
  const records = fingerprints.reduce((sum, each) => sum + each.records, 0);
  const generation = generationOf(
    config,
    fingerprints.map(({ hash }) => hash),
    encoder,
  );

  await target.prepare(generation, encoder.dimensions);
  if ((await target.current())?.generation === generation) {
    const stored = await target.count();
    return { generation, encoder: encoder.name, ...stored, reused: true, resumedAt: 0, seconds: seconds() };
  }

  const start = await startingPoint(generation, target, options.resumeFrom);
  const writing = performance.now();
  let at = start;
  const report = (phase: BuildProgress['phase']): void => {
    const earlier = fingerprints.slice(0, at.source).reduce((sum, each) => sum + each.records, 0);
    const elapsed = (performance.now() - writing) / 1000;
    onProgress({
      phase,
      recordsDone: earlier + at.records,
      records,
      passages: at.passages,
      pages: at.pages,
      passagesPerSecond: (at.passages - start.passages) / Math.max(elapsed, 0.001),
      checkpoint: at,
    });
  };

  for await (const { batch, after } of batchesOf(sources, config.batch, start)) {
    signal.throwIfAborted();
    await writeBatch(batch, after, config, options);
    at = after;
    report('write');
  }
  signal.throwIfAborted();
  report('index');
  await target.finish(signal);

  const stored = await target.count();
  if (stored.passages !== at.passages)
    throw new WideseekError(
      'Internal',
      `the index ${generation} has ${stored.passages} passages, but ${at.passages} were written`,
      { hint: 'Build it again; nothing was switched over.' },
    );
  const { dimensions, name } = encoder;
  await target.publish({
    generation,
    encoder: name,
    dimensions,
    vectors: config.vectors,
    passages: at.passages,
    pages: stored.pages,
  });
  report('done');
  return {
    generation,
    encoder: name,
    ...stored,
    reused: false,
    resumedAt: start.passages,
    seconds: seconds(),
  };
};
