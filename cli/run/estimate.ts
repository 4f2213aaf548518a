import type { Store } from '../../activities/store/port.ts';
import { costMicroUsd } from '../../activities/model/pricing.ts';
import { endpointOf, rolesOf } from '../../activities/model/endpoint.ts';
import type { RunConfig } from '../../configs/schema.ts';
import { seekResultSchema } from '../../domain/run.ts';

/** What a run may cost, in millionths of a US dollar. */
export interface Estimate {
  /** With every limit of turns and tokens used up. */
  most: number;
  /** Median of earlier runs of the same configuration and models; null while there are none that cost something. */
  usual: number | null;
  runs: number;
}

const LOOK_BACK = 100;
const ENOUGH = 20;

/** The most that a run can cost by its limits: each turn of each agent fills its window. Null where nothing has a price. */
export const mostMicroUsd = (config: RunConfig): number | null => {
  const { agents } = config;
  let most: number | null = null;
  for (const role of rolesOf(config)) {
    const { prices } = endpointOf(config, role);
    if (!prices) continue;
    const { turns, contextTokens, replyTokens } = agents[role];
    const completionTokens = Math.min(replyTokens, contextTokens);
    const turn = costMicroUsd({ promptTokens: contextTokens - completionTokens, completionTokens }, prices);
    // The lead's last turn has to answer, so it starts nobody.
    const many = role === 'subagent' ? agents.width * Math.max(0, agents.lead.turns - 1) : 1;
    most = (most ?? 0) + many * turns * turn;
  }
  return most;
};

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
};

/** What earlier runs of this configuration and these models cost. A result that cannot be read says nothing. */
const costsBefore = async (
  store: Pick<Store, 'get' | 'runs'>,
  configName: string,
  policy: string,
): Promise<number[]> => {
  const costs: number[] = [];
  for (const run of await store.runs.list(LOOK_BACK)) {
    if (costs.length >= ENOUGH) break;
    if (run.kind !== 'seek' || run.config !== configName || run.resultRef === null) continue;
    try {
      const result = seekResultSchema.parse(JSON.parse(await store.get(run.resultRef)));
      if (result.policy === policy && result.usage.microUsd > 0) costs.push(result.usage.microUsd);
    } catch {
      continue;
    }
  }
  return costs;
};

/** An estimate before a run, where prices exist. Search engines and summaries of pages are not in it. */
export const estimateRun = async (
  store: Pick<Store, 'get' | 'runs'>,
  config: RunConfig,
  { configName, policy }: { configName: string; policy: string },
): Promise<Estimate | null> => {
  const most = mostMicroUsd(config);
  if (most === null) return null;
  const before = await costsBefore(store, configName, policy);
  return { most, usual: before.length > 0 ? median(before) : null, runs: before.length };
};

/** `$0.0132`: enough digits to be told from nothing. */
export const dollars = (microUsd: number): string => {
  const usd = microUsd / 1e6;
  return `$${usd === 0 || usd >= 1 ? usd.toFixed(2) : usd >= 0.01 ? usd.toFixed(3) : usd.toPrecision(2)}`;
};

/** The estimate as one line. `ceiling`: US dollars, null for none. */
export const estimateLine = ({ most, usual, runs }: Estimate, ceiling: number | null): string =>
  [
    `Estimated cost: ${usual === null ? 'no earlier run to go by' : `about ${dollars(usual)} (median of ${runs} earlier ${runs === 1 ? 'run' : 'runs'})`}`,
    `at most ${dollars(most)} by the limits of turns and tokens`,
    ...(ceiling === null ? [] : [`never more than ${dollars(ceiling * 1e6)} (--max-usd)`]),
  ].join('; ');
