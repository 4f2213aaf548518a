import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capacity, referenceCapacity } from './admission.ts';
import type { AdmissionState } from './admission.ts';
import { closeBatch } from './batch-close.ts';
import type { ReadyGroup } from './batch-close.ts';
import { seeded } from './testing/bigram.ts';

const base: AdmissionState = {
  maxConcurrent: 128,
  maxStaleness: 4,
  batchGroups: 128,
  running: 0,
  buffered: 0,
  paused: false,
};

describe('capacity', () => {
  it.each([
    // η, B, C_max, running, buffered → may start
    [0, 4, 100, 0, 0, 4],
    [0, 4, 100, 1, 3, 0],
    [1, 4, 100, 2, 3, 3],
    [4, 128, 128, 100, 60, 28],
    [4, 128, 1_000, 100, 60, 480],
    [4, 128, 24, 30, 0, 0],
  ])(
    'η %i, B %i, C_max %i, running %i, buffered %i: %i',
    (maxStaleness, batchGroups, maxConcurrent, running, buffered, may) => {
      expect(capacity({ ...base, maxStaleness, batchGroups, maxConcurrent, running, buffered })).toBe(may);
    },
  );

  it('is the published formula wherever steps were full (asearcher 3.2)', () => {
    const numbers = fc.record({
      maxStaleness: fc.nat(8),
      batchGroups: fc.integer({ min: 1, max: 64 }),
      maxConcurrent: fc.integer({ min: 1, max: 200 }),
      running: fc.nat(100),
      buffered: fc.nat(100),
      version: fc.nat(1_000),
    });
    fc.assert(
      fc.property(numbers, ({ version, ...state }) => {
        const accepted = version * state.batchGroups + state.buffered;
        const published = referenceCapacity({ ...state, version, accepted });
        expect(capacity({ ...state, paused: false })).toBe(Math.max(0, published));
      }),
    );
  });

  it('lets nothing extra in after a resume, where the published counter starts at 0', () => {
    const version = 10;
    const resumed = referenceCapacity({ ...base, maxConcurrent: 10_000, version, accepted: 0 });
    expect(resumed).toBe(15 * 128);
    expect(capacity({ ...base, maxConcurrent: 10_000 })).toBe(5 * 128);
  });

  it('starts nothing while paused and refuses limits under which nothing can start', () => {
    expect(capacity({ ...base, paused: true })).toBe(0);
    expect(() => capacity({ ...base, batchGroups: 0 })).toThrow(/batchGroups: 0/);
    expect(() => capacity({ ...base, maxConcurrent: 0.5 })).toThrow(/maxConcurrent: 0.5/);
    expect(() => capacity({ ...base, maxStaleness: -1 })).toThrow(/maxStaleness: -1/);
  });
});

interface Schedule {
  seed: number;
  eta: number;
  batchGroups: number;
  maxConcurrent: number;
  /** Chance that a finished group has no signal. */
  rejected: number;
}

/** Runs training with random, long-tailed group durations and reports how stale the trained groups were. */
function simulate({ seed, eta, batchGroups, maxConcurrent, rejected }: Schedule, strict: boolean) {
  const next = seeded(seed);
  const policy = { groups: batchGroups, minGroups: 1, maxStaleness: strict ? eta : null };
  let running: { id: string; admittedAt: number; left: number }[] = [];
  let buffer: ReadyGroup[] = [];
  let [version, started, finished, worst, expired, outstanding] = [0, 0, 0, 0, 0, 0];
  for (let tick = 0; tick < 20_000 && version < 25; tick += 1) {
    const room = capacity({
      ...base,
      maxStaleness: eta,
      batchGroups,
      maxConcurrent,
      running: running.length,
      buffered: buffer.length,
    });
    for (let i = 0; i < room; i += 1) {
      const left = next() < 0.1 ? 60 : 1 + Math.floor(next() * 5);
      running.push({ id: `g${started++}`, admittedAt: version, left });
    }
    outstanding = Math.max(outstanding, running.length + buffer.length);
    running.forEach((group) => (group.left -= 1));
    for (const { id, admittedAt, left } of running)
      if (left <= 0 && next() >= rejected) buffer.push({ id, admittedAt, finished: finished++ });
    running = running.filter(({ left }) => left > 0);
    const admitted = running.map(({ admittedAt }) => admittedAt);
    const state = { ready: buffer, running: admitted, version, deadlinePassed: false, closeRequested: false };
    const decision = closeBatch({ ...state, inputsDone: false }, policy);
    if (decision.kind !== 'close') continue;
    expect(decision.take).toHaveLength(batchGroups);
    for (const { id, admittedAt } of buffer)
      if (decision.take.includes(id)) worst = Math.max(worst, version - admittedAt);
    expired += decision.expired.length;
    buffer = buffer.filter(({ id }) => !decision.take.includes(id) && !decision.expired.includes(id));
    version += 1;
  }
  return { version, worst, expired, outstanding };
}

describe('a simulated schedule', () => {
  const schedules = fc.record({
    seed: fc.nat(1e6),
    eta: fc.nat(4),
    batchGroups: fc.integer({ min: 1, max: 6 }),
    maxConcurrent: fc.integer({ min: 1, max: 30 }),
    rejected: fc.constantFrom(0, 0.4),
  });

  it('trains on no group staler than η, wastes none and never stalls', () => {
    fc.assert(
      fc.property(schedules, (schedule) => {
        const { version, worst, expired, outstanding } = simulate(schedule, true);
        expect(version).toBe(25);
        expect(worst).toBeLessThanOrEqual(schedule.eta);
        expect(expired).toBe(0);
        expect(outstanding).toBeLessThanOrEqual((schedule.eta + 1) * schedule.batchGroups);
      }),
      { numRuns: 60 },
    );
  });

  it('exceeds η with the bound on admission alone, as published: a long group is overtaken', () => {
    const worst = [1, 2, 3, 4, 5].map(
      (seed) => simulate({ seed, eta: 1, batchGroups: 2, maxConcurrent: 30, rejected: 0 }, false).worst,
    );
    expect(Math.max(...worst)).toBeGreaterThan(1);
  });
});
