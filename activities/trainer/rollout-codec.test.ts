import fc from 'fast-check';
import { expect, it } from 'vitest';
import { randomBigram, seeded } from '../../domain/rl/testing/bigram.ts';
import { makeGroup } from '../../domain/rl/testing/make.ts';
import { getRollout, putRollout } from './rollout-codec.ts';

it('a stored rollout comes back bit for bit', async () => {
  const texts = new Map<string, string>();
  const store = {
    put: async (text: string) => {
      const ref = `r${texts.size}`;
      texts.set(ref, text);
      return ref;
    },
    get: async (ref: string) => texts.get(ref)!,
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(1e6), async (seed) => {
      const next = seeded(seed);
      for (const rollout of makeGroup(next, randomBigram(next, 4)).rollouts) {
        const ref = await putRollout(store, rollout);
        expect(await getRollout(store, ref)).toEqual(rollout);
      }
    }),
    { numRuns: 30 },
  );
});
