import type { RunConfig } from '../../configs/schema.ts';
import type { TrainConfig } from '../../configs/train-schema.ts';

/** What is known besides the configuration; null: unknown. */
export interface Facts {
  questions: number | null;
  /** Of the base model, and where the number comes from. */
  parameters: { count: number; from: string } | null;
  /** Means over the steps of an earlier run of the same training. */
  measured: Measured | null;
  /** Trained tokens a second, from a person. */
  tokensPerSecond: number | null;
}

export interface Measured {
  runId: string;
  steps: number;
  rolloutsPerStep: number;
  /** Trained tokens of a step, after merging. */
  tokensPerStep: number;
  rolloutSeconds: number;
  trainSeconds: number;
}

export interface Estimate {
  rolloutsPerStep: number;
  steps: number;
  /** Steps that the questions last for; null: no end, or unknown. */
  stepsOfQuestions: number | null;
  agentsPerRollout: number;
  /** If every agent filled its window: no step trains more. */
  mostTokensPerStep: number;
  /** From the earlier run, scaled by rollouts; null without one. */
  tokensPerStep: number | null;
  /** Calls of the engine per step and pass, at `tokenBudget` each. */
  callsPerStep: number;
  secondsPerStep: number | null;
  hours: number | null;
  /** Bytes. */
  batchMemory: number;
  engineMemory: number | null;
  checkpoints: number | null;
  assumptions: string[];
  warnings: string[];
}

/** Token id, log-prob and version of a trained token in the trainer's worker. */
const BATCH_BYTES = 12;
/** Weights, gradients and both moments of Adam in float32; mixed precision with a float32 master copy comes to the same. */
const TRAIN_BYTES = 16;
/** Weights and both moments. */
const CHECKPOINT_BYTES = 12;

const agentsOf = ({ agents }: RunConfig): { count: number; tokens: number; text: string } => {
  if (agents.workflow !== 'mas') {
    const { contextTokens } = agents.single;
    return { count: 1, tokens: contextTokens, text: `one agent with a window of ${contextTokens} tokens` };
  }
  const { width, lead, subagent } = agents;
  return {
    count: 1 + width,
    tokens: lead.contextTokens + width * subagent.contextTokens,
    text: `a lead (${lead.contextTokens} tokens) that delegates once to all ${width} subagents (${subagent.contextTokens} each)`,
  };
};

/** What a training needs, from its configuration and what was measured or told. Invents no speed. */
export const estimate = (config: TrainConfig, run: RunConfig, facts: Facts): Estimate => {
  const { batchGroups, groupSize, tokenBudget, keepLast, keepBest } = config;
  const { measured, tokensPerSecond, parameters, questions } = facts;
  const rolloutsPerStep = batchGroups * groupSize;
  const agents = agentsOf(run);
  const mostTokensPerStep = rolloutsPerStep * agents.tokens;
  const scale = measured ? rolloutsPerStep / measured.rolloutsPerStep : 1;
  const tokensPerStep = measured ? Math.round(measured.tokensPerStep * scale) : null;
  const tokens = tokensPerStep ?? mostTokensPerStep;
  const secondsPerStep =
    tokensPerSecond !== null
      ? tokens / tokensPerSecond
      : measured
        ? (measured.rolloutSeconds + measured.trainSeconds) * scale
        : null;
  const { epochs } = config.data;
  const stepsOfQuestions =
    questions === null || epochs === null ? null : Math.floor((questions * epochs) / batchGroups);
  const steps = Math.min(config.steps, stepsOfQuestions ?? Infinity);
  const kept = keepLast + keepBest + 1;
  return {
    rolloutsPerStep,
    steps,
    stepsOfQuestions,
    agentsPerRollout: agents.count,
    ...{ mostTokensPerStep, tokensPerStep, secondsPerStep },
    callsPerStep: Math.ceil(tokens / tokenBudget),
    hours: secondsPerStep === null ? null : (secondsPerStep * steps) / 3_600,
    batchMemory: tokens * BATCH_BYTES,
    engineMemory: parameters && parameters.count * TRAIN_BYTES,
    checkpoints: parameters && parameters.count * CHECKPOINT_BYTES * kept,
    assumptions: [
      `at most: ${agents.text}, every window full, all turns of an agent merged into one sequence`,
      measured
        ? `expected: the mean of ${measured.steps} steps of run ${measured.runId}, scaled by rollouts`
        : 'no earlier run of this training on this machine: only the upper bound is known',
      ...(tokensPerSecond !== null
        ? [`time: ${tokensPerSecond} trained tokens a second, as given; waiting for rollouts not counted`]
        : measured
          ? ['time: as that run took, waiting for rollouts included']
          : [
              'time: unknown; give --tokens-per-second as measured, or run a few steps with --set steps=3 first',
            ]),
      `worker memory: ${BATCH_BYTES} bytes a trained token`,
      parameters
        ? `engine memory: ${TRAIN_BYTES} bytes a parameter (${parameters.from}) for weights, gradients and Adam; activations, caches and the sampler's copy come on top`
        : 'engine memory: unknown, the base model is not on this machine and its name has no size',
    ],
    warnings: [
      ...(stepsOfQuestions !== null && stepsOfQuestions < config.steps
        ? [
            `the questions last for ${stepsOfQuestions} of ${config.steps} steps: raise data.epochs or lower steps`,
          ]
        : []),
      ...(questions === null ? ['the data set is not on this machine; `wideseek data pull` gets it'] : []),
    ],
  };
};
