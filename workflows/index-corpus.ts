import { defineQuery, proxyActivities, setHandler } from '@temporalio/workflow';
import type { CorpusActivities, IndexInput } from '../activities/corpus/activities.ts';
import type { BuildResult } from '../activities/corpus/build.ts';
import type { IndexEstimate } from '../activities/corpus/estimate.ts';

/** Reading a configuration takes milliseconds; only a broken disk makes it fail twice. */
const quick = proxyActivities<CorpusActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3, initialInterval: '1 second' },
});

/** Encodes a handful of passages; the first call may download the encoder. */
const probing = proxyActivities<CorpusActivities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3, initialInterval: '2 seconds' },
});

/** Days for a Wikipedia; each attempt goes on at the last checkpoint, so attempts are cheap. */
const building = proxyActivities<CorpusActivities>({
  startToCloseTimeout: '14 days',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 20, initialInterval: '2 seconds', maximumInterval: '5 minutes' },
});

export interface IndexState {
  phase: 'reading' | 'estimating' | 'building' | 'done';
  corpus: string | null;
  estimate: IndexEstimate | null;
}
export const indexState = defineQuery<IndexState>('indexState');

/**
 * Builds the search index of a corpus: `{"config": "sample"}`. The same corpus a second time is a look-up. Readers
 * keep the old index until the new one is complete. Fails with `InvalidInput` for a wrong configuration or line.
 */
export async function indexCorpus(input: IndexInput): Promise<BuildResult & { corpus: string }> {
  let state: IndexState = { phase: 'reading', corpus: null, estimate: null };
  setHandler(indexState, () => state);
  const corpus = await quick.readCorpus(input);
  state = { ...state, phase: 'estimating', corpus: corpus.name };
  const estimate = await probing.estimateCorpus(corpus);
  state = { ...state, phase: 'building', estimate };
  const result = await building.buildCorpus(corpus);
  state = { ...state, phase: 'done' };
  return { corpus: corpus.name, ...result };
}
