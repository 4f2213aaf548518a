import { expect, test } from 'vitest';
import { type EngineCapabilities, ENGINES } from '../../../domain/rl/engine.ts';
import { type FakeEngineOptions, startFakeEngine } from '../fake-engine.ts';
import { type ConformanceRecord, runConformance } from './conformance.ts';

async function conformanceOf(
  options: FakeEngineOptions,
  declared?: EngineCapabilities,
): Promise<ConformanceRecord> {
  const fake = await startFakeEngine(options);
  try {
    return await runConformance(
      () => ({
        engine: declared === undefined ? fake.client() : silent(fake.client({ capabilities: declared })),
        baseModel: fake.baseModel,
        rank: 4,
        vocabSize: 64,
        url: fake.url,
      }),
      new AbortController().signal,
    );
  } finally {
    await fake.close();
  }
}

/** An engine that says nothing about itself, so that only measurements can find a wrong declaration. */
const silent = <T extends { ready: unknown }>(engine: T): T => ({ ...engine, ready: async () => undefined });

const failed = (record: ConformanceRecord): string[] =>
  record.checks.filter(({ status }) => status === 'fail').map(({ id, detail }) => `${id}: ${detail}`);

const base = { ...ENGINES['local-jax'], dualClip: false };
const kinds: Record<string, EngineCapabilities> = {
  'a sum': base,
  'a mean over a step': { ...base, reduction: 'mean-of-means', meanOver: 'step' },
  'a mean over a call': { ...base, reduction: 'mean-of-means', meanOver: 'call' },
  'a dual clip': { ...base, dualClip: true },
  'no clip': { ...base, clip: false },
  'no norm clip': { ...base, gradientNormClip: false },
};

test.each(Object.entries(kinds))(
  'an engine with %s is measured as what it is',
  async (_name, capabilities) => {
    const record = await conformanceOf({ capabilities });
    expect(failed(record)).toEqual([]);
    expect(record.contradictions).toEqual([]);
    expect(record.measured).toMatchObject({
      reduction: capabilities.reduction,
      ...(capabilities.reduction === 'mean-of-means' && { meanOver: capabilities.meanOver }),
      clip: capabilities.clip,
      dualClip: capabilities.dualClip,
      gradientNormClip: capabilities.gradientNormClip,
      adam: 'all',
      forward: true,
      seeds: true,
      promptLogprobs: true,
      stopIds: true,
      severalVersions: true,
      frozenCopies: true,
      refusesWrongLength: false,
      restoreDifference: 0,
    });
    expect(record.measured.logprobDifference).toBeLessThan(1e-5);
  },
);

test('an engine that obeys only the learning rate hides its reduction, and that is said', async () => {
  const record = await conformanceOf({ capabilities: { ...base, adam: 'learning-rate' } });
  expect(failed(record)).toEqual([]);
  expect(record.measured.adam).toBe('learning-rate');
  expect(record.measured.reduction).toBeUndefined();
  expect(record.checks.find(({ id }) => id === 'reduction')?.status).toBe('unsupported');
});

test('a declaration that is wrong is contradicted', async () => {
  const record = await conformanceOf({ capabilities: kinds['a mean over a step'] }, base);
  expect(record.contradictions).toEqual(['reduction: declared "sum", measured "mean-of-means"']);
});

test('an engine that damages its training weights by sampling old snapshots is found out', async () => {
  const record = await conformanceOf({ corruptsOffPolicy: true });
  expect(record.contradictions).toEqual(['severalVersions: declared true, measured false']);
  expect(record.measured).toMatchObject({ severalVersions: false, frozenCopies: true });
});

test('a check that fails does not end the suite', async () => {
  const fake = await startFakeEngine();
  try {
    fake.inject({ call: 'forward_backward', kind: 'nan' });
    const record = await runConformance(
      () => ({ engine: fake.client(), baseModel: fake.baseModel, rank: 4, vocabSize: 64 }),
      new AbortController().signal,
    );
    expect(failed(record)).toEqual([expect.stringContaining('loss-falls')]);
    expect(record.checks.length).toBeGreaterThan(15);
  } finally {
    await fake.close();
  }
});
