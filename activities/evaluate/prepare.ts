import { z } from 'zod';
import { loadEvalConfig, type EvalConfig } from '../../configs/eval-schema.ts';
import { loadRunConfig } from '../../configs/load.ts';
import type { ModelConfig, RunConfig } from '../../configs/schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import {
  type EvaluateInput,
  evaluateInputSchema,
  type EvaluationPlan,
} from '../../domain/scoring/evaluation-plan.ts';
import { EVALUATIONS, evaluationSchema } from '../../domain/scoring/samples.ts';
import { loadDataset } from '../datasets/load.ts';
import { policyOf } from '../model/endpoint.ts';
import { checkInput } from '../run/input.ts';
import { checkQueues, isServedHere, type IsServed } from '../run/queues.ts';
import { canonicalJson, sha256 } from '../store/hashing.ts';
import type { Store } from '../store/port.ts';

/** An evaluation's questions, stored once; the workflow asks for a few at a time. */
export const manifestSchema = z.object({
  config: z.string(),
  set: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  judge: z.record(z.string(), z.unknown()),
  compat: z.enum(['default', 'reference']),
  notify: z.object({ command: z.array(z.string()).optional(), webhook: z.string().optional() }),
  questions: z.array(
    z.object({
      id: z.string(),
      ref: z.string(),
      kind: z.enum(['table', 'qa']),
      language: z.enum(['en', 'zh']),
      text: z.string(),
    }),
  ),
});
export type Manifest = z.infer<typeof manifestSchema>;

export interface PrepareDeps {
  store: Store;
  now: () => number;
  env: NodeJS.ProcessEnv;
  modelName: (config: ModelConfig) => string;
  checkSearch: (config: RunConfig['search']) => Promise<void>;
  /** Default: asks the Temporal server of the worker. */
  isServed?: IsServed;
}

/**
 * Resolves configuration and data set, stores the questions, and guards against mixing: a run's name belongs to one
 * configuration. Throws `InvalidInput` naming the field.
 */
export async function prepareEvaluation(
  deps: PrepareDeps,
  typed: EvaluateInput,
  runId: string,
  workflowId: string,
): Promise<EvaluationPlan> {
  const input = checkInput(evaluateInputSchema, typed);
  const { store } = deps;
  const config = await loadEvalConfig(input.config, input.set);
  if (input.limit !== undefined) config.dataset.limit = input.limit;
  const run = await loadRunConfig(config.run, config.set);
  await deps.checkSearch(run.search);
  const policy = policyOf(run, deps.modelName);
  await checkQueues([config.judge.queue ?? null], deps.isServed ?? isServedHere);
  const questions = await loadDataset(config.dataset, { env: deps.env });
  const manifest: Manifest = {
    config: config.run,
    set: config.set,
    judge: config.judge,
    compat: config.compat,
    notify: config.notify,
    questions: await Promise.all(
      questions.map(async (question) => ({
        id: question.id,
        ref: await store.put(JSON.stringify(question)),
        kind: question.kind,
        language: question.language,
        text: question.question,
      })),
    ),
  };
  const configHash = hashOf(config, run, policy);
  const known = evaluationSchema.safeParse(await store.documents.get(EVALUATIONS, runId));
  if (known.success && known.data.configHash !== configHash && !input.mix) {
    throw invalidInput(
      'config',
      `run ${runId} was made with another configuration`,
      'Use a new name, or set "mix": true to mix them on purpose',
    );
  }
  if (known.success && !input.resume) {
    throw invalidInput(
      'resume',
      `run ${runId} exists already`,
      'Set "resume": true to go on with it, or use a new name',
    );
  }
  const startedAt = known.data?.startedAt ?? deps.now();
  await store.documents.put(EVALUATIONS, runId, {
    runId,
    config: input.config,
    dataset: config.dataset.name,
    questions: questions.length,
    samples: config.samples,
    configHash,
    settings: { ...config, run },
    policy,
    startedAt,
  });
  await store.runs.save({
    runId,
    kind: 'evaluate',
    workflowId,
    title: `${config.dataset.name}: ${questions.length} questions × ${config.samples}`,
    config: input.config,
    status: 'running',
    stopReason: null,
    startedAt,
    finishedAt: null,
    resultRef: null,
  });
  return {
    runId,
    workflowId,
    manifestRef: await store.put(JSON.stringify(manifest)),
    total: questions.length * config.samples,
    samples: config.samples,
    concurrency: config.concurrency,
    dataset: config.dataset.name,
    policy,
    judgeAttempts: config.judge.attempts,
    ...(config.judge.queue === undefined ? {} : { judgeQueue: config.judge.queue }),
    gate: input.gate ?? null,
  };
}

/** Everything that changes what is measured, and nothing that only changes how fast or how much of it. */
function hashOf(config: EvalConfig, run: RunConfig, policy: string): string {
  const { queues: _queues, retry: _retry, historyEvents: _events, ...rest } = run;
  // Names of endpoints say nothing that the roles do not say; questions back are for people.
  const { endpoints: _endpoints, clarify: _clarify, ...measured } = rest;
  const { attempts: _attempts, concurrency: _concurrency, timeoutSeconds: _timeout, ...asked } = config.judge;
  const { queue: _queue, endpoint: _endpoint, ...judge } = asked;
  const { name, split } = config.dataset;
  return sha256(
    canonicalJson(
      JSON.parse(JSON.stringify({ name, split, measured, judge, policy, compat: config.compat })),
    ),
  );
}
