import { expect, test } from 'vitest';
import { loadRunConfig } from '../../configs/load.ts';
import { type ChoiceOptions, chooseConfig } from './choose.ts';

const KEYS = { SERPER_API_KEY: 'k' };
const choose = (env: NodeJS.ProcessEnv, options: Partial<ChoiceOptions> = {}) =>
  chooseConfig(env, { set: {}, isSample: false, ...options });

test.each<[string, NodeJS.ProcessEnv, Partial<ChoiceOptions>, string, RegExp]>([
  ['no key', {}, {}, 'ask', /sample corpus .*SERPER_API_KEY is not set/],
  ['a key', KEYS, {}, 'web', /open web \(configs\/web\.yaml\): SERPER_API_KEY is set.*--offline/],
  ['both keys', { ...KEYS, JINA_API_KEY: 'j' }, {}, 'web-jina', /SERPER_API_KEY and JINA_API_KEY are set/],
  ['a reader’s key alone', { JINA_API_KEY: 'j' }, {}, 'ask', /JINA_API_KEY alone reads pages and finds none/],
  ['--offline', KEYS, { offline: true }, 'ask', /sample corpus .*--offline/],
  ['--config', KEYS, { config: 'two-models' }, 'two-models', /configs\/two-models\.yaml: --config/],
  ['--corpus', KEYS, { corpus: 'wiki2018-e5' }, 'ask', /corpus "wiki2018-e5".*--corpus/],
  ['search settings', KEYS, { set: { 'search.topK': 9 } }, 'ask', /your search settings: --set/],
  ['other settings', KEYS, { set: { 'agents.width': 2 } }, 'web', /open web/],
  ['no question', KEYS, { isSample: true }, 'ask', /it answers the sample question/],
  ['--deep', {}, { deep: true }, 'deep', /sample corpus \(configs\/deep\.yaml\)/],
])('%s: the configuration and why', (_, env, options, config, why) => {
  const choice = choose(env, options);
  expect(choice.config).toBe(config);
  expect(choice.why).toMatch(why);
});

test('what is chosen loads, and is what it says', async () => {
  const load = async (env: NodeJS.ProcessEnv, options: Partial<ChoiceOptions>) => {
    const { config, set } = choose(env, options);
    return loadRunConfig(config, set);
  };
  expect((await load(KEYS, {})).search.web?.reader.kind).toBe('direct');
  const both = { ...KEYS, JINA_API_KEY: 'j' };
  expect((await load(both, {})).search.web?.reader.kind).toBe('jina');
  const deepWeb = await load(both, { deep: true });
  expect(deepWeb.search).toMatchObject({ provider: 'web', web: { reader: { kind: 'jina' } } });
  expect(deepWeb.answer).toBe('boxed');
  const { agents } = await load({ WIDESEEK_MODEL_URL: 'http://m' }, { deep: true });
  expect([agents.workflow, deepWeb.agents.workflow]).toEqual(['reasoning', 'sa']);
  const deepOwn = await load({}, { deep: true, config: 'two-models' });
  expect([deepOwn.agents.workflow, deepOwn.answer]).toEqual(['sa', 'boxed']);
  expect((await load(KEYS, { offline: true, config: 'web' })).search).toMatchObject({
    provider: 'corpus',
    corpus: 'sample',
  });
  expect((await load({}, { set: { 'agents.width': 2 } })).agents.width).toBe(2);
});
