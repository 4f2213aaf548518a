import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildSampleCorpus } from './corpus.ts';

const { pages } = buildSampleCorpus();
const page = (language: 'en' | 'zh', title: string): string => {
  const found = pages.find(
    (candidate) => candidate.title === title && candidate.url.includes(`/${language}/`),
  );
  if (!found) throw new Error(`no page ${title}`);
  return found.contents;
};
const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

describe('buildSampleCorpus', () => {
  it('has a page per country and element in both languages, and lists', () => {
    const per = (language: string): number => pages.filter(({ url }) => url.includes(`/${language}/`)).length;
    expect(per('en')).toBeGreaterThan(500);
    expect(per('zh')).toBeGreaterThan(400);
    expect(page('en', 'Burkina Faso')).toContain('Ouagadougou');
    expect(page('zh', '布基纳法索')).toContain('Ouagadougou');
    expect(page('en', 'Mercury (element)')).toContain('Hg');
    expect(page('zh', '氪')).toContain('Kr');
  });

  it('has unique URLs of one form', () => {
    expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length);
    for (const { url } of pages)
      expect(url).toMatch(/^https:\/\/sample\.wideseek\.example\/(en|zh)\/wiki\/[^\s/]+$/);
  });

  it('is the same on every call', () => {
    expect(digest(buildSampleCorpus())).toBe(digest({ pages }));
  });

  it('keeps pages between a paragraph and a long article', () => {
    for (const { title, url, contents } of pages) {
      // A Chinese character carries about as much as two to three English ones.
      const least = url.includes('/en/') ? 600 : 320;
      expect(contents.length, title).toBeGreaterThanOrEqual(least);
      expect(contents.length, title).toBeLessThanOrEqual(3300);
      expect(contents, title).not.toMatch(/undefined|null|NaN|\[object/);
    }
  });

  it('tells the same kind of fact in many ways', () => {
    const phrasings = [
      /The capital is/,
      /Its capital city is/,
      /is the capital of/,
      /serves as the capital/,
      /seat in/,
    ];
    for (const phrasing of phrasings)
      expect(pages.filter(({ contents }) => phrasing.test(contents)).length).toBeGreaterThan(5);
    const separators = [/\d,\d{3} km²/, /\d\u00a0\d{3}/, /\d{5,} (km|sq)/];
    for (const separator of separators)
      expect(pages.filter(({ contents }) => separator.test(contents)).length).toBeGreaterThan(5);
  });

  it('states some facts in one place only', () => {
    const facts = pages.filter(({ url }) => url.includes('/en/')).map(({ contents }) => contents);
    const prose = /(capital is |capital city is |is the capital|as the capital|, the capital)/;
    const block = /Capital( city)?(: | \| )/;
    expect(facts.filter((text) => prose.test(text) && !block.test(text)).length).toBeGreaterThan(20);
    expect(facts.filter((text) => !prose.test(text) && block.test(text)).length).toBeGreaterThan(20);
    expect(facts.filter((text) => prose.test(text) && block.test(text)).length).toBeGreaterThan(20);
  });

  it('writes lists as tables, bullets and prose', () => {
    const lists = pages.filter(({ title }) => /^(List of|Countries|Sovereign|Land|Elements)/.test(title));
    expect(lists.filter(({ contents }) => contents.includes('| --- |')).length).toBeGreaterThan(10);
    expect(lists.filter(({ contents }) => /^- /m.test(contents)).length).toBeGreaterThan(10);
    expect(lists.filter(({ contents }) => contents.includes('They are ')).length).toBeGreaterThan(10);
  });
});
