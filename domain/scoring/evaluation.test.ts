import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVALUATION_STATUSES, METRIC_NAMES, emptyEvaluation, f1, tally, zeroMetrics } from './evaluation.ts';

describe('tally', () => {
  it('gives the worked example: 3 gold rows, 3 answer rows, 2 joined, 1 all right', () => {
    const metrics = tally({ rowHits: 1, itemHits: 5, answer: 3, gold: 3, columns: 3 });
    expect(metrics.score).toBe(0);
    for (const name of METRIC_NAMES.filter((entry) => entry.endsWith('row')))
      expect(metrics[name]).toBeCloseTo(1 / 3, 12);
    for (const name of METRIC_NAMES.filter((entry) => entry.endsWith('item')))
      expect(metrics[name]).toBeCloseTo(5 / 9, 12);
  });

  it('is 0 where a side is empty and a success only where all six are 1', () => {
    expect(tally({ rowHits: 0, itemHits: 0, answer: 0, gold: 4, columns: 2 })).toEqual(zeroMetrics());
    expect(tally({ rowHits: 2, itemHits: 4, answer: 2, gold: 2, columns: 2 }).score).toBe(1);
    expect(tally({ rowHits: 2, itemHits: 4, answer: 2, gold: 3, columns: 2 }).score).toBe(0);
  });

  it('has F1 between precision and recall', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, (precision, recall) => {
        const value = f1(precision, recall);
        expect(value).toBeLessThanOrEqual(Math.max(precision, recall) + 1e-12);
        if (precision + recall > 1e-9)
          expect(value).toBeGreaterThanOrEqual(Math.min(precision, recall) - 1e-12);
        else expect(value).toBe(0);
      }),
    );
  });
});

describe('emptyEvaluation', () => {
  it('has numbers only where the answer is to blame', () => {
    const withNumbers = EVALUATION_STATUSES.filter((status) => emptyEvaluation(status, []).metrics !== null);
    expect(withNumbers).toEqual(['ok', 'no_response', 'no_table', 'column_mismatch']);
  });
});
