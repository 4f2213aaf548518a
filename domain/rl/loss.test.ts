import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildBatch } from './batch.ts';
import type { BatchConfig } from './batch.ts';
import { WIDESEEK_LOSS, batchLoss, sequenceLoss } from './loss.ts';
import type { LossConfig } from './loss.ts';
import { packSequences } from './packing.ts';
import { PRESETS } from './presets.ts';
import { addGradient, bigramLogprobs, perturbed, randomBigram, seeded } from './testing/bigram.ts';
import type { Bigram } from './testing/bigram.ts';
import { makeGroup } from './testing/make.ts';
import type { Sequence } from './types.ts';

const LOSSES: Record<string, LossConfig> = {
  plain: WIDESEEK_LOSS,
  decoupled: PRESETS['asearcher-simple'].loss,
  everything: {
    ...WIDESEEK_LOSS,
    decoupled: { cap: 1.5, action: 'clamp' },
    kl: { kind: 'k3', beta: 0.05 },
    age: { maxTokenAge: 3, decay: 0.9 },
  },
};
const VERSION = 5;

interface World {
  model: Bigram;
  proximal: Bigram;
  reference: Bigram;
  next: () => number;
  behaviour: Bigram;
}
function world(seed: number): World {
  const next = seeded(seed);
  const behaviour = randomBigram(next, 5);
  const proximal = perturbed(behaviour, next, 0.4);
  return {
    next,
    behaviour,
    proximal,
    model: perturbed(proximal, next, 0.3),
    reference: randomBigram(next, 5),
  };
}
const groupsOf = ({ next, behaviour }: World) =>
  ['g0', 'g1', 'g2'].map((id) => makeGroup(next, behaviour, undefined, id));
const itemOf = ({ model, proximal, reference }: World, sequence: Sequence) => ({
  sequence,
  logprobs: {
    current: bigramLogprobs(model, sequence.tokens),
    proximal: bigramLogprobs(proximal, sequence.tokens),
    reference: bigramLogprobs(reference, sequence.tokens),
  },
});

/** Loss and gradient by the logits, summed over micro-batches in the given order. */
function evaluate(from: World, batches: readonly Sequence[][], loss: LossConfig, denominator: number) {
  const gradient = new Float64Array(from.model.logits.length);
  let total = 0;
  for (const batch of batches) {
    const part = batchLoss(
      batch.map((sequence) => itemOf(from, sequence)),
      loss,
      VERSION,
      denominator,
    );
    total += part.loss;
    part.gradients.forEach((slopes, i) => addGradient(from.model, batch[i]?.tokens ?? [], slopes, gradient));
  }
  return { loss: total, gradient };
}
function expectSame(a: ReturnType<typeof evaluate>, b: ReturnType<typeof evaluate>): void {
  expect(Math.abs(a.loss - b.loss)).toBeLessThan(1e-6);
  a.gradient.forEach((value, index) =>
    expect(Math.abs(value - (b.gradient[index] ?? NaN))).toBeLessThan(1e-6),
  );
}

describe('the loss of a batch', () => {
  const configs = fc.record({
    seed: fc.nat(1e6),
    loss: fc.constantFrom(...Object.keys(LOSSES)),
    weighting: fc.constantFrom<BatchConfig['weighting']>(
      'dual-kept',
      'dual-all',
      'rollout-mean',
      'token-mean',
    ),
  });

  it('does not depend on batching, order or merging (R-07)', () => {
    let merged = 0;
    fc.assert(
      fc.property(configs, ({ seed, loss: name, weighting }) => {
        const from = world(seed);
        const groups = groupsOf(from);
        const loss = LOSSES[name] ?? WIDESEEK_LOSS;
        const config: BatchConfig = { ...PRESETS.wideseek.batch, weighting };
        const batch = buildBatch(groups, config);
        fc.pre(batch.sequences.length > 0);
        const whole = evaluate(from, [batch.sequences], loss, batch.denominator);

        const packing = packSequences(
          batch.sequences.map(({ tokens }) => tokens.length),
          40,
        );
        const packed = packing.bins.map((bin) => bin.flatMap((i) => batch.sequences[i] ?? []));
        expectSame(evaluate(from, packed, loss, batch.denominator), whole);

        const reversed = buildBatch([...groups].reverse(), config);
        expectSame(evaluate(from, [reversed.sequences.reverse()], loss, reversed.denominator), whole);

        const apart = buildBatch(groups, { ...config, merge: false });
        expect(apart.denominator).toBe(batch.denominator);
        expectSame(
          evaluate(
            from,
            apart.sequences.map((s) => [s]),
            loss,
            apart.denominator,
          ),
          whole,
        );
        merged += apart.sequences.length - batch.sequences.length;
      }),
      { numRuns: 60 },
    );
    expect(merged).toBeGreaterThan(100);
  });

  it('has the gradient of finite differences through the model', () => {
    const smooth: LossConfig = {
      ...WIDESEEK_LOSS,
      kl: { kind: 'k2', beta: 0.1 },
      decoupled: { cap: null, action: 'mask' },
    };
    for (const seed of [1, 2, 3]) {
      const from = world(seed);
      const { sequences, denominator } = buildBatch(groupsOf(from), PRESETS.wideseek.batch);
      const analytic = evaluate(from, [sequences], smooth, denominator).gradient;
      const numeric = from.model.logits.map((logit, index) => {
        const at = (by: number): number => {
          const logits = from.model.logits.slice();
          logits[index] = logit + by;
          return evaluate({ ...from, model: { ...from.model, logits } }, [sequences], smooth, denominator)
            .loss;
        };
        return (at(1e-6) - at(-1e-6)) / 2e-6;
      });
      analytic.forEach((value, index) => expect(value).toBeCloseTo(numeric[index] ?? NaN, 6));
    }
  });

  it('of one token is weight · loss / denominator', () => {
    const sequence: Sequence = {
      groupId: 'g',
      rolloutId: 'r',
      agentId: 0,
      tokens: Int32Array.of(3, 4),
      spans: [
        {
          turnId: 't',
          start: 1,
          length: 1,
          logprobs: Float32Array.of(-1),
          versions: Int32Array.of(0),
          advantage: 2,
          weight: 0.25,
        },
      ],
    };
    const result = batchLoss([{ sequence, logprobs: { current: [0, -1] } }], WIDESEEK_LOSS, 0, 8);
    expect(result.loss).toBeCloseTo((-2 * 0.25) / 8, 12);
    expect(result.gradients[0]?.[1]).toBeCloseTo((-2 * 0.25) / 8, 12);
    expect(() => batchLoss([], WIDESEEK_LOSS, 0, 0)).toThrow(/denominator/);
    expect(() => sequenceLoss(sequence, { current: [0, NaN] }, WIDESEEK_LOSS, 0)).toThrow(
      /current log-probs\[1\]: NaN/,
    );
    const decoupled = PRESETS['asearcher-simple'].loss;
    expect(() => sequenceLoss(sequence, { current: [0, -1] }, decoupled, 0)).toThrow(
      /proximal log-probs\[1\]/,
    );
  });

  it('multiplies the parts: age, behaviour weight, clip and KL by hand', () => {
    const sequence: Sequence = {
      groupId: 'g',
      rolloutId: 'r',
      agentId: 0,
      tokens: Int32Array.of(3, 4),
      spans: [
        {
          turnId: 't',
          start: 1,
          length: 1,
          logprobs: Float32Array.of(-2),
          versions: Int32Array.of(3),
          advantage: 2,
          weight: 0.25,
        },
      ],
    };
    const logprobs = { current: [0, -1.4], proximal: [0, -1.5], reference: [0, -1] };
    const config: LossConfig = {
      ...WIDESEEK_LOSS,
      decoupled: { cap: 5, action: 'mask' },
      age: { maxTokenAge: 2, decay: 0.5 },
      kl: { kind: 'k2', beta: 0.1 },
    };
    // age 2: 0.25; π_prox/π_behav: e^0.5; ratio e^0.1 lies inside the clip; k2: 0.4²/2
    const policy = 0.25 * Math.exp(0.5) * -2 * Math.exp(0.1);
    const { sum, gradient, stats } = sequenceLoss(sequence, logprobs, config, 5);
    expect(sum).toBeCloseTo(0.25 * (policy + 0.1 * 0.08), 12);
    expect(gradient[1]).toBeCloseTo(0.25 * (policy + 0.1 * -0.4), 12);
    expect(stats).toMatchObject({ tokens: 1, masked: 0, clipped: 0 });

    const capped = { ...config, decoupled: { cap: 1.5, action: 'mask' as const } };
    for (const [dropped, version] of [
      [capped, 5],
      [config, 6],
    ] as const) {
      const result = sequenceLoss(sequence, logprobs, dropped, version);
      expect(result.sum).toBeCloseTo(0.25 * 0.1 * 0.08, 12);
      expect(result.stats.masked).toBe(1);
    }
  });

  it('with the sampler’s own weights has ratio 1 and equals the negative weighted advantages', () => {
    const from = world(9);
    const { sequences } = buildBatch(groupsOf(from), PRESETS.wideseek.batch);
    for (const sequence of sequences) {
      const current = bigramLogprobs(from.behaviour, sequence.tokens);
      const { sum, stats } = sequenceLoss(sequence, { current }, WIDESEEK_LOSS, VERSION);
      const expected = sequence.spans.reduce((acc, s) => acc - s.weight * s.advantage * s.length, 0);
      expect(sum).toBeCloseTo(expected, 6);
      expect(stats.ratioSum / stats.tokens).toBeCloseTo(1, 6);
      expect(stats.clipped).toBe(0);
    }
  });
});
