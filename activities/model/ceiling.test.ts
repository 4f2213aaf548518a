import { expect, test } from 'vitest';
import { loadRunConfig } from '../../configs/load.ts';
import type { ModelConfig } from '../../configs/schema.ts';
import { requirePrices, withPrices } from './ceiling.ts';
import { endpointOf, modelNameIn, policyOf, rolesOf } from './endpoint.ts';

const nameOf = ({ model }: ModelConfig): string => model;
const paid = (): boolean => false;
const prices = { promptUsdPerMillion: 1, completionUsdPerMillion: 2 };
const LIST = [{ model: 'sm*', ...prices }];

test('prices reach the endpoints that the list knows, and those written at an endpoint stay', async () => {
  const config = await loadRunConfig('two-models', { 'models.single': 'small' });
  config.models.single!.prices = { promptUsdPerMillion: 9, completionUsdPerMillion: 9 };
  const { models } = withPrices(config, LIST, nameOf);
  expect(models.subagent?.prices).toEqual(prices);
  expect(models.lead?.prices).toBeUndefined();
  expect(models.single?.prices?.promptUsdPerMillion).toBe(9);
});

test('an endpoint that no role uses is not asked for its name', async () => {
  const config = await loadRunConfig('two-models');
  const strict = ({ model }: ModelConfig): string => {
    if (!model) throw new Error('no model');
    return model;
  };
  expect(() => withPrices(config, LIST, strict)).not.toThrow();
});

test('a ceiling in money needs the price of each model that is paid for', async () => {
  const config = await loadRunConfig('two-models', { 'budget.usd': 0.5 });
  const priced = withPrices(config, LIST, nameOf);
  expect(() => requirePrices(priced, paid, nameOf)).toThrow(
    /price of the model "big" \(lead\) is not known, so a ceiling of \$0\.5 .*models\.lead\.prices/,
  );
  expect(() => requirePrices(priced, ({ model }) => model === 'big', nameOf)).not.toThrow();
  expect(() =>
    requirePrices(withPrices(config, [{ model: '*', ...prices }], nameOf), paid, nameOf),
  ).not.toThrow();
  const alone = { ...priced, agents: { ...priced.agents, workflow: 'sa' as const } };
  expect(() => requirePrices(alone, paid, nameOf)).toThrow(/"big" \(single\)/);
});

test('without a ceiling no price is needed', async () => {
  expect(() =>
    requirePrices({ ...CONFIG, budget: { ...CONFIG.budget, usd: null } }, paid, nameOf),
  ).not.toThrow();
});
const CONFIG = await loadRunConfig('ask');

test('roles, their endpoints and what answers there', async () => {
  const two = await loadRunConfig('two-models');
  expect(rolesOf(two)).toEqual(['lead', 'subagent']);
  expect(policyOf(two, nameOf)).toBe('big + small');
  expect(endpointOf(CONFIG, 'lead')).toBe(CONFIG.models.default);
  expect(modelNameIn(CONFIG.models.default, {})).toBe('extractive');
  const env = { WIDESEEK_MODEL_URL: 'http://m', WIDESEEK_MODEL: 'acme' };
  expect(modelNameIn(CONFIG.models.default, env)).toBe('acme');
  expect(modelNameIn(endpointOf(two, 'lead'), env)).toBe('big');
});
