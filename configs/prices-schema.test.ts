import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadPrices, priceOf } from './prices-schema.ts';

let dir: string;
beforeAll(async () => void (dir = await mkdtemp(join(tmpdir(), 'wideseek-prices-'))));
afterAll(() => rm(dir, { recursive: true }));

const listOf = async (yaml: string) => {
  const file = join(dir, 'prices.yaml');
  await writeFile(file, yaml);
  return loadPrices({ WIDESEEK_PRICES: file });
};

test('the file that comes along has examples only: no model that exists is priced', async () => {
  const list = await loadPrices({});
  expect(list.length).toBeGreaterThan(0);
  expect(list.every(({ model }) => model.startsWith('example-'))).toBe(true);
});

test('the first pattern that fits the whole name counts; a dot is a dot', async () => {
  const list = await listOf(`models:
    - { model: acme-3.5-mini, promptUsdPerMillion: 1, completionUsdPerMillion: 2 }
    - { model: 'acme-*', promptUsdPerMillion: 3, completionUsdPerMillion: 4 }`);
  expect(priceOf('ACME-3.5-mini', list)).toEqual({ promptUsdPerMillion: 1, completionUsdPerMillion: 2 });
  expect(priceOf('acme-3x5-mini', list)?.promptUsdPerMillion).toBe(3);
  expect(priceOf('my-acme-1', list)).toBeUndefined();
  expect(priceOf('', list)).toBeUndefined();
});

test.each([
  ['models: [{ model: a, promptUsdPerMillion: 1 }]', /models\.0\.completionUsdPerMillion/],
  ['models: [{ model: a, promptUsdPerMillion: -1, completionUsdPerMillion: 1 }]', /promptUsdPerMillion/],
  ['modells: []', /modells: unknown key/],
  ['models: [', /prices\.yaml/],
])('%s is refused with file and field', async (yaml, message) => {
  await expect(listOf(yaml)).rejects.toMatchObject({
    type: 'ConfigError',
    message: expect.stringMatching(message) as string,
  });
});

test('an empty file knows no price; a file that is not there is said', async () => {
  expect(await listOf('')).toEqual([]);
  await expect(loadPrices({ WIDESEEK_PRICES: join(dir, 'none') })).rejects.toMatchObject({
    type: 'ConfigError',
  });
});
