import { describe, expect, it } from 'vitest';
import { klEstimate, klGradient } from './kl.ts';
import type { KlKind } from './kl.ts';

const softmax = (logits: readonly number[]): number[] => {
  const exps = logits.map(Math.exp);
  const total = exps.reduce((sum, value) => sum + value, 0);
  return exps.map((value) => value / total);
};
const POLICY = [0.3, -0.7, 1.1];
const REFERENCE = softmax([0, 0.4, -0.2]);

/** Gradient by the policy's logits of E over the policy of the estimator's per-token gradient. */
const expected = (kind: KlKind): number[] => {
  const p = softmax(POLICY);
  return p.map((_, logit) =>
    p.reduce((sum, probability, token) => {
      const slope = klGradient(kind, Math.log(probability), Math.log(REFERENCE[token] ?? 1));
      return sum + probability * slope * (Number(token === logit) - (p[logit] ?? 0));
    }, 0),
  );
};
const numeric = (value: (logits: readonly number[]) => number): number[] =>
  POLICY.map((_, index) => {
    const at = (by: number): number => value(POLICY.map((logit, i) => (i === index ? logit + by : logit)));
    return (at(1e-5) - at(-1e-5)) / 2e-5;
  });
const divergence = (p: readonly number[], q: readonly number[]): number =>
  p.reduce((sum, value, index) => sum + value * Math.log(value / (q[index] ?? 1)), 0);

describe('KL estimators', () => {
  it('have the textbook values', () => {
    const policy = Math.log(0.5);
    const reference = Math.log(0.25);
    expect(klEstimate('k1', policy, reference)).toBeCloseTo(Math.log(2), 12);
    expect(klEstimate('k2', policy, reference)).toBeCloseTo(Math.log(2) ** 2 / 2, 12);
    expect(klEstimate('k3', policy, reference)).toBeCloseTo(0.5 + Math.log(2) - 1, 12);
    for (const kind of ['k1', 'k2', 'k3'] as const) expect(klEstimate(kind, -1, -1)).toBeCloseTo(0, 15);
  });

  it('estimate the divergence: k1 and k3 are unbiased', () => {
    const p = softmax(POLICY);
    for (const kind of ['k1', 'k3'] as const) {
      const mean = p.reduce(
        (sum, value, token) =>
          sum + value * klEstimate(kind, Math.log(value), Math.log(REFERENCE[token] ?? 1)),
        0,
      );
      expect(mean).toBeCloseTo(divergence(p, REFERENCE), 12);
    }
  });

  it('k1 and k2 push along KL(policy, reference), k3 along KL(reference, policy)', () => {
    const forward = numeric((logits) => divergence(softmax(logits), REFERENCE));
    const backward = numeric((logits) => divergence(REFERENCE, softmax(logits)));
    for (const kind of ['k1', 'k2'] as const)
      expected(kind).forEach((value, index) => expect(value).toBeCloseTo(forward[index] ?? NaN, 8));
    expected('k3').forEach((value, index) => expect(value).toBeCloseTo(backward[index] ?? NaN, 8));
  });

  it('k2 and k3 gradients are the derivatives of their estimates', () => {
    for (const kind of ['k2', 'k3'] as const)
      for (const d of [-3, -0.2, 0, 0.4, 2]) {
        const slope = (klEstimate(kind, -2 + 1e-6, -2 + d) - klEstimate(kind, -2 - 1e-6, -2 + d)) / 2e-6;
        expect(klGradient(kind, -2, -2 + d)).toBeCloseTo(slope, 5);
      }
  });

  it('are bounded as published: the ratio in ±20, k3 at 10 with no gradient beyond', () => {
    expect(klEstimate('k1', -100, 0)).toBe(-20);
    expect(klEstimate('k3', -30, 0)).toBe(10);
    expect(klGradient('k3', -5, 0)).toBe(0);
    expect(klGradient('k2', -30, 0)).toBe(0);
    expect(klGradient('k1', -30, 0)).toBe(-20);
  });
});
