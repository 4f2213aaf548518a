import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { CorpusConfig, CorpusSource } from '../../configs/corpus-schema.ts';
import { buildMiniCorpus } from '../datasets/mini/pages.ts';
import { buildSampleCorpus } from '../datasets/sample/corpus.ts';
import type { Page } from '../search/port.ts';
import { chunkText, firstWords } from './chunk.ts';
import { readJsonl, requireFile } from './jsonl.ts';

/** A passage before it has an id. `embed` is what the encoder sees. */
export interface Draft {
  url: string;
  title: string;
  text: string;
  embed: string;
  record: Readonly<Record<string, unknown>>;
}

/** What one record of a source adds; ids are counted by record in a source of passages, so an empty one leaves a gap. */
export interface SourceRecord {
  page?: Page;
  passages: Draft[];
  ids: number;
}

export interface Source {
  /** SHA-256 of the content and the number of records, blank lines not counted. */
  fingerprint(signal: AbortSignal): Promise<{ hash: string; records: number }>;
  read(skip: number): AsyncIterable<SourceRecord>;
}

const pageRecord = z.looseObject({
  url: z.string().min(1),
  title: z.string().optional(),
  contents: z.string(),
});
const passageRecord = z.looseObject({
  url: z.string().default(''),
  title: z.string().optional(),
  contents: z.string(),
});

/** The last part of a URL that reads like a name; corpora often have no title of their own. */
const titleFrom = (url: string): string => {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  const name = parsed.searchParams.get('title') ?? parsed.pathname.split('/').filter(Boolean).at(-1) ?? '';
  try {
    return decodeURIComponent(name).replaceAll('_', ' ');
  } catch {
    return name;
  }
};

const fingerprintFile = async (file: string, signal: AbortSignal) => {
  await requireFile(file);
  const hash = createHash('sha256');
  let records = 0;
  let blank = true;
  for await (const block of createReadStream(file, {
    highWaterMark: 1 << 20,
    signal,
  }) as AsyncIterable<Buffer>) {
    hash.update(block);
    for (const byte of block)
      if (byte === 10) {
        if (!blank) records += 1;
        blank = true;
      } else if (byte !== 13 && byte !== 32 && byte !== 9) blank = false;
  }
  return { hash: hash.digest('hex'), records: blank ? records : records + 1 };
};

const draftsOf = (page: Page, config: CorpusConfig): Draft[] =>
  chunkText(page.text, config.chunkWords).map((text) => {
    const whole = `${page.title}\n${text}`;
    return {
      url: page.url,
      title: page.title,
      text,
      embed: config.embedWords === null ? whole : firstWords(whole, config.embedWords),
      record: { url: page.url, title: page.title, contents: text },
    };
  });

const fromPage = (page: Page, config: CorpusConfig, searchable: boolean): SourceRecord => {
  const passages = searchable ? draftsOf(page, config) : [];
  return { page, passages, ids: passages.length };
};

const fromPassage = (record: z.infer<typeof passageRecord>, config: CorpusConfig): SourceRecord => {
  const { contents, url } = record;
  if (contents.trim() === '') return { passages: [], ids: 1 };
  const embed = config.embedWords === null ? contents : firstWords(contents, config.embedWords);
  const title = record.title ?? titleFrom(url);
  return { passages: [{ url, title, text: contents, embed, record }], ids: 1 };
};

/** Pages that the program itself holds. */
const builtIn = (build: () => Page[], config: CorpusConfig): Source => ({
  fingerprint: async () => {
    const pages = build();
    return {
      hash: createHash('sha256').update(JSON.stringify(pages)).digest('hex'),
      records: pages.length,
    };
  },
  read: async function* (skip) {
    for (const page of build().slice(skip)) yield fromPage(page, config, true);
  },
});

const samplePages = (): Page[] =>
  buildSampleCorpus().pages.map(({ url, title, contents }) => ({ url, title, text: contents }));

/** Opens one source of a corpus; relative paths start at `dataDir`. Nothing is read yet. */
export const openSource = (source: CorpusSource, config: CorpusConfig, dataDir: string): Source => {
  if (source.kind === 'sample') return builtIn(samplePages, config);
  if (source.kind === 'mini') return builtIn(buildMiniCorpus, config);
  const file = path.resolve(dataDir, source.path);
  return {
    fingerprint: (signal) => fingerprintFile(file, signal),
    read: async function* (skip) {
      if (source.kind === 'passages')
        for await (const record of readJsonl(file, passageRecord, skip)) yield fromPassage(record, config);
      else
        for await (const { url, title, contents } of readJsonl(file, pageRecord, skip))
          yield fromPage({ url, title: title ?? titleFrom(url), text: contents }, config, source.searchable);
    },
  };
};
