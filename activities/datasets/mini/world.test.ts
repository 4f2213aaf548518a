import { describe, expect, it } from 'vitest';
import { createMemorySearch } from '../../search/memory.ts';
import { buildMiniCorpus } from './pages.ts';
import { ATTRIBUTES } from './pools.ts';
import { createRandom } from './random.ts';
import { inventWorld, miniNames, miniWorld } from './world.ts';

const signal = new AbortController().signal;

describe('the invented world', () => {
  it('has 36 groups of 5 to 7 entities with a value for every attribute, the same on every call', () => {
    const { groups } = miniWorld();
    expect(groups).toHaveLength(36);
    const sizes = new Set(groups.map(({ members }) => members.length));
    expect([...sizes].sort()).toEqual([5, 6, 7]);
    for (const { values } of groups.flatMap(({ members }) => members))
      expect(Object.keys(values)).toEqual(ATTRIBUTES.map(({ name }) => name));
    expect(inventWorld('mini-1', { groups: 36 })).toEqual(miniWorld());
    expect(inventWorld('mini-2', { groups: 36 })).not.toEqual(miniWorld());
  });

  it('uses no name twice and none that is to be avoided', () => {
    const count = miniWorld().groups.reduce((sum, { members }) => sum + 1 + members.length, 0);
    expect(miniNames().size).toBe(count);
    const other = inventWorld('mini-1', { groups: 36, avoid: miniNames() });
    const names = other.groups.flatMap(({ name, members }) => [name, ...members.map((one) => one.name)]);
    expect(names.filter((name) => miniNames().has(name))).toEqual([]);
  });

  it('is found by its names: each query of a whole name has its own page first', async () => {
    const pages = buildMiniCorpus();
    expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length);
    const search = createMemorySearch('mini', pages, pages);
    for (const page of pages) expect((await search.search(page.title, 1, signal))[0]!.url).toBe(page.url);
  });

  it('tells every value on its entity’s page', () => {
    const texts = new Map(buildMiniCorpus().map(({ title, text }) => [title, text]));
    for (const { name, values } of miniWorld().groups.flatMap(({ members }) => members))
      for (const value of Object.values(values)) expect(texts.get(name)).toContain(` ${value}.`);
  });
});

describe('createRandom', () => {
  it('draws by weight and shuffles without loss', () => {
    const random = createRandom('seed');
    const drawn = Array.from({ length: 4_000 }, () => random.weighted([1, 0, 3]));
    expect(drawn).not.toContain(1);
    const share = drawn.filter((index) => index === 2).length / drawn.length;
    expect(Math.abs(share - 0.75)).toBeLessThan(0.03);
    expect([...random.shuffle([1, 2, 3, 4])].sort()).toEqual([1, 2, 3, 4]);
    expect(createRandom('seed').next()).toBe(createRandom('seed').next());
  });
});
