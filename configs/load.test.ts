import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadEvalConfig } from './eval-schema.ts';
import { loadRunConfig } from './load.ts';
import { loadQueues } from './workers-schema.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wideseek-configs-'));
  await writeFile(join(dir, 'bad.yaml'), 'agents: { wdith: 3 }');
  await writeFile(join(dir, 'broken.yaml'), 'agents: [');
  await writeFile(join(dir, 'empty.yaml'), '');
});
afterAll(() => rm(dir, { recursive: true }));

describe('loadRunConfig', () => {
  it.each(['ask', 'ask-reference', 'web', 'web-jina', 'two-models', 'deep'])(
    'reads configs/%s.yaml',
    async (name) => {
      expect((await loadRunConfig(name)).agents.lead.turns).toBe(10);
    },
  );

  it('fills in the limits of the paper', async () => {
    const { agents } = await loadRunConfig('empty', {}, dir);
    expect(agents).toMatchObject({
      workflow: 'mas',
      width: 10,
      lead: { turns: 10 },
      subagent: { turns: 20, toolCalls: 5 },
      single: { turns: 50 },
    });
  });

  it('applies overrides by dotted path', async () => {
    const config = await loadRunConfig('ask', {
      'agents.width': 4,
      'budget.usd': 0.5,
      'models.default.model': 'm',
    });
    expect([config.agents.width, config.budget.usd, config.models.default.model]).toEqual([4, 0.5, 'm']);
  });

  it.each<[string, Record<string, string | number>, RegExp]>([
    ['nope', {}, /config: there is no configuration "nope"\. Known: .*ask/],
    ['../ask', {}, /config: there is no configuration/],
    ['ask', { 'agents.wdith': 1 }, /set\.agents\.wdith: unknown key/],
    ['ask', { 'agents.width': 'many' }, /set\.agents\.width/],
    ['ask', { 'agents.workflow.x': 1 }, /set\.agents\.workflow\.x: "workflow" is not a section/],
    ['ask', { '__proto__.x': 1 }, /is not a dotted path/],
    ['ask', { 'models.default.apiKeyEnv': 'sk-secret' }, /must be the NAME of an environment variable/],
  ])('%s with %j: names the field', async (name, set, message) => {
    await expect(loadRunConfig(name, set)).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(message) as string,
    });
  });

  it('names file and key of a bad file', async () => {
    await expect(loadRunConfig('bad', {}, dir)).rejects.toMatchObject({
      type: 'ConfigError',
      message: 'configs/bad.yaml: agents.wdith: unknown key',
    });
    await expect(loadRunConfig('broken', {}, dir)).rejects.toMatchObject({
      type: 'ConfigError',
      message: expect.stringMatching(/broken\.yaml/) as string,
    });
  });
});

describe('loadEvalConfig', () => {
  it('reads every file in configs/eval, and the run that it names', async () => {
    const names = (await readdir(new URL('./eval/', import.meta.url))).map((file) =>
      file.replace('.yaml', ''),
    );
    expect(names).toContain('sample');
    for (const name of names) {
      const config = await loadEvalConfig(name);
      await loadRunConfig(config.run, config.set);
    }
  });

  it('sends overrides to the evaluation where it has such a key, else to the run', async () => {
    const config = await loadEvalConfig('sample', { samples: 1, 'dataset.split': 'test', 'agents.width': 2 });
    expect(config).toMatchObject({ samples: 1, dataset: { split: 'test' }, set: { 'agents.width': 2 } });
  });

  it('takes the judge from an endpoint of the run, by its name', async () => {
    const settings = { 'judge.endpoint': 'big', run: 'two-models' };
    const { judge } = await loadEvalConfig('sample', { ...settings, 'judge.model': 'own' });
    expect(judge).toMatchObject({
      provider: 'openai',
      model: 'own',
      baseUrls: ['http://127.0.0.1:8001/v1'],
      queue: 'model-big',
    });
    await expect(loadEvalConfig('sample', { ...settings, 'judge.endpoint': 'huge' })).rejects.toThrow(
      /judge\.endpoint: the run's configuration "two-models" has no endpoint "huge"\. Known: big, small/,
    );
  });

  it('takes no command from an input: what runs on a host comes from its files', async () => {
    await expect(loadEvalConfig('sample', { 'notify.command': 'rm -rf /' })).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(/set\.notify\.command/) as string,
    });
  });
});

it('loadQueues reads configs/workers.yaml', async () => {
  expect([...(await loadQueues()).keys()]).toEqual(
    expect.arrayContaining(['wideseek', 'model', 'search', 'judge']),
  );
});
