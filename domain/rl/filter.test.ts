import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from './advantages.ts';
import { ASEARCHER_FILTER, EQUAL_REWARDS_FILTER, noSignal } from './filter.ts';

describe('noSignal', () => {
  it.each([
    [[0.1, 0.1, 0.1], 'equal_rewards'],
    [[0, 0], 'equal_rewards'],
    [[1], 'too_few_scored'],
    [[], 'too_few_scored'],
    [[0, 1e-9], null],
  ] as const)('%j: %s', (rewards, reason) => {
    expect(noSignal(rewards)).toBe(reason);
  });

  it('takes |max − mean| up to 1e-3 as no signal for the reasoning agent', () => {
    expect(noSignal([0.5, 0.501], ASEARCHER_FILTER)).toBe('equal_rewards');
    expect(noSignal([0.5, 0.503], ASEARCHER_FILTER)).toBe(null);
  });

  it('leaves out what is too easy or too hard where bounds are set', () => {
    const config = { ...EQUAL_REWARDS_FILTER, meanBetween: [0.05, 0.95] as const };
    expect(noSignal([0, 0, 0, 0.2], config)).toBe('too_hard');
    expect(noSignal([1, 1, 1, 0.9], config)).toBe('too_easy');
    expect(noSignal([1, 0], config)).toBe(null);
  });

  it('drops exactly the groups whose advantages are all 0', () => {
    const rewards = fc.array(fc.constantFrom(0, 0.1, 0.35, 1.15), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(rewards, (values) => {
        const advantages = groupAdvantages(values.map((reward) => ({ reward, keptTurns: 1 })));
        expect(noSignal(values) === 'equal_rewards').toBe(advantages.every((advantage) => advantage === 0));
      }),
    );
  });
});
