import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeTurns, separateTurns } from './merge.ts';
import type { CreditedTurn } from './merge.ts';
import { randomBigram, seeded } from './testing/bigram.ts';
import { SMALL, makeGroup } from './testing/make.ts';
import { trainableTurns } from './types.ts';
import type { Sequence, Turn } from './types.ts';

const IDS = { groupId: 'g', rolloutId: 'r' };
const turn = (
  id: string,
  prompt: number[],
  response: number[],
  change: Partial<Turn> = {},
): CreditedTurn => ({
  advantage: 2,
  weight: 0.1,
  turn: {
    id,
    agentId: 0,
    turnIdx: 0,
    role: 'lead',
    promptTokens: Int32Array.from(prompt),
    responseTokens: Int32Array.from(response),
    logprobs: Float32Array.from(response, (token) => -token / 8),
    versions: Int32Array.from(response, () => 7),
    searchCalls: 0,
    accessCalls: 0,
    hitLimit: false,
    repeats: false,
    ...change,
  },
});

describe('mergeTurns', () => {
  it('folds turns that continue each other; gaps stay outside the spans', () => {
    const first = turn('1', [1, 2], [3, 4]);
    const second = turn('2', [1, 2, 3, 4, 9, 9], [5], { turnIdx: 1 });
    const { sequences, mismatches } = mergeTurns(IDS, [second, first]);
    expect(mismatches).toBe(0);
    expect(sequences).toEqual([
      {
        ...IDS,
        agentId: 0,
        tokens: Int32Array.of(1, 2, 3, 4, 9, 9, 5),
        spans: [
          {
            turnId: '1',
            start: 2,
            length: 2,
            logprobs: Float32Array.of(-3 / 8, -4 / 8),
            versions: Int32Array.of(7, 7),
            advantage: 2,
            weight: 0.1,
          },
          {
            turnId: '2',
            start: 6,
            length: 1,
            logprobs: Float32Array.of(-5 / 8),
            versions: Int32Array.of(7),
            advantage: 2,
            weight: 0.1,
          },
        ],
      },
    ]);
  });

  it('folds over a dropped turn, whose tokens are then context', () => {
    const first = turn('1', [1], [2]);
    const third = turn('3', [1, 2, 8, 8, 8], [3], { turnIdx: 2 });
    const { sequences } = mergeTurns(IDS, [first, third]);
    expect(sequences.map(({ spans }) => spans.map(({ start }) => start))).toEqual([[1, 5]]);
  });

  it.each([
    ['another token in the prompt', [1, 9, 3, 4, 5]],
    ['another token in the response', [1, 2, 3, 9, 5]],
    ['a shorter context', [1, 2, 3]],
  ])('keeps apart and counts %s', (_, prompt) => {
    const { sequences, mismatches } = mergeTurns(IDS, [
      turn('1', [1, 2], [3, 4]),
      turn('2', prompt, [6], { turnIdx: 1 }),
    ]);
    expect(mismatches).toBe(1);
    expect(sequences.map(({ spans }) => spans.map(({ turnId }) => turnId))).toEqual([['1'], ['2']]);
  });

  it('never folds one agent into another', () => {
    const { sequences, mismatches } = mergeTurns(IDS, [
      turn('1', [1], [2]),
      turn('2', [1, 2], [3], { agentId: 1 }),
    ]);
    expect([sequences.length, mismatches]).toEqual([2, 0]);
  });

  it('refuses log-probs of the wrong length and empty prompts', () => {
    const bad = turn('t9', [1], [2, 3], { logprobs: Float32Array.of(-1) });
    expect(() => mergeTurns(IDS, [bad])).toThrow(/turn t9: 2 tokens with 1 log-probs/);
    expect(() => mergeTurns(IDS, [turn('t8', [], [2])])).toThrow(/turn t8: its prompt is empty/);
  });

  it('gives every trained token the same context, log-prob, version, advantage and weight as before', () => {
    const describeTokens = (sequences: Sequence[]): string[] =>
      sequences
        .flatMap(({ agentId, tokens, spans }) =>
          spans.flatMap((span) =>
            [...span.logprobs].map((logprob, j) =>
              JSON.stringify([
                agentId,
                span.turnId,
                [...tokens.subarray(0, span.start + j + 1)],
                logprob,
                span.versions[j],
                span.advantage,
                span.weight,
              ]),
            ),
          ),
        )
        .sort();
    let folded = 0;
    fc.assert(
      fc.property(fc.nat(1e6), (seed) => {
        const next = seeded(seed);
        for (const rollout of makeGroup(next, randomBigram(next, 4), SMALL).rollouts) {
          const kept = trainableTurns(rollout).map((t) => ({ turn: t, advantage: next(), weight: next() }));
          const { sequences } = mergeTurns(IDS, kept);
          const apart = separateTurns(IDS, kept);
          expect(describeTokens(sequences)).toEqual(describeTokens(apart));
          for (const { tokens, spans } of sequences)
            spans.forEach(({ start, length }, i) => {
              expect(start).toBeGreaterThan(0);
              expect(start + length).toBeLessThanOrEqual(spans[i + 1]?.start ?? tokens.length);
            });
          folded += apart.length - sequences.length;
        }
      }),
      { numRuns: 60 },
    );
    expect(folded).toBeGreaterThan(50);
  });
});
