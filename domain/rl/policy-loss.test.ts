import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASEARCHER_CLIP, WIDESEEK_CLIP, tokenLoss } from './policy-loss.ts';

const at = (ratio: number, advantage: number, clip = WIDESEEK_CLIP) =>
  tokenLoss(-20 + Math.log(ratio), -20, advantage, clip);

describe('tokenLoss', () => {
  it.each([
    // ratio, advantage, loss, slope by the log-prob
    [1, 2, -2, -2],
    [1.2, 1, -1.2, -1.2],
    [1.5, 1, -1.28, 0],
    [0.5, 1, -0.5, -0.5],
    [1.5, -1, 1.5, 1.5],
    [0.5, -1, 0.8, 0],
    [9, -1, 9, 9],
    [12, -1, 10, 0],
    [12, 1, -1.28, 0],
    [5, 0, 0, 0],
  ])('ratio %f, advantage %f: loss %f, slope %f', (ratio, advantage, loss, slope) => {
    const result = at(ratio, advantage);
    expect(result.loss).toBeCloseTo(loss, 10);
    expect(result.gradient).toBeCloseTo(slope, 10);
  });

  it('says what held the loss', () => {
    expect(at(1.5, 1)).toMatchObject({ clipped: true, dualClipped: false, bounded: 1.28 });
    expect(at(0.5, 1)).toMatchObject({ clipped: false, bounded: 0.8 });
    expect(at(12, -1)).toMatchObject({ clipped: false, dualClipped: true });
    expect(at(12, -1, { ...WIDESEEK_CLIP, dualClip: null })).toMatchObject({ dualClipped: false });
    expect(at(1.35, 1, ASEARCHER_CLIP)).toMatchObject({ clipped: false });
  });

  it('clamps the log ratio at 20, where there is no slope any more', () => {
    const result = tokenLoss(0, -50, -1, { ...WIDESEEK_CLIP, dualClip: null });
    expect(result.ratio).toBe(Math.exp(20));
    expect(result.gradient).toBe(0);
  });

  const logprob = fc.double({ min: -3, max: 0, noNaN: true });
  const advantage = fc.double({ min: -3, max: 3, noNaN: true });

  it('slope is the finite difference away from the kinks', () => {
    fc.assert(
      fc.property(logprob, logprob, advantage, (current, old, a) => {
        const h = 1e-6;
        const loss = (by: number): number => tokenLoss(current + by, old, a, WIDESEEK_CLIP).loss;
        const ratio = Math.exp(current - old);
        fc.pre([0.8, 1.28, 10].every((kink) => Math.abs(ratio - kink) > 1e-3));
        const slope = tokenLoss(current, old, a, WIDESEEK_CLIP).gradient;
        expect(slope).toBeCloseTo((loss(h) - loss(-h)) / (2 * h), 5);
      }),
    );
  });

  it('is homogeneous in the advantage: weights may travel inside it', () => {
    fc.assert(
      fc.property(
        logprob,
        logprob,
        advantage,
        fc.double({ min: 0, max: 10, noNaN: true }),
        (current, old, a, s) => {
          const base = tokenLoss(current, old, a, WIDESEEK_CLIP);
          const scaled = tokenLoss(current, old, s * a, WIDESEEK_CLIP);
          expect(scaled.loss).toBeCloseTo(s * base.loss, 9);
          expect(scaled.gradient).toBeCloseTo(s * base.gradient, 9);
        },
      ),
    );
  });
});
