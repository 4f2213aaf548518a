import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import type { Page, Unreadable } from '../search/port.ts';
import { createMemoryIndex } from './cache-index.fake.ts';
import { createPageCache, type PageCache } from './cache.ts';
import { createCachedReader } from './cached-reader.ts';
import type { PageReader } from './direct-reader.ts';

const signal = (): AbortSignal => new AbortController().signal;

function setup(options: { maxEntries?: number; answer?: (url: string) => Page | Unreadable } = {}) {
  const texts = new Map<string, string>();
  const blobs = {
    put: async (text: string) => {
      const ref = createHash('sha256').update(text).digest('hex');
      texts.set(ref, text);
      return ref;
    },
    get: async (ref: string) => {
      const text = texts.get(ref);
      if (text === undefined) throw new WideseekError('NotFound', ref);
      return text;
    },
  };
  const index = createMemoryIndex();
  const clock = { now: 1_000 };
  const cache = createPageCache({
    blobs,
    index,
    maxEntries: options.maxEntries,
    ttlMs: 10_000,
    now: () => clock.now,
  });
  const fetched: string[] = [];
  const read: PageReader = async (url) => {
    fetched.push(url);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return options.answer?.(url) ?? { url, title: 't', text: `text of ${url}` };
  };
  const access = createCachedReader({ read, cache, briefMs: 100, lastingMs: 1_000 });
  return { access, cache, clock, fetched, index, texts };
}

describe('a cached reader', () => {
  it('reads a page once for ten agents at the same time, and not again later', async () => {
    const { access, fetched } = setup();
    const forms = [
      'https://www.a.example/x',
      'https://a.example/x/?utm_source=n',
      'http://m.a.example/x#part',
    ];
    const pages = await Promise.all(
      Array.from({ length: 10 }, (_, n) => access(forms[n % 3] ?? '', signal())),
    );
    expect(new Set(pages.map((page) => 'text' in page && page.text)).size).toBe(1);
    await access('https://a.example/x', signal());
    expect(fetched).toHaveLength(1);
  });

  it('knows a page also by where its redirects ended', async () => {
    const { access, fetched } = setup({
      answer: () => ({ url: 'https://b.example/end', title: '', text: 'x' }),
    });
    await access('https://a.example/start', signal());
    await access('https://b.example/end', signal());
    expect(fetched).toEqual(['https://a.example/start']);
  });

  it('reads a page again when it is old', async () => {
    const { access, clock, fetched } = setup();
    await access('https://a.example/x', signal());
    clock.now += 10_001;
    await access('https://a.example/x', signal());
    expect(fetched).toHaveLength(2);
  });

  it.each([
    ['timeout', 100],
    ['not_found', 1_000],
  ])('remembers %s for %i ms and never as a page', async (unreadable, lifeMs) => {
    const { access, clock, fetched, cache } = setup({ answer: (url) => ({ url, unreadable }) });
    await access('https://a.example/x', signal());
    clock.now += lifeMs - 1;
    expect(await access('https://a.example/x', signal())).toMatchObject({ unreadable });
    expect(fetched).toHaveLength(1);
    expect(await cache.get('https://a.example/x')).not.toHaveProperty('text');
    clock.now += 2;
    await access('https://a.example/x', signal());
    expect(fetched).toHaveLength(2);
  });

  it('keeps a page that another worker read meanwhile against a late reason', async () => {
    const { cache } = setup();
    await cache.put({ url: 'https://a.example/x', title: '', text: 'good' });
    await cache.putNegative('https://a.example/x', 'timeout', 1_000);
    expect(await cache.get('https://a.example/x')).toMatchObject({ text: 'good' });
  });

  it('drops what was used longest ago when it is full', async () => {
    const { access, cache, index } = setup({ maxEntries: 3 });
    for (const n of [1, 2, 3]) await access(`https://a.example/${n}`, signal());
    await cache.get('https://a.example/1');
    for (const n of [4, 5, 6]) {
      await access(`https://a.example/${n}`, signal());
      await cache.get('https://a.example/1');
    }
    expect(index.size()).toBe(3);
    expect(await cache.get('https://a.example/1')).toBeDefined();
    expect(await cache.get('https://a.example/2')).toBeUndefined();
  });

  it('fetches where a record is gone or damaged, or the cache is down', async () => {
    const { access, texts, fetched } = setup();
    await access('https://a.example/x', signal());
    for (const ref of texts.keys()) texts.set(ref, '{"url": 4}');
    await access('https://a.example/x', signal());
    texts.clear();
    await access('https://a.example/x', signal());
    expect(fetched).toHaveLength(3);
    const down = (): Promise<never> => Promise.reject(new WideseekError('Overloaded', 'down'));
    const broken: PageCache = { get: down, put: down, putNegative: down };
    const read = createCachedReader({ read: async (url) => ({ url, title: '', text: 'x' }), cache: broken });
    expect(await read('https://a.example/x', signal())).toMatchObject({ text: 'x' });
  });

  it('goes on for the others when one agent is cancelled, and stops when all are', async () => {
    const { cache } = setup();
    const signals: AbortSignal[] = [];
    const read: PageReader = (url, inner) =>
      new Promise((resolve, reject) => {
        signals.push(inner);
        inner.addEventListener('abort', () => reject(inner.reason as Error));
        setTimeout(() => resolve({ url, title: '', text: 'x' }), 60);
      });
    const access = createCachedReader({ read, cache });
    const [first, second] = [new AbortController(), new AbortController()];
    const left = access('https://a.example/x', first.signal);
    const stays = access('https://a.example/x', second.signal);
    await new Promise((resolve) => setTimeout(resolve, 10));
    first.abort(new Error('cancelled'));
    await expect(left).rejects.toThrow('cancelled');
    expect(await stays).toMatchObject({ text: 'x' });
    expect(signals).toHaveLength(1);
    const third = new AbortController();
    const alone = access('https://a.example/y', third.signal);
    await new Promise((resolve) => setTimeout(resolve, 10));
    third.abort(new Error('cancelled too'));
    await expect(alone).rejects.toThrow('cancelled too');
    expect(signals[1]?.aborted).toBe(true);
  });
});
