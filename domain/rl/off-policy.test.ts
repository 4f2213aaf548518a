import { describe, expect, it } from 'vitest';
import { ASEARCHER_DECOUPLED, ageWeight, approximateProximal, behaviourWeight } from './off-policy.ts';

describe('behaviourWeight', () => {
  const at = (weight: number, action: 'mask' | 'clamp', cap: number | null = 5): number =>
    behaviourWeight(-1 + Math.log(weight), -1, { cap, action });

  it('is the ratio up to the cap, then nothing or the cap', () => {
    expect(behaviourWeight(-2, -2, ASEARCHER_DECOUPLED)).toBe(1);
    expect(at(4.9, 'mask')).toBeCloseTo(4.9, 12);
    expect(at(5.1, 'mask')).toBe(0);
    expect(at(5.1, 'clamp')).toBe(5);
    expect(at(50, 'mask', null)).toBeCloseTo(50, 10);
    expect(at(0.01, 'mask')).toBeCloseTo(0.01, 12);
  });
});

describe('approximateProximal', () => {
  it('interpolates in log space by versions (asearcher 3.5)', () => {
    const logprobs = { behaviour: -2, current: -1 };
    expect(approximateProximal(logprobs, { behaviour: 0, proximal: 3, current: 4 })).toBeCloseTo(-1.25, 12);
    expect(approximateProximal(logprobs, { behaviour: 3, proximal: 3, current: 4 })).toBe(-2);
    expect(approximateProximal(logprobs, { behaviour: 4, proximal: 4, current: 4 })).toBe(-2);
  });
});

describe('ageWeight', () => {
  it('drops what is too old and fades the rest where configured', () => {
    expect([0, 4, 5].map((age) => ageWeight(age, { maxTokenAge: 4, decay: 1 }))).toEqual([1, 1, 0]);
    expect([0, 1, 2].map((age) => ageWeight(age, { maxTokenAge: null, decay: 0.5 }))).toEqual([1, 0.5, 0.25]);
    expect(ageWeight(-1, { maxTokenAge: null, decay: 0.5 })).toBe(1);
  });
});
