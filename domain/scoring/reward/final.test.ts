import { describe, expect, it } from 'vitest';
import { PUBLISHED_REWARD, finalReward, lengthPenalty } from './final.ts';
import type { TurnFacts } from './final.ts';

const turn = (id: string, facts: Partial<TurnFacts> = {}): TurnFacts => ({
  id,
  role: 'lead',
  responseTokens: 100,
  searchCalls: 0,
  accessCalls: 0,
  hitLimit: false,
  repeats: false,
  ...facts,
});
const good = { reward: 0.5 };

describe('lengthPenalty', () => {
  it.each([
    [0, 0],
    [3_000, 0],
    [4_000, 0.05],
    [5_000, 0.1],
    [9_000, 0.1],
  ])('%i tokens cost %f', (tokens, penalty) => {
    expect(lengthPenalty(tokens, PUBLISHED_REWARD)).toBeCloseTo(penalty, 12);
  });

  it('is a step where both limits are equal', () => {
    const config = { ...PUBLISHED_REWARD, maxLengthLimit: 3_000 };
    expect([3_000, 3_001].map((tokens) => lengthPenalty(tokens, config))).toEqual([0, 0.1]);
  });
});

describe('finalReward', () => {
  it('A1: adds format and search credit, takes the penalty of the longest turn, drops failed workers', () => {
    const turns = [
      turn('1'),
      turn('2', { role: 'subagent', accessCalls: 1, responseTokens: 4_000 }),
      turn('3', { role: 'subagent', hitLimit: true }),
      turn('4'),
    ];
    const result = finalReward(turns, true, good);
    expect(result).toMatchObject({ rule: 'A1', trainable: ['1', '2', '4'], finalAnswerFormat: 1 });
    expect(result.kind === 'scored' && result.reward).toBeCloseTo(0.5 + 0.1 + 0.05 - 0.05, 12);
  });

  it('pays for access only as published, for search too where configured (R-67)', () => {
    const turns = [turn('1', { searchCalls: 2 })];
    expect(finalReward(turns, true, good)).toMatchObject({ reward: 0.6 });
    const config = { ...PUBLISHED_REWARD, creditFor: 'search-or-access' as const };
    const result = finalReward(turns, true, good, config);
    expect(result.kind === 'scored' && result.reward).toBeCloseTo(0.65, 12);
  });

  it('A2: an answer out of a failed run is worth 0 and trains the flagged lead turns', () => {
    const turns = [turn('1'), turn('2', { role: 'subagent', hitLimit: true }), turn('3', { hitLimit: true })];
    expect(finalReward(turns, true, good)).toMatchObject({
      reward: 0,
      rule: 'A2',
      trainable: ['3'],
      finalAnswerFormat: 0,
    });
  });

  it('B1 to B3: a bad answer trains what is to blame', () => {
    const natural = [turn('1', { role: 'subagent', hitLimit: true }), turn('2'), turn('3')];
    expect(finalReward(natural, false, good)).toMatchObject({
      rule: 'B1+B3',
      trainable: ['1', '3'],
      reward: 0,
    });
    const repeating = [
      turn('1', { role: 'subagent', repeats: true }),
      turn('2', { role: 'subagent', hitLimit: true }),
      turn('3'),
    ];
    expect(finalReward(repeating, false, good)).toMatchObject({ rule: 'B1+B2', trainable: ['1', '3'] });
    const cut = [turn('1'), turn('2', { role: 'single', hitLimit: true, repeats: true })];
    expect(finalReward(cut, false, good)).toMatchObject({ rule: 'B2', trainable: ['2'] });
    const limit = [turn('1'), turn('2', { hitLimit: true })];
    expect(finalReward(limit, false, good)).toMatchObject({ rule: 'B3', trainable: ['2'] });
    expect(finalReward([], false, good)).toMatchObject({ trainable: [] });
  });

  it('never turns an outage into a number (R-04)', () => {
    expect(finalReward([turn('1')], true, { unscored: 'judge down' })).toEqual({
      kind: 'unscored',
      reason: 'judge down',
    });
  });
});
