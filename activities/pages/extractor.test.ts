import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { extractPage } from './extract.ts';
import { createExtractor, type ExtractorOptions } from './extractor.ts';
import type { Fetched } from './fetch-page.ts';
import { writePdf } from './pdf-writer.fake.ts';
import { article } from './test-web.fake.ts';

const extractors: ReturnType<typeof createExtractor>[] = [];
const open = (options: ExtractorOptions = {}): ReturnType<typeof createExtractor> => {
  const extractor = createExtractor({ threads: 1, ...options });
  extractors.push(extractor);
  return extractor;
};
afterAll(() => Promise.all(extractors.map((extractor) => extractor.close())));

const URL_OF_PAGE = 'https://site.example/dir/page';
const signal = (): AbortSignal => new AbortController().signal;
const fetched = (body: string | Buffer, type = 'text/html'): Fetched => ({
  url: URL_OF_PAGE,
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.from(body),
});
/** A page of one table; from 12,000 rows on it has too many tags for a tree and is read as bare text. */
const large = (count: number): string => {
  const row = (n: number): string =>
    `<tr><td>Town ${n}</td><td>${n * 7}</td><td>founded in ${n % 900}</td></tr>`;
  const rows = Array.from({ length: count }, (_, n) => row(n)).join('');
  return article('Towns').replace(
    '</main>',
    `<table><tr><th>a</th><th>b</th><th>c</th></tr>${rows}</table></main>`,
  );
};

describe('extraction on threads', { timeout: 120_000 }, () => {
  const { extract } = open();

  it('says the same as in this thread: HTML, PDF, refusals', async () => {
    const html = readFileSync(
      new URL('../../test/fixtures/pages/walls/challenge.cloudflare.html', import.meta.url),
    );
    const documents: Fetched[] = [
      fetched(article('The page')),
      fetched(html),
      fetched(writePdf({ title: 'Report', pages: [['A line of text']] }), 'application/pdf'),
      { ...fetched('gone'), status: 404 },
    ];
    for (const document of documents) {
      const here = await extractPage(document, URL_OF_PAGE, signal());
      expect(await extract(document, URL_OF_PAGE, signal())).toEqual(here);
    }
  });

  it('leaves this thread free to beat while a large page is parsed', async () => {
    const document = fetched(large(11_000));
    await extract(fetched(article('warm')), URL_OF_PAGE, signal());
    let beats = 0;
    const timer = setInterval(() => beats++, 5);
    const page = await extract(document, URL_OF_PAGE, signal());
    clearInterval(timer);
    expect('text' in page && page.text.length).toBeGreaterThan(300_000);
    // In this thread nothing else would run before the page is done.
    expect(beats).toBeGreaterThan(5);
  });

  it('waits in line without a thread dying for those who leave', async () => {
    const stop = new AbortController();
    const first = extract(fetched(large(5_000)), URL_OF_PAGE, signal());
    const waiting = extract(fetched(article('waiting')), URL_OF_PAGE, stop.signal);
    stop.abort(new Error('not needed any more'));
    await expect(waiting).rejects.toThrow('not needed any more');
    expect(await first).toMatchObject({ title: 'Towns' });
  });
});

describe('limits', { timeout: 120_000 }, () => {
  it('a page that takes too long is too complex, and the next one is read', async () => {
    const { extract } = open({ timeoutMs: 60 });
    expect(await extract(fetched(large(11_000)), URL_OF_PAGE, signal())).toEqual({
      url: URL_OF_PAGE,
      unreadable: 'too_complex',
    });
    const patient = open();
    expect(await patient.extract(fetched(article('Next')), URL_OF_PAGE, signal())).toMatchObject({
      title: 'Next',
    });
  });

  it('so is a page that takes too much memory, and the pool goes on', async () => {
    const { extract } = open({ memoryMb: 32 });
    expect(await extract(fetched(large(11_000)), URL_OF_PAGE, signal())).toMatchObject({
      unreadable: 'too_complex',
    });
    expect(await extract(fetched(article('Next')), URL_OF_PAGE, signal())).toMatchObject({ title: 'Next' });
  });

  it('a page under way can be cancelled, and the pool goes on', async () => {
    const { extract } = open();
    const stop = new AbortController();
    const reading = extract(fetched(large(11_000)), URL_OF_PAGE, stop.signal);
    setTimeout(() => stop.abort(new Error('cancelled')), 20);
    await expect(reading).rejects.toThrow('cancelled');
    expect(await extract(fetched(article('Next')), URL_OF_PAGE, signal())).toMatchObject({ title: 'Next' });
  });

  it('can be closed before any page came, and after', async () => {
    const extractor = open();
    await extractor.close();
    await extractor.extract(fetched(article('x')), URL_OF_PAGE, signal());
    await extractor.close();
  });
});
