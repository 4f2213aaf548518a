import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillTemplates, uniqueMaximum } from './deep-spec.ts';
import { assignSplits } from './splits.ts';

const topics = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ topic: `t${index}`, stratum: index % 2 ? 'a' : 'b' }));

describe('assignSplits', () => {
  it('gives three fifths of every stratum to training and leaves the order of topics out of it', () => {
    const splits = assignSplits(topics(50));
    for (const stratum of ['a', 'b']) {
      const own = topics(50).filter((entry) => entry.stratum === stratum);
      const count = (split: string) => own.filter(({ topic }) => splits.get(topic) === split).length;
      expect([count('train'), count('dev'), count('test')]).toEqual([15, 5, 5]);
    }
    expect(assignSplits(topics(50).reverse())).toEqual(splits);
  });

  it('keeps the fixed ones, and other strata when one is added', () => {
    expect(assignSplits(topics(10), { t3: 'dev' }).get('t3')).toBe('dev');
    const more = assignSplits([...topics(20), { topic: 'new', stratum: 'c' }]);
    for (const [topic, split] of assignSplits(topics(20))) expect(more.get(topic)).toBe(split);
  });
});

describe('uniqueMaximum', () => {
  it('is null when the answer would not be single', () => {
    const value = (row: number | null): number | null => row;
    expect(uniqueMaximum([1, 3, 2], value)).toBe(3);
    expect(uniqueMaximum([3, 3, 2], value)).toBeNull();
    expect(uniqueMaximum([3, null], value)).toBeNull();
    expect(uniqueMaximum([3], value)).toBeNull();
  });

  it('finds the maximum of distinct numbers', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { minLength: 2, maxLength: 20 }), (rows) => {
        return uniqueMaximum(rows, (row) => row) === Math.max(...rows);
      }),
    );
  });
});

describe('fillTemplates', () => {
  it('uses each answer once per template and skips starts without one', () => {
    const parity = (start: number) =>
      start === 0
        ? null
        : {
            hops: 1 as const,
            question: { en: `${start}?`, zh: `${start}？` },
            answer: { en: start % 2 ? 'odd' : 'even', zh: start % 2 ? '奇' : '偶' },
          };
    const made = fillTemplates({ parity }, [0, 1, 2, 3, 4], String, 5);
    expect(made.map(({ answer }) => answer.en).sort()).toEqual(['even', 'odd']);
    expect(made.map(({ topic }) => topic)).not.toContain('0');
  });
});
