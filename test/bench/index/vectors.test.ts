import { describe, expect, it } from 'vitest';
import { createWordEncoder } from '../../../activities/search/word-encoder.fake.ts';
import { benchIndex } from './bench.ts';
import { exactNearest, near, randomFrom, recall } from './vectors.ts';

describe('vectors of the benchmark', () => {
  it('are unit vectors about as near as asked, the same every time', () => {
    const centre = near(new Float32Array(384).fill(1), 0, randomFrom(1));
    const made = Array.from({ length: 50 }, (_, seed) => near(centre, 0.33, randomFrom(seed)));
    for (const vector of made) {
      const cosine = vector.reduce((sum, value, i) => sum + value * centre[i]!, 0);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
      expect(cosine).toBeGreaterThan(0.9);
      expect(cosine).toBeLessThan(0.99);
    }
    expect(near(centre, 0.33, randomFrom(7))).toEqual(made[7]);
  });

  it('are compared exactly', () => {
    const vectors = [
      [1, 0],
      [0, 1],
      [0.6, 0.8],
    ].map((values) => Float32Array.from(values));
    expect(exactNearest(vectors, Float32Array.from([0, 1]), 2)).toEqual([1, 2]);
    expect(recall([1, 2], [2, 0])).toBe(0.5);
  });
});

it('measures a small index, which finds what a full scan finds', async () => {
  const result = await benchIndex({
    passages: 300,
    encoded: 40,
    queries: 10,
    log: () => {},
    encoder: createWordEncoder(),
  });
  expect(result).toMatchObject({ passages: 300, encoder: 'words-64' });
  expect(result.recall).toBeGreaterThan(0.99);
  expect(result.search.map(({ name }) => name)).toHaveLength(3);
  for (const { p50, p99, perSecond } of result.search) {
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
    expect(perSecond).toBeGreaterThan(0);
  }
});
