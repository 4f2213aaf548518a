import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSftData, sftDatum, weightOf } from './sft-data.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wideseek-sft-'));
});
afterAll(() => rm(dir, { recursive: true }));
const write = async (text: string): Promise<string> => {
  const file = join(dir, 'data.jsonl');
  await writeFile(file, text);
  return file;
};

describe('token sequences', () => {
  it('are shifted for the wire, with weights over their sum', async () => {
    const { sequences } = await readSftData(await write('{"tokens":[7,8,9],"weights":[5,1,3]}\n\n'));
    expect(weightOf(sequences[0]!)).toBe(4);
    const datum = sftDatum(sequences[0]!, 4);
    expect([...datum.tokens, ...datum.targets]).toEqual([7, 8, 8, 9]);
    expect([...datum.weights]).toEqual([0.25, 0.75]);
  });

  it.each([
    ['{"tokens":[1,2],"weights":[0,1]}\nnope', /data\.jsonl:2: is not JSON/],
    ['{"tokens":[1],"weights":[1]}', /data\.jsonl:1: tokens/],
    ['{"tokens":[1,2],"weights":[1]}', /data\.jsonl:1: weights: 1 weights for 2 tokens/],
    ['{"tokens":[1,2],"weights":[1,0]}', /data\.jsonl:1: weights: no token after the first/],
    ['{"tokens":[1,2],"weights":[0,1],"x":1}', /data\.jsonl:1: .*x/],
    ['\n', /has no sequences/],
  ])('%j is refused by file, line and field', async (text, message) => {
    await expect(readSftData(await write(text))).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(message) as string,
    });
  });

  it('need their file', async () => {
    await expect(readSftData(join(dir, 'none.jsonl'))).rejects.toMatchObject({ type: 'NotFound' });
  });
});
