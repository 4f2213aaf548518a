import type { Progress } from '../../domain/run.ts';

/** A run in the middle, with the changes of a test. */
export const sample = (change: Partial<Progress> = {}): Progress => ({
  ...{ runId: 'r', phase: 'delegating', turn: 2, maxTurns: 40, rowsSoFar: 1, notes: [] },
  agents: [
    { id: 'l', role: 'lead', task: '', state: 'waiting', turns: 2 },
    { id: 's', role: 'subagent', task: 'capitals\nof Africa', state: 'searching', turns: 3 },
  ],
  usage: {
    promptTokens: 9_000,
    completionTokens: 3_000,
    modelCalls: 4,
    searches: 1,
    pagesRead: 2,
    microUsd: 15_000,
  },
  ...change,
});
