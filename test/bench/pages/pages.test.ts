import { describe, expect, it } from 'vitest';
import { extractPage } from '../../../activities/pages/extract.ts';
import { printPages } from './bench.ts';
import { benchCache } from './cache.ts';
import { samplePage, SIZES } from './samples.ts';

describe('the pages of the bench', () => {
  it('are of the sizes that they are called', () => {
    const [small, typical, large] = SIZES.map((size) => samplePage(size).length);
    expect([
      small! < 6_000,
      typical! > 50_000 && typical! < 200_000,
      large! > 4_500_000 && large! < 6_000_000,
    ]).toEqual([true, true, true]);
  });

  it('are pages that our reader takes for some: menus out, tables in', async () => {
    const body = Buffer.from(samplePage('typical'));
    const url = 'https://site.example/';
    const read = await extractPage(
      { url, status: 200, headers: {}, body },
      url,
      new AbortController().signal,
    );
    expect('text' in read && read.text).toContain('| 1959 | Quay 59 | 1003 |');
    expect('text' in read && read.text).not.toContain('Menu 7');
  });
});

it('counts what the caches save', async () => {
  const [without, cached] = await benchCache();
  expect(without).toMatchObject({ searches: 30, fetches: 100 });
  expect(cached).toMatchObject({ searches: 3, fetches: 10 });
  const run = { bytes: 2_048, chars: 3_000, pages: 1, peakMb: 1 };
  const row = (contestant: 'threads' | 'readability', cpuMs: number) => ({
    size: 'small' as const,
    contestant,
    runs: [{ ...run, cpuMs, perSecond: 10 }],
  });
  expect(printPages({ extract: [row('threads', 20), row('readability', 10)], cache: [cached!] })).toMatch(
    /small \(2 KB\) +ours, one thread +10\.0 +20\.0 +2\.00/,
  );
});
