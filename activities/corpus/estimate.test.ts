import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCorpus } from '../../configs/corpus-schema.ts';
import { NO_ENCODER } from '../search/encoder/presets.ts';
import { createWordEncoder } from '../search/word-encoder.fake.ts';
import { estimateIndex, measureRate, printEstimate } from './estimate.ts';

let dataDir: string;
const config = parseCorpus({ name: 'e', sources: [{ kind: 'pages', path: 'p.jsonl' }], chunkWords: 20 });
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-estimate-'));
  const line = (n: number) =>
    JSON.stringify({ url: `u${1000 + n}`, title: 't', contents: 'word '.repeat(50) });
  await writeFile(path.join(dataDir, 'p.jsonl'), Array.from({ length: 1000 }, (_, n) => line(n)).join('\n'));
});
afterAll(() => rm(dataDir, { recursive: true }));

describe('estimateIndex', () => {
  it('scales the first records up to the whole file', async () => {
    const estimate = await estimateIndex(config, 100, { dataDir, dimensions: 384 });
    expect(estimate.records / 1000).toBeCloseTo(1, 1);
    expect(estimate.passages / 3000).toBeCloseTo(1, 1);
    expect(estimate.seconds / 30).toBeCloseTo(1, 1);
    expect(estimate.diskBytes).toBeGreaterThan(3000 * 384 * 4);
  });

  it('measures the encoder, and knows that words need none', async () => {
    const encoder = createWordEncoder();
    expect(await measureRate(config, encoder, dataDir, 8)).toBeGreaterThan(0);
    expect(encoder.embedded).toHaveLength(8);
    expect(await measureRate(config, NO_ENCODER, dataDir)).toBe(0);
  });

  it('prints for a person', () => {
    const line = printEstimate({ records: 5, passages: 9, encoded: 9, seconds: 8000, diskBytes: 3.21e9 });
    expect(line).toBe('about 5 records, 9 passages, 2.2 h, 3.2 GB of disk');
  });
});
