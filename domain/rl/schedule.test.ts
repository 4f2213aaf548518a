import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learningRate, warmupSteps } from './schedule.ts';
import type { ScheduleConfig } from './schedule.ts';

const base: ScheduleConfig = { kind: 'constant', peak: 1, floor: 0, warmupSteps: 4, totalSteps: 15 };
const rates = (config: ScheduleConfig, steps: readonly number[]): number[] =>
  steps.map((step) => Number(learningRate(step, config).toFixed(6)));

describe('learningRate', () => {
  it('rises over the warm-up and stays, or falls to the floor at the last step', () => {
    expect(rates(base, [0, 1, 2, 3, 4, 99])).toEqual([0.25, 0.5, 0.75, 1, 1, 1]);
    expect(rates({ ...base, kind: 'linear' }, [4, 9, 14, 99])).toEqual([1, 0.5, 0, 0]);
    expect(rates({ ...base, kind: 'cosine', floor: 0.2 }, [4, 9, 14, 99])).toEqual([1, 0.6, 0.2, 0.2]);
    expect(learningRate(0, { ...base, warmupSteps: 0 })).toBe(1);
  });

  it('takes the warm-up as a share of the run, one step at least', () => {
    expect([warmupSteps(0.001, 250), warmupSteps(0.001, 5_000), warmupSteps(0, 250)]).toEqual([1, 5, 0]);
  });

  it('stays between 0 and the peak and never rises after the warm-up', () => {
    const configs = fc.record({
      kind: fc.constantFrom('constant' as const, 'linear' as const, 'cosine' as const),
      peak: fc.constant(3),
      floor: fc.constantFrom(0, 1),
      warmupSteps: fc.nat(10),
      totalSteps: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(configs, (config) => {
        const all = Array.from({ length: 60 }, (_, step) => learningRate(step, config));
        all.forEach((rate, step) => {
          expect(rate).toBeGreaterThanOrEqual(0);
          expect(rate).toBeLessThanOrEqual(3 + 1e-12);
          if (step > config.warmupSteps) expect(rate).toBeLessThanOrEqual((all[step - 1] ?? 0) + 1e-12);
        });
      }),
    );
  });

  it('refuses a step that is none', () => {
    expect(() => learningRate(-1, base)).toThrow(/step: -1/);
    expect(() => learningRate(0.5, base)).toThrow(/step: 0.5/);
  });
});
