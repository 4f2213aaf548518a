import { expect, test } from 'vitest';
import type { StepDocument } from '../../../activities/trainer/records.ts';
import { buildBatch } from '../../../domain/rl/batch.ts';
import { PRESETS } from '../../../domain/rl/presets.ts';
import { rowOf } from './async.ts';
import { FULL, makeRollouts } from './make-rollouts.ts';

const step = (at: number, waited: number, trained: number, staleness = {}): StepDocument => ({
  ...{ step: 0, version: 0, at, staleness, stopReasons: {} },
  metrics: { 'time/rollout': waited, 'time/training': trained },
  ...{ groups: [], expired: [], filtered: [], excluded: [] },
});

test('idle share and speed leave the first step out', () => {
  const row = rowOf(1, [step(0, 100, 1), step(4_000, 3, 1), step(6_000, 1, 1, { 0: 30, 1: 10 })]);
  expect(row).toMatchObject({ steps: 2, secondsPerStep: 3, stepsPerHour: 1_200, maxAge: 1 });
  expect(row.idleShare).toBeCloseTo(4 / 6);
  expect(row.meanAge).toBeCloseTo(0.25);
});

test('made rollouts have exactly their shape, and merge into one sequence an agent unless rewritten', () => {
  const shape = { ...FULL, groups: 2, groupSize: 2, agents: 3 };
  const { sequences, stats } = buildBatch(makeRollouts(shape), PRESETS.wideseek.batch);
  const perAgent = Array.from({ length: 8 }, (_, turn) => 30 + 80 * turn + 60);
  expect(stats.tokensBefore).toBe(2 * 2 * 3 * perAgent.reduce((sum, tokens) => sum + tokens, 0));
  expect(sequences).toHaveLength(12);
  expect(stats.tokensAfter).toBe(12 * (30 + 80 * 7 + 60));
  const rewritten = buildBatch(makeRollouts({ ...shape, rewrite: 1 }), PRESETS.wideseek.batch);
  expect(rewritten.sequences).toHaveLength(12 * 8);
});
