import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokenWeights, turnWeights } from './weights.ts';
import type { KeptTurn } from './weights.ts';

const VECTOR: KeptTurn[] = [
  { agentId: 0, tokens: 100 },
  { agentId: 0, tokens: 300 },
  { agentId: 1, tokens: 50 },
  { agentId: 1, tokens: 150 },
  { agentId: 2, tokens: 400 },
];
const close = (actual: Iterable<number>, expected: readonly number[]): void => {
  const values = [...actual];
  expect(values).toHaveLength(expected.length);
  values.forEach((value, index) => expect(value).toBeCloseTo(expected[index] ?? NaN, 14));
};

describe('tokenWeights', () => {
  it('gives the vector of wideseek 4.4', () => {
    close(turnWeights(VECTOR, 3, 'dual-kept'), [1 / 12, 3 / 12, 1 / 12, 3 / 12, 4 / 12]);
    close(tokenWeights(VECTOR, 3, 'dual-kept'), [1 / 1200, 1 / 1200, 1 / 600, 1 / 600, 1 / 1200]);
  });

  it('counts agents that left no kept turn only in the paper reading (R-13)', () => {
    close(turnWeights(VECTOR, 6, 'dual-kept'), [1 / 12, 3 / 12, 1 / 12, 3 / 12, 4 / 12]);
    close(turnWeights(VECTOR, 6, 'dual-all'), [1 / 24, 3 / 24, 1 / 24, 3 / 24, 4 / 24]);
  });

  it('is flat where asked', () => {
    close(
      tokenWeights(VECTOR, 3, 'rollout-mean'),
      VECTOR.map(() => 1 / 1000),
    );
    close(
      tokenWeights(VECTOR, 3, 'token-mean'),
      VECTOR.map(() => 1),
    );
  });

  it('refuses fewer agents than have turns', () => {
    expect(() => tokenWeights(VECTOR, 2, 'dual-kept')).toThrow(/agentsStarted: 2/);
  });

  const turns = fc.array(fc.record({ agentId: fc.nat(9), tokens: fc.nat(500) }), {
    minLength: 1,
    maxLength: 40,
  });

  it('sums to 1 per rollout, or to kept over all agents, or to the tokens', () => {
    fc.assert(
      fc.property(turns, fc.nat(5), (kept, extra) => {
        const live = new Set(kept.filter(({ tokens }) => tokens > 0).map(({ agentId }) => agentId)).size;
        const total = kept.reduce((sum, { tokens }) => sum + tokens, 0);
        fc.pre(total > 0);
        const sum = (weighting: Parameters<typeof turnWeights>[2]): number =>
          turnWeights(kept, live + extra, weighting).reduce((acc, value) => acc + value, 0);
        expect(sum('dual-kept')).toBeCloseTo(1, 12);
        expect(sum('rollout-mean')).toBeCloseTo(1, 12);
        expect(sum('dual-all')).toBeCloseTo(live / (live + extra), 12);
        expect(sum('token-mean')).toBe(total);
      }),
    );
  });

  it('gives every agent the same share, however many tokens it wrote', () => {
    fc.assert(
      fc.property(turns, (kept) => {
        const shares = new Map<number, number>();
        const weights = turnWeights(kept, 10, 'dual-kept');
        kept.forEach(({ agentId, tokens }, index) => {
          if (tokens > 0) shares.set(agentId, (shares.get(agentId) ?? 0) + (weights[index] ?? 0));
        });
        for (const share of shares.values()) expect(share).toBeCloseTo(1 / shares.size, 12);
      }),
    );
  });
});
