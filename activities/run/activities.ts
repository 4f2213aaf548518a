import { loadRunConfig } from '../../configs/load.ts';
import { loadPrices } from '../../configs/prices-schema.ts';
import type { ModelConfig, RunConfig } from '../../configs/schema.ts';
import type { AgentReport, MergedTable, Plan } from '../../domain/agents/plan.ts';
import { WideseekError } from '../../domain/errors.ts';
import {
  type AgentTurns,
  type RunUsage,
  type SeekInput,
  seekInputSchema,
  type StopReason,
  type Table,
} from '../../domain/run.ts';
import { parseMarkdownTables } from '../../domain/tables/markdown.ts';
import { mergeTables } from '../../domain/tables/merge.ts';
import { withTypedFailures } from '../failures.ts';
import { requirePrices, withPrices } from '../model/ceiling.ts';
import { policyOf } from '../model/endpoint.ts';
import type { Store } from '../store/port.ts';
import { concludeRun, type Conclusion } from './conclude.ts';
import { checkInput } from './input.ts';
import { makePlan, planReader } from './plan.ts';
import { checkQueues, isServedHere, type IsServed } from './queues.ts';

/** Where the states of stopped runs are kept, by run id. */
export const RESUME_COLLECTION = 'resume';

export interface RunDeps {
  store: Store;
  now: () => number;
  /** Name of the model that an endpoint's configuration leads to; throws `ConfigError` where it cannot work. */
  modelName: (config: ModelConfig) => string;
  /** True where the calls are answered in this process and need no queue of their own. */
  isLocalModel: (config: ModelConfig) => boolean;
  isLocalSearch: (config: RunConfig['search']) => boolean;
  /** Throws `NotFound` with a hint where the corpus is not built. */
  checkSearch: (config: RunConfig['search']) => Promise<void>;
  /** Where pages are summarised, if they are. Throws `InvalidInput` where they cannot be. */
  summary?: (config: RunConfig) => Plan['summary'];
  /** Default: asks the Temporal server of the worker. */
  isServed?: IsServed;
}

export interface ConcludeInput {
  plan: Plan;
  workflowId: string;
  stopReason: StopReason;
  /** The final answer, if the agent gave one. */
  answerRef: string | null;
  /** For long-horizon agents: where an answer is looked for when there is none. */
  conversation?: { head: string | null; forced: boolean };
  merged: MergedTable | null;
  usage: RunUsage;
  agents: number;
  turns: number;
  /** Not there in runs that an earlier version began. */
  agentTurns?: AgentTurns[];
  notes: string[];
}

/** What brackets a run: its plan at the start, the merging of reports on the way, its result at the end. */
export function createRunActivities(deps: RunDeps) {
  const { store } = deps;
  const plans = planReader(store);

  /** Checks everything that can be checked before the first call is paid for. `typed`: what a person typed. */
  async function prepare(
    typed: SeekInput,
    runId: string,
    workflowId: string,
    unattended = false,
  ): Promise<Plan> {
    const input = checkInput(seekInputSchema, typed);
    const loaded = await loadRunConfig(input.config, input.set);
    const config = withPrices(loaded, await loadPrices(), deps.modelName);
    requirePrices(config, deps.isLocalModel, deps.modelName);
    const policy = policyOf(config, deps.modelName);
    await deps.checkSearch(config.search);
    const plan = await makePlan(
      {
        ...{ runId, question: input.question, config, now: deps.now(), policy },
        isLocalModel: deps.isLocalModel,
        unattended,
        isLocalSearch: deps.isLocalSearch(config.search),
        summary: deps.summary?.(config),
      },
      store,
    );
    const { roles = {}, ...queues } = plan.queues;
    const used = [...Object.values(queues), ...Object.values(roles), plan.summary?.queue ?? null];
    await checkQueues(used, deps.isServed ?? isServedHere);
    const known = await store.runs.get(runId);
    await store.runs.save({
      runId,
      kind: 'seek',
      workflowId,
      title: input.question.slice(0, 200),
      config: input.config,
      status: 'running',
      stopReason: null,
      startedAt: known?.startedAt ?? deps.now(),
      finishedAt: null,
      resultRef: null,
      planRef: plan.planRef,
    });
    return plan;
  }

  /** Adds the tables in reports to the table so far. Null while no report carries one. */
  async function mergeReports(
    reports: AgentReport[],
    merged: MergedTable | null,
  ): Promise<MergedTable | null> {
    const tables: Table[] = merged ? [JSON.parse(await store.get(merged.ref)) as Table] : [];
    for (const { reportRef } of reports) {
      if (reportRef) tables.push(...parseMarkdownTables(await store.get(reportRef)));
    }
    if (tables.length === 0) return null;
    const table = mergeTables(tables);
    return { ref: await store.put(JSON.stringify(table)), columns: table.columns, rows: table.rows.length };
  }

  /** Extracts the answer, finds the evidence of each cell, stores the result. Idempotent. */
  async function conclude(input: ConcludeInput): Promise<Conclusion> {
    return concludeRun(input, await plans(input.plan.planRef), store, deps.now());
  }

  /** Records that a run ended without a result. */
  async function recordFailure(runId: string, stopReason: StopReason): Promise<void> {
    const run = await store.runs.get(runId);
    if (!run) throw new WideseekError('NotFound', `run ${runId} is not in the store`);
    await store.runs.save({ ...run, status: 'failed', stopReason, finishedAt: deps.now() });
  }

  /** Keeps a stopped run's state, small and by reference, so that it can go on later. */
  async function saveForResume(runId: string, saved: unknown): Promise<void> {
    await store.documents.put(RESUME_COLLECTION, runId, saved);
  }

  return {
    saveForResume: withTypedFailures('store', saveForResume),
    prepare: withTypedFailures('configuration', prepare),
    mergeReports: withTypedFailures('store', mergeReports),
    conclude: withTypedFailures('store', conclude),
    recordFailure: withTypedFailures('store', recordFailure),
  };
}

export type RunActivities = ReturnType<typeof createRunActivities>;
