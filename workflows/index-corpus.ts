import { defineQuery, setHandler } from '@temporalio/workflow';
import type { IndexInput } from '../activities/corpus/activities.ts';
import type { BuildResult } from '../activities/corpus/build.ts';
import type { IndexEstimate } from '../activities/corpus/estimate.ts';
import { corpus, corpusBuild, corpusProbe } from './proxies.ts';

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
  const config = await corpus.readCorpus(input);
  state = { ...state, phase: 'estimating', corpus: config.name };
  const estimate = await corpusProbe.estimateCorpus(config);
  state = { ...state, phase: 'building', estimate };
  const result = await corpusBuild.buildCorpus(config);
  state = { ...state, phase: 'done' };
  return { corpus: config.name, ...result };
}
