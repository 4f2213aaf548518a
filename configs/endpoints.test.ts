import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameEndpoints } from './endpoints.ts';
import { loadRunConfig } from './load.ts';
import { loadQueues } from './workers-schema.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wideseek-endpoints-'));
  await writeFile(join(dir, 'one.yaml'), 'models: { lead: { model: a, provider: extractive } }');
});
afterAll(() => rm(dir, { recursive: true }));

test('roles name endpoints, and the swap of the ablation is two settings', async () => {
  const asWritten = await loadRunConfig('two-models');
  expect([asWritten.models.lead?.model, asWritten.models.subagent?.model]).toEqual(['big', 'small']);
  const swapped = await loadRunConfig('two-models', { 'models.lead': 'small', 'models.subagent': 'big' });
  expect(swapped.models.lead).toEqual(asWritten.models.subagent);
  expect(swapped.models.subagent).toEqual(asWritten.models.lead);
});

test('the queues of the ready-made configuration are served by the workers', async () => {
  const { endpoints } = await loadRunConfig('two-models');
  const served = [...(await loadQueues()).keys()];
  expect(served).toEqual(expect.arrayContaining(Object.values(endpoints).map(({ queue }) => queue)));
});

test('one endpoint of two roles can be changed for one of them alone, in any order of the settings', async () => {
  const { models } = await loadRunConfig('two-models', {
    'models.lead.temperature': 0.25,
    'models.lead': 'small',
    'endpoints.small.model': 'other',
  });
  expect(models.lead).toMatchObject({ model: 'other', temperature: 0.25 });
  expect(models.subagent).toMatchObject({ model: 'other', temperature: 1 });
});

test('entries written out, as they always were, stay valid', async () => {
  expect((await loadRunConfig('one', {}, dir)).models.lead?.model).toBe('a');
  expect(nameEndpoints({ agents: {} })).toEqual({ agents: {} });
});

test.each([
  ['two-models', { 'models.lead': 'huge' }, /models\.lead: there is no endpoint "huge"\. Known: big, small/],
  ['ask', { 'models.lead': 'huge' }, /models\.lead: there is no endpoint "huge"\. The configuration has no/],
  ['two-models', { 'endpoints.big.queue': 'no queue!' }, /set\.endpoints\.big\.queue: must be the name/],
  ['two-models', { 'models.leed': 'big' }, /set\.models\.leed: unknown key/],
])('%s with %j names role or field', async (name, set, message) => {
  await expect(loadRunConfig(name, set)).rejects.toMatchObject({
    type: 'InvalidInput',
    message: expect.stringMatching(message) as string,
  });
});
