import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { median } from '../stats.ts';
import { printTable } from '../table.ts';
import { benchCache, type CacheRow } from './cache.ts';
import { type Size, SIZES } from './samples.ts';

const CONTESTANTS = ['threads', 'inline', 'readability'] as const;
type ContestantName = (typeof CONTESTANTS)[number];
const NAMES: Record<ContestantName, string> = {
  threads: 'ours, one thread',
  inline: 'ours, no thread',
  readability: 'Readability + linkedom',
};

const figuresSchema = z.object({
  bytes: z.number(),
  chars: z.number(),
  pages: z.number(),
  perSecond: z.number(),
  cpuMs: z.number(),
  peakMb: z.number(),
});
export interface ExtractRow {
  size: Size;
  contestant: ContestantName;
  runs: z.infer<typeof figuresSchema>[];
}
export interface PagesResult {
  extract: ExtractRow[];
  cache: CacheRow[];
}

const ONE = fileURLToPath(new URL('./one.ts', import.meta.url));

/** Part pages: extraction beside Readability alone, each in its own process, in turns; then what the caches save. */
export async function benchPages(options: {
  runs: number;
  seconds: number;
  log: (line: string) => void;
}): Promise<PagesResult> {
  const extract: ExtractRow[] = SIZES.flatMap((size) =>
    CONTESTANTS.map((contestant) => ({ size, contestant, runs: [] })),
  );
  for (let run = 1; run <= options.runs; run++) {
    for (const { size, contestant, runs } of extract) {
      options.log(`pages, ${size}, run ${run} of ${options.runs}: ${NAMES[contestant]}`);
      const args = ['--import', import.meta.resolve('tsx'), ONE, contestant, size, String(options.seconds)];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      runs.push(figuresSchema.parse(JSON.parse(stdout)));
    }
  }
  options.log('pages, caches');
  return { extract, cache: await benchCache() };
}

export function printPages({ extract, cache }: PagesResult): string {
  const of = (row: ExtractRow, name: keyof ExtractRow['runs'][number]): number =>
    median(row.runs.map((run) => run[name]));
  const lines = extract.map((row) => {
    const alone = extract.find(({ size, contestant }) => size === row.size && contestant === 'readability')!;
    return [
      `${row.size} (${Math.round(of(row, 'bytes') / 1_024)} KB)`,
      NAMES[row.contestant],
      of(row, 'perSecond').toFixed(1),
      of(row, 'cpuMs').toFixed(1),
      // Of CPU, because a busy machine has other work between a page and the next.
      (of(row, 'cpuMs') / of(alone, 'cpuMs')).toFixed(2),
      of(row, 'peakMb').toFixed(0),
      String(Math.round(of(row, 'chars') / 1_000)),
    ];
  });
  return [
    '(pages) Extraction: pages per second, one after the other; CPU a page and its ratio to Readability alone; memory above that before the first page.',
    '',
    printTable(['page', 'reader', 'pages/s', 'CPU ms', 'ratio', 'peak MB', 'k chars'], lines),
    '',
    'Ten agents, the same 3 searches (200 ms) and 10 pages (100 ms):',
    printTable(
      ['caches', 'searches', 'fetches', 'wall s'],
      cache.map(({ cached, searches, fetches, wallMs }) => [
        cached ? 'with' : 'without',
        String(searches),
        String(fetches),
        (wallMs / 1_000).toFixed(2),
      ]),
    ),
  ].join('\n');
}
