import { expect, test } from 'vitest';
import {
  batchDocumentSchema,
  batchesOf,
  checkpointsOf,
  evalsOf,
  fateSchema,
  groupDocumentSchema,
  groupsOf,
  snapshotsOf,
  stepsOf,
  trainerRecordSchema,
} from './records.ts';
import { factsWith } from './testing.fake.ts';

test('no two kinds of records and no two runs share a collection', () => {
  const of = [groupsOf, batchesOf, stepsOf, checkpointsOf, snapshotsOf, evalsOf];
  const names = ['a', 'b'].flatMap((run) => of.map((collection) => collection(run)));
  expect(new Set(names).size).toBe(names.length);
});

test('a batch holds groups and a rate for each of its steps', () => {
  const batch = { step: 0, groups: ['g1'], reason: 'count', expired: [], learningRates: [0.1], waitMs: 0 };
  expect(batchDocumentSchema.parse(batch)).toEqual(batch);
  for (const wrong of [
    { groups: [] },
    { learningRates: [] },
    { learningRates: [-1] },
    { reason: 'bored' },
    { waitMs: -1 },
  ])
    expect(batchDocumentSchema.safeParse({ ...batch, ...wrong }).success).toBe(false);
  // What a batch that was taken back leaves.
  expect(batchDocumentSchema.safeParse(null).success).toBe(false);
});

test('a group has a fate, and a fate says why', () => {
  const group = {
    ...{ id: 'g1', questionId: 'q', admittedAt: 0, closed: 'complete', fate: { kind: 'expired', step: 3 } },
    ...{ excluded: [], rollouts: [factsWith()] },
  };
  expect(groupDocumentSchema.parse(group)).toEqual(group);
  expect(groupDocumentSchema.safeParse({ ...group, fate: undefined }).success).toBe(false);
  for (const fate of [
    { kind: 'filtered' },
    { kind: 'failed' },
    { kind: 'expired' },
    { kind: 'trained' },
    { kind: 'lost' },
  ])
    expect(fateSchema.safeParse(fate).success).toBe(false);
});

test('rewards that are no numbers and sequence numbers from 0 are refused', () => {
  const groupOf = (reward: unknown) => ({
    ...{ id: 'g', questionId: 'q', admittedAt: 0, closed: 'complete', fate: { kind: 'ready' }, excluded: [] },
    rollouts: [{ ...factsWith(), reward }],
  });
  expect(groupDocumentSchema.safeParse(groupOf(null)).success).toBe(true);
  for (const reward of [NaN, Infinity, '1'])
    expect(groupDocumentSchema.safeParse(groupOf(reward)).success).toBe(false);
  const trainer = { url: 'u', modelId: 'm', sessionId: 's', applied: 0, nextSeq: 1, published: null };
  expect(trainerRecordSchema.parse(trainer)).toEqual({ ...trainer, badReplies: 0 });
  expect(trainerRecordSchema.safeParse({ ...trainer, nextSeq: 0 }).success).toBe(false);
});
