import { describe, expect, it } from 'vitest';
import { searchTerms } from './terms.ts';

const words = (text: string): string[] => searchTerms(text).split(/\s+/).filter(Boolean);

describe('searchTerms', () => {
  it('makes characters and pairs of Chinese text and leaves Latin words', () => {
    expect(words('The 内蒙古 region')).toEqual(['The', '内', '蒙', '古', '内蒙', '蒙古', 'region']);
    expect(words('GDP为3亿')).toEqual(['GDP', '为', '3', '亿']);
  });

  it('lets a part of a name find the whole: its pairs are a subset', () => {
    const page = new Set(words('内蒙古自治区的首府是呼和浩特市'));
    expect(words('呼和浩特').every((pair) => page.has(pair))).toBe(true);
  });

  it('splits characters outside the basic plane as one character', () => {
    expect(words('𠮷野家')).toEqual(['𠮷', '野', '家', '𠮷野', '野家']);
  });
});
