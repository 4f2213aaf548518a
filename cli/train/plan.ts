import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { loadDataset } from '../../activities/datasets/load.ts';
import { type TrainInput, trainInputSchema } from '../../activities/trainer/plan.ts';
import { type StepDocument, stepDocumentSchema, stepsOf } from '../../activities/trainer/records.ts';
import type { Store } from '../../activities/store/port.ts';
import { loadRunConfig } from '../../configs/load.ts';
import { loadTrainConfig } from '../../configs/train-load.ts';
import { modelsDir } from '../../infra/local/engine.ts';
import { packageRoot, wideseekHome } from '../../infra/local/home.ts';
import type { Io } from '../io.ts';
import { withStore } from '../run/session.ts';
import { type Estimate, estimate, type Facts, type Measured } from './estimate.ts';
import { ahead } from './progress.ts';

const modelSchema = z.looseObject({
  vocab_size: z.number(),
  hidden_size: z.number(),
  intermediate_size: z.number(),
  num_hidden_layers: z.number(),
  num_attention_heads: z.number(),
  num_key_value_heads: z.number(),
  head_dim: z.number().optional(),
  tie_word_embeddings: z.boolean().optional(),
});

/** Parameters of a decoder with gated feed-forward layers, norms and biases left out. */
export const parametersOf = (config: z.infer<typeof modelSchema>): number => {
  const { hidden_size: d, num_attention_heads: heads, num_key_value_heads: groups } = config;
  const head = config.head_dim ?? d / heads;
  const layer = 2 * d * head * (heads + groups) + 3 * d * config.intermediate_size;
  const embeddings = config.vocab_size * d * (config.tie_word_embeddings ? 1 : 2);
  return config.num_hidden_layers * layer + embeddings;
};

const findParameters = async (io: Io, name: string): Promise<Facts['parameters']> => {
  const home = wideseekHome(io.env);
  const folders = isAbsolute(name)
    ? [name]
    : [join(modelsDir(home, io.env), name), join(packageRoot, 'models', name)];
  for (const folder of folders) {
    const text = await readFile(join(folder, 'config.json'), 'utf8').catch(() => null);
    if (text === null) continue;
    const { data } = modelSchema.safeParse(JSON.parse(text));
    if (data) return { count: parametersOf(data), from: `from ${join(folder, 'config.json')}` };
  }
  const size = /(\d+(?:\.\d+)?)B(?![a-z])/.exec(name)?.[1];
  return size === undefined ? null : { count: Number(size) * 1e9, from: `from its name, ${name}` };
};

const meanOf = (steps: readonly StepDocument[], pick: (step: StepDocument) => number): number =>
  steps.reduce((sum, step) => sum + pick(step), 0) / steps.length;

/** The latest steps of the newest run with this configuration; null where there is none. */
const findMeasured = async (store: Store, config: string, groupSize: number): Promise<Measured | null> => {
  for (const run of await store.runs.list(200)) {
    if (!run.workflowId.startsWith('train/') || run.config !== config) continue;
    const entries = await store.documents.list(stepsOf(run.runId));
    const steps = entries
      .flatMap(({ value }) => stepDocumentSchema.safeParse(value).data ?? [])
      .filter(({ metrics }) => metrics['train/tokens'] !== undefined)
      .slice(-10);
    if (steps.length === 0) continue;
    return {
      runId: run.runId,
      steps: steps.length,
      rolloutsPerStep: meanOf(steps, ({ groups }) => groups.length) * groupSize,
      tokensPerStep: meanOf(steps, ({ metrics }) => metrics['train/tokens'] ?? 0),
      rolloutSeconds: meanOf(steps, ({ metrics }) => metrics['time/rollout'] ?? 0),
      trainSeconds: meanOf(steps, ({ metrics }) => metrics['time/training'] ?? 0),
    };
  }
  return null;
};

export interface TrainingEstimate extends Estimate {
  config: string;
  parameters: Facts['parameters'];
}

/** What a training would need; starts nothing and fetches nothing. Throws as the loaders of the two configurations. */
export const planTraining = async (
  io: Io,
  input: TrainInput,
  tokensPerSecond?: number,
): Promise<TrainingEstimate> => {
  const config = await loadTrainConfig(input.config, trainInputSchema.shape.set.parse(input.set));
  const run = await loadRunConfig(config.policy.config, config.policy.set);
  const questions = await loadDataset(config.data.dataset, { env: io.env, lenient: true }).then(
    ({ length }) => length,
    () => null,
  );
  const parameters = await findParameters(io, config.engine.baseModel);
  const measured = await withStore(io, (store) => findMeasured(store, input.config, config.groupSize));
  const facts = { questions, parameters, measured, tokensPerSecond: tokensPerSecond ?? null };
  return { config: input.config, parameters, ...estimate(config, run, facts) };
};

const amount = (value: number): string =>
  value >= 1e9
    ? `${(value / 1e9).toFixed(1)} billion`
    : value >= 1e6
      ? `${(value / 1e6).toFixed(1)} million`
      : String(Math.round(value));
const bytes = (value: number): string =>
  value >= 1e9 ? `${(value / 1e9).toFixed(1)} GB` : `${Math.max(1, Math.round(value / 1e6))} MB`;

/** The plan for a person. */
export const planText = (plan: TrainingEstimate): string => {
  const { steps, rolloutsPerStep, agentsPerRollout, tokensPerStep, mostTokensPerStep, parameters } = plan;
  const { callsPerStep, secondsPerStep, hours, batchMemory, engineMemory, checkpoints } = plan;
  return [
    `Plan of ${plan.config}`,
    `  steps        ${steps}, ${rolloutsPerStep} rollouts each, ${agentsPerRollout} agents in one (${amount(steps * rolloutsPerStep)} rollouts in all)`,
    `  tokens       ${tokensPerStep === null ? 'expected: unknown' : `about ${amount(tokensPerStep)}`} a step, at most ${amount(mostTokensPerStep)}; ${callsPerStep} engine calls a pass`,
    `  time         ${secondsPerStep === null ? 'unknown' : `about ${ahead(secondsPerStep)} a step, ${ahead((hours ?? 0) * 3_600)} in all`}`,
    `  memory       worker ${bytes(batchMemory)} for a batch${engineMemory === null ? '' : `, engine from ${bytes(engineMemory)} (${amount(parameters?.count ?? 0)} parameters)`}`,
    `  disk         ${checkpoints === null ? 'unknown' : `${bytes(checkpoints)} of checkpoints`}`,
    ...plan.assumptions.map((line) => `  · ${line}`),
    ...plan.warnings.map((line) => `  ! ${line}`),
  ].join('\n');
};
