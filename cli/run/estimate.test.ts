import { expect, test } from 'vitest';
import { loadRunConfig } from '../../configs/load.ts';
import { openStore } from '../../activities/store/open.ts';
import { sampleResult } from '../formats/sample.ts';
import { dollars, estimateLine, estimateRun, mostMicroUsd } from './estimate.ts';

const PRICES = {
  'models.default.prices.promptUsdPerMillion': 1,
  'models.default.prices.completionUsdPerMillion': 2,
};
const LIMITS = { turns: 4, contextTokens: 1_000, replyTokens: 100 };
const limitsOf = (role: string, { turns }: { turns: number }) => ({
  [`agents.${role}.turns`]: turns,
  [`agents.${role}.contextTokens`]: LIMITS.contextTokens,
  [`agents.${role}.replyTokens`]: LIMITS.replyTokens,
});
const SET = {
  ...PRICES,
  'agents.width': 3,
  ...limitsOf('lead', { turns: 4 }),
  ...limitsOf('subagent', { turns: 5 }),
};
/** 900 tokens in, 100 out. */
const TURN = 900 * 1 + 100 * 2;

test('the most is every turn of every agent with a full window', async () => {
  expect(mostMicroUsd(await loadRunConfig('ask', SET))).toBe((4 + 3 * 3 * 5) * TURN);
  const alone = { ...SET, 'agents.workflow': 'sa', ...limitsOf('single', { turns: 7 }) };
  expect(mostMicroUsd(await loadRunConfig('ask', alone))).toBe(7 * TURN);
});

test('without prices there is no estimate', async () => {
  const store = await openStore(':memory:');
  expect(await estimateRun(store, await loadRunConfig('ask'), { configName: 'ask', policy: 'm' })).toBeNull();
  await store.close();
});

test('what is usual is the median of earlier runs of the same configuration and models', async () => {
  const store = await openStore(':memory:');
  const run = async (runId: string, microUsd: number, policy = 'm', config = 'ask'): Promise<void> => {
    const usage = { ...sampleResult().usage, microUsd };
    const resultRef = await store.put(JSON.stringify(sampleResult({ runId, policy, usage })));
    await store.runs.save({
      ...{ runId, kind: 'seek', workflowId: `seek/${runId}`, title: '', config, status: 'ok' },
      ...{ stopReason: 'answered', startedAt: 1, finishedAt: 2, resultRef },
    });
  };
  const config = await loadRunConfig('ask', SET);
  const ask = { configName: 'ask', policy: 'm' };
  expect(await estimateRun(store, config, ask)).toMatchObject({ usual: null, runs: 0 });
  await run('a', 100);
  await run('b', 900);
  await run('c', 300);
  await run('free', 0);
  await run('other model', 5_000, 'n');
  await run('other configuration', 5_000, 'm', 'web');
  expect(await estimateRun(store, config, ask)).toMatchObject({ usual: 300, runs: 3 });
  await run('d', 500);
  expect(await estimateRun(store, config, ask)).toMatchObject({ usual: 400, runs: 4 });
  await store.close();
});

test('the line says what is known, and the ceiling', () => {
  expect(estimateLine({ most: 4_200_000, usual: 31_000, runs: 1 }, 0.5)).toBe(
    'Estimated cost: about $0.031 (median of 1 earlier run); at most $4.20 by the limits of turns and tokens; never more than $0.500 (--max-usd)',
  );
  expect(estimateLine({ most: 1, usual: null, runs: 0 }, null)).toMatch(/no earlier run to go by; at most/);
  expect([0, 12, 31_000, 2_500_000].map(dollars)).toEqual(['$0.00', '$0.000012', '$0.031', '$2.50']);
});
