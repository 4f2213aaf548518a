import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { deepQuestionSchema, wideRecordSchema } from './questions/shape.ts';
import { writeSample } from './write.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'wideseek-sample-'));
});
afterAll(async () => rm(dir, { recursive: true, force: true }));

const readLines = async <T>(file: string, schema: z.ZodType<T>): Promise<T[]> => {
  const text = await readFile(path.join(dir, 'out', file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => schema.parse(JSON.parse(line)));
};

describe('writeSample', () => {
  it('writes pages, records, one gold table per record, and deep questions', async () => {
    const counts = await writeSample(path.join(dir, 'out'));
    const page = z.strictObject({ url: z.url(), title: z.string().min(1), contents: z.string().min(1) });
    expect(await readLines('pages.jsonl', page)).toHaveLength(counts.pages);
    const records = await readLines('questions.jsonl', wideRecordSchema);
    expect(records).toHaveLength(counts.wide);
    const gold = await readdir(path.join(dir, 'out', 'gold'));
    expect(gold.sort()).toEqual(records.map(({ instance_id }) => `${instance_id}.csv`).sort());
    expect(await readLines('deep.jsonl', deepQuestionSchema)).toHaveLength(counts.deep);
  });

  it('says which directory cannot be used', async () => {
    const file = path.join(dir, 'a-file');
    await writeFile(file, '');
    await expect(writeSample(file)).rejects.toMatchObject({ type: 'InvalidInput' });
    await expect(writeSample(file)).rejects.toThrow(file);
  });
});
