import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildBatch } from './batch.ts';
import { engineCall, positionLogprobs } from './datum.ts';
import type { TrainItem } from './datum.ts';
import { ENGINES, planLoss } from './engine.ts';
import type { EngineCapabilities } from './engine.ts';
import { WIDESEEK_LOSS, batchLoss } from './loss.ts';
import type { LossConfig } from './loss.ts';
import { PRESETS } from './presets.ts';
import { addGradient, bigramLogprobs, perturbed, randomBigram, seeded } from './testing/bigram.ts';
import { engineGradient } from './testing/fake-engine.ts';
import { makeGroup } from './testing/make.ts';
import type { Sequence } from './types.ts';

const VERSION = 5;
const kl = { kind: 'k3', beta: 0.05 } as const;
const dual = { ...WIDESEEK_LOSS.clip, dualClip: 1.2 };
const LOSSES: LossConfig[] = [
  WIDESEEK_LOSS,
  { ...WIDESEEK_LOSS, clip: dual },
  { ...WIDESEEK_LOSS, clip: dual, kl },
  { ...WIDESEEK_LOSS, age: { maxTokenAge: 3, decay: 0.8 } },
  PRESETS['asearcher-simple'].loss,
  {
    ...PRESETS['asearcher-simple'].loss,
    decoupled: { cap: 1.2, action: 'mask' },
    kl: { kind: 'k1', beta: 0.1 },
  },
  { ...WIDESEEK_LOSS, decoupled: { cap: 1.1, action: 'clamp' }, kl: { kind: 'k2', beta: 0.1 } },
];
const base = { ...ENGINES['local-jax'], dualClip: false };
const ABLE: EngineCapabilities[] = [
  base,
  { ...base, dualClip: true },
  { ...base, clip: false },
  ENGINES['skyrl-jax'],
  { ...ENGINES['skyrl-jax'], meanOver: 'call' },
];

describe('engineCall', () => {
  it('makes every engine take the intended gradient, whatever its reduction and its gaps', () => {
    let clipped = 0;
    const cases = fc.record({
      seed: fc.nat(1e6),
      loss: fc.constantFrom(...LOSSES),
      weighting: fc.constantFrom('dual-kept' as const, 'token-mean' as const),
      callSize: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(cases, ({ seed, loss, weighting, callSize }) => {
        const next = seeded(seed);
        const behaviour = randomBigram(next, 5);
        const model = perturbed(behaviour, next, 0.6);
        const reference = randomBigram(next, 5);
        const groups = ['g0', 'g1'].map((id) => makeGroup(next, behaviour, undefined, id));
        const { sequences, denominator } = buildBatch(groups, { ...PRESETS.wideseek.batch, weighting });
        fc.pre(sequences.length > 0);
        const items: TrainItem[] = sequences.map((sequence) => ({
          sequence,
          proximal: bigramLogprobs(model, sequence.tokens),
          reference: bigramLogprobs(reference, sequence.tokens),
        }));

        const wanted = new Float64Array(model.logits.length);
        const intended = batchLoss(
          items.map(({ sequence, proximal = [], reference: ref }) => ({
            sequence,
            logprobs: { current: proximal, proximal, reference: ref },
          })),
          loss,
          VERSION,
          denominator,
        );
        intended.gradients.forEach((slopes, i) => {
          addGradient(model, sequences[i]?.tokens ?? [], slopes, wanted);
          clipped += slopes.filter((slope) => slope === 0).length;
        });

        for (const engine of ABLE) {
          const plan = planLoss(loss, engine, 1);
          const context = { loss, plan, engine, version: VERSION, denominator, datumsInStep: items.length };
          const calls = Array.from({ length: Math.ceil(items.length / callSize) }, (_, call) =>
            engineCall(items.slice(call * callSize, (call + 1) * callSize), context),
          );
          const got = engineGradient(model, calls, plan, engine);
          got.forEach((value, index) => expect(Math.abs(value - (wanted[index] ?? NaN))).toBeLessThan(1e-6));
        }
      }),
      { numRuns: 80 },
    );
    expect(clipped).toBeGreaterThan(0);
  });

  const sequence: Sequence = {
    groupId: 'g',
    rolloutId: 'r',
    agentId: 0,
    tokens: Int32Array.of(1, 2, 3, 4, 5),
    spans: [
      {
        turnId: 't',
        start: 2,
        length: 2,
        logprobs: Float32Array.of(-1, -2),
        versions: Int32Array.of(0, 0),
        advantage: 3,
        weight: 0.5,
      },
    ],
  };
  const loss: LossConfig = { ...WIDESEEK_LOSS, clip: { ...WIDESEEK_LOSS.clip, dualClip: null } };
  const contextOf = (engine: EngineCapabilities) => ({
    loss,
    plan: planLoss(loss, engine, 1),
    engine,
    version: 0,
    denominator: 4,
    datumsInStep: 10,
  });

  it('shifts by one and scales for the reduction', () => {
    const summed = {
      tokens: Int32Array.of(1, 2, 3, 4),
      targets: Int32Array.of(2, 3, 4, 5),
      weights: Float32Array.of(0, 1, 1, 0),
      logprobs: Float32Array.of(0, -1, -2, 0),
      advantages: Float32Array.of(0, 0.375, 0.375, 0),
    };
    expect(engineCall([{ sequence }], contextOf(base))).toEqual([summed]);
    const mean = engineCall([{ sequence }], contextOf(ENGINES['skyrl-jax']));
    expect(mean).toEqual([{ ...summed, advantages: Float32Array.of(0, 7.5, 7.5, 0) }]);
    const perCall = engineCall([{ sequence }], contextOf({ ...ENGINES['skyrl-jax'], meanOver: 'call' }));
    expect(perCall).toEqual([{ ...summed, advantages: Float32Array.of(0, 0.75, 0.75, 0) }]);
  });

  it('refuses sequences without loss tokens, missing log-probs and values that are not numbers', () => {
    const context = contextOf(base);
    expect(() => engineCall([{ sequence: { ...sequence, spans: [] } }], context)).toThrow(/no loss tokens/);
    const spans = sequence.spans.map((span) => ({ ...span, logprobs: Float32Array.of(-1, NaN) }));
    expect(() => engineCall([{ sequence: { ...sequence, spans } }], context)).toThrow(/turn t, token 1/);
    const decoupled = PRESETS['asearcher-simple'].loss;
    const plan = planLoss(decoupled, base, 1);
    expect(() => engineCall([{ sequence }], { ...context, loss: decoupled, plan })).toThrow(
      /proximal log-probs/,
    );
    expect(() => engineCall([{ sequence }], { ...context, denominator: 0 })).toThrow(/denominator/);
  });

  it('reads a forward result by position and refuses one that does not fit', () => {
    expect([...positionLogprobs(sequence, [-1, -2, -3, -4])]).toEqual([0, -1, -2, -3, -4]);
    expect(() => positionLogprobs(sequence, [-1, -2, -3])).toThrow(/3 log-probs for 4 targets/);
    expect(() => positionLogprobs(sequence, [-1, NaN, -3, -4])).toThrow(/log-prob NaN in turn t/);
  });
});
