import { describe, expect, it } from 'vitest';
import { isLatin } from './script.ts';

describe('isLatin', () => {
  it.each(['Zürich', 'capital of 中国 (China)', '42 %', ''])('%j is', (text) => {
    expect(isLatin(text)).toBe(true);
  });

  it.each(['铁的原子序数', 'GDP 非洲内陆国家', 'столица Норвегии'])('%j is not', (text) => {
    expect(isLatin(text)).toBe(false);
  });
});
