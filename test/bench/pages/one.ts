import { parseHTML } from 'linkedom';
import { Readability } from '@mozilla/readability';
import { extractPage } from '../../../activities/pages/extract.ts';
import { createExtractor } from '../../../activities/pages/extractor.ts';
import { samplePage, type Size } from './samples.ts';

/** One contestant and one size in a process of its own, so that its memory is its own. Prints a line of JSON. */
const [contestant = '', size = '', seconds = ''] = process.argv.slice(2);
const html = samplePage(size as Size);
const body = Buffer.from(html);
const url = 'https://site.example/harbour';
const fetched = { url, status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
const signal = new AbortController().signal;
const extractor = createExtractor({ threads: 1, timeoutMs: 120_000, memoryMb: 2_048 });

const readers: Record<string, () => Promise<number>> = {
  threads: async () => lengthOf(await extractor.extract(fetched, url, signal)),
  inline: async () => lengthOf(await extractPage(fetched, url, signal)),
  readability: async () => {
    const { document } = parseHTML(html) as unknown as {
      document: ConstructorParameters<typeof Readability>[0];
    };
    return new Readability(document).parse()?.textContent?.length ?? 0;
  },
};
const lengthOf = (read: object): number => ('text' in read ? String(read.text).length : 0);
const read = readers[contestant];
if (!read) throw new Error(`no contestant ${contestant}`);

// The first page pays for starting a thread and loading code; memory is that of pages on top of it.
const warm = { ...fetched, body: Buffer.from(samplePage('small')) };
if (contestant === 'threads') await extractor.extract(warm, url, signal);
else await extractPage(warm, url, signal);
const before = process.memoryUsage().rss;
const start = performance.now();
const cpu = process.cpuUsage();
let pages = 0;
let chars = 0;
while (pages === 0 || performance.now() - start < Number(seconds) * 1_000) {
  chars = await read();
  pages++;
}
const used = process.cpuUsage(cpu);
const wallMs = performance.now() - start;
// maxRSS is in kilobytes.
const peakMb = process.resourceUsage().maxRSS / 1_024 - before / 1_048_576;
const cpuMs = (used.user + used.system) / 1_000 / pages;
console.log(
  JSON.stringify({ bytes: body.length, chars, pages, perSecond: (1_000 * pages) / wallMs, cpuMs, peakMb }),
);
process.exit(0);
