import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readJsonl } from './jsonl.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-jsonl-'));
});
afterAll(() => rm(dir, { recursive: true }));

const schema = z.object({ n: z.int() });
const read = async (content: string, skip = 0): Promise<number[]> => {
  const file = path.join(dir, 'file.jsonl');
  await writeFile(file, content);
  const found: number[] = [];
  for await (const { n } of readJsonl(file, schema, skip)) found.push(n);
  return found;
};

describe('readJsonl', () => {
  it('takes blank lines, Windows line ends, a byte order mark and a missing last newline', async () => {
    expect(await read('\uFEFF{"n":1}\r\n\r\n{"n":2}\n\n{"n":3}')).toEqual([1, 2, 3]);
  });

  it('skips records, not lines, and does not parse them', async () => {
    expect(await read('{"n":1}\n\nbroken\n{"n":3}\n', 2)).toEqual([3]);
  });

  it.each([
    ['{"n":1}\n\n{"n":', /file\.jsonl:3: is not JSON/],
    ['{"n":1}\n{"n":"x"}', /file\.jsonl:2: n: /],
    ['7', /file\.jsonl:1: the record/],
  ])('names file and line of %j', async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  it('names a missing file', async () => {
    await expect(readJsonl('/no/such.jsonl', schema).next()).rejects.toMatchObject({ type: 'NotFound' });
  });
});
