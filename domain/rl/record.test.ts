import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGroup, writeGroup } from './record.ts';
import { randomBigram, seeded } from './testing/bigram.ts';
import { makeGroup } from './testing/make.ts';

const record = () => {
  const next = seeded(1);
  return writeGroup(makeGroup(next, randomBigram(next, 4)));
};
const broken = (change: (value: ReturnType<typeof record>) => void): unknown => {
  const value = record();
  change(value);
  return value;
};
const firstTurn = (value: ReturnType<typeof record>) => {
  const turn = value.rollouts[0]?.turns[0];
  if (turn === undefined) throw new Error('the fixture has a turn');
  return turn;
};

describe('group records', () => {
  it('come back from JSON bit for bit', () => {
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const next = seeded(seed);
        const group = makeGroup(next, randomBigram(next, 4));
        const text = JSON.stringify(writeGroup(group));
        expect(readGroup(JSON.parse(text), 'rollouts.jsonl:1')).toEqual(group);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    [
      'logprobs',
      (v: ReturnType<typeof record>) => firstTurn(v).logprobs.pop(),
      /rollouts\.0\.turns\.0\.logprobs: \d+ values/,
    ],
    ['versions', (v: ReturnType<typeof record>) => firstTurn(v).versions.push(1), /versions: \d+ values/],
    [
      'a positive log-prob',
      (v: ReturnType<typeof record>) => (firstTurn(v).logprobs[0] = 0.5),
      /logprobs: \[0\] is (0\.5|NaN), not a log-prob/,
    ],
    [
      'NaN, which JSON writes as null',
      (v: ReturnType<typeof record>) => (firstTurn(v).logprobs[0] = NaN),
      /logprobs: \[0\] is (0\.5|NaN), not a log-prob/,
    ],
    [
      'an empty prompt',
      (v: ReturnType<typeof record>) => (firstTurn(v).promptTokens = []),
      /promptTokens: empty/,
    ],
    [
      'a negative token',
      (v: ReturnType<typeof record>) => (firstTurn(v).responseTokens[0] = -1),
      /responseTokens: \[0\] is -1/,
    ],
    ['an unknown key', (v: ReturnType<typeof record>) => Object.assign(v, { extra: 1 }), /extra/],
    [
      'a repeated turn',
      (v: ReturnType<typeof record>) => v.rollouts[0]?.turns.push(firstTurn(v)),
      /share an id/,
    ],
    [
      'a trainable turn that is not there',
      (v: ReturnType<typeof record>) => {
        const outcome = v.rollouts[0]?.outcome;
        if (outcome?.kind === 'scored') outcome.trainable.push('gone');
      },
      /trainable turn gone/,
    ],
    [
      'fewer agents than have turns',
      (v: ReturnType<typeof record>) => {
        const rollout = v.rollouts.find(({ turns }) => new Set(turns.map(({ agentId }) => agentId)).size > 1);
        if (rollout) rollout.agentsStarted = 1;
      },
      /agentsStarted: 1 is below/,
    ],
  ])('are refused for %s, naming the place', (_, change, message) => {
    const value = broken(change);
    expect(() => readGroup(value, 'rollouts.jsonl:7')).toThrow(message);
    expect(() => readGroup(value, 'rollouts.jsonl:7')).toThrow(/^rollouts\.jsonl:7: /);
  });
});
