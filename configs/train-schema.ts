import { z } from 'zod';
import type { EngineName } from '../domain/rl/engine.ts';
import { PUBLISHED_REWARD } from '../domain/scoring/reward/final.ts';
import { judgeSchema } from './judge-schema.ts';

const ENGINE_NAMES = [
  'skyrl-jax',
  'skyrl-fsdp',
  'tinker',
  'local-jax',
] as const satisfies readonly EngineName[];
const settings = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** Where the model is trained. */
export const engineSchema = z.strictObject({
  /** `local`: our own engine on the trainer's machine. `wire`: any engine that serves the wire. */
  kind: z.enum(['local', 'wire']),
  /** Whose declared capabilities hold, see `domain/rl/engine.ts`. */
  name: z.enum(ENGINE_NAMES).default('local-jax'),
  /** Absent: WIDESEEK_ENGINE_URL of the trainer's host, so that each host can have an engine of its own. */
  url: z.url().optional(),
  baseModel: z.string().min(1),
  /** LoRA rank; 0 is full fine-tuning. */
  rank: z.int().min(0).default(0),
  /** Checkpoint that the first step starts from, e.g. of a warm start; absent: the base model. */
  init: z.string().optional(),
});

export type EngineConfig = z.infer<typeof engineSchema>;

/** What an optimiser step is told. Engines that obey only some of it say so in their capabilities. */
export const optimiserSchema = z
  .strictObject({
    schedule: z
      .strictObject({
        kind: z.enum(['constant', 'linear', 'cosine']).default('constant'),
        peak: z.number().positive().default(1e-6),
        floor: z.number().min(0).default(0),
        warmupSteps: z.int().min(0).default(0),
      })
      .prefault({}),
    betas: z.tuple([z.number().min(0).lt(1), z.number().min(0).lt(1)]).default([0.9, 0.999]),
    eps: z.number().positive().default(1e-8),
    weightDecay: z.number().min(0).default(0),
    /** Null: off. Refused where the engine does not clip. */
    gradClipNorm: z.number().positive().nullable().default(null),
  })
  .prefault({});

const datasetSchema = z.strictObject({
  name: z.string().min(1),
  /** A file or folder of questions; default: where `wideseek data` puts the set. */
  path: z.string().optional(),
  split: z.string().optional(),
  limit: z.int().positive().optional(),
});

/** The published algorithm and what replaces parts of it; absent keys keep the preset's value. */
const algorithmSchema = z
  .strictObject({
    preset: z.enum(['wideseek', 'asearcher-simple', 'asearcher-reasoning']).default('wideseek'),
    advantage: z
      .strictObject({
        mode: z.enum(['trajectory', 'turn']).optional(),
        scale: z.enum(['sample', 'population', 'none']).optional(),
        epsilon: z.number().min(0).optional(),
      })
      .default({}),
    weighting: z.enum(['dual-kept', 'dual-all', 'rollout-mean', 'token-mean']).optional(),
    denominator: z
      .union([z.literal('rollouts'), z.literal('tokens'), z.number().positive()])
      .nullable()
      .optional(),
    filter: z
      .strictObject({
        spread: z.number().min(0).optional(),
        meanBetween: z.tuple([z.number(), z.number()]).nullable().optional(),
      })
      .default({}),
    shaping: z
      .strictObject({ bias: z.number(), scale: z.number(), limit: z.number().positive() })
      .nullable()
      .optional(),
    normaliseOverTokens: z.boolean().optional(),
    merge: z.boolean().optional(),
    clip: z
      .strictObject({
        clipLow: z.number().positive().optional(),
        clipHigh: z.number().positive().optional(),
        dualClip: z.number().gt(1).nullable().optional(),
        logRatioLimit: z.number().positive().optional(),
      })
      .default({}),
    kl: z
      .strictObject({ kind: z.enum(['k1', 'k2', 'k3']), beta: z.number().positive() })
      .nullable()
      .optional(),
    decoupled: z
      .strictObject({ cap: z.number().positive().nullable(), action: z.enum(['mask', 'clamp']) })
      .nullable()
      .optional(),
    age: z
      .strictObject({
        maxTokenAge: z.int().min(0).nullable().optional(),
        decay: z.number().gt(0).max(1).optional(),
      })
      .default({}),
  })
  .prefault({});
export type AlgorithmConfig = z.infer<typeof algorithmSchema>;

const rewardSchema = z
  .strictObject({
    formatReward: z.number().default(PUBLISHED_REWARD.formatReward),
    callSearchReward: z.number().default(PUBLISHED_REWARD.callSearchReward),
    lengthPenalty: z.number().min(0).default(PUBLISHED_REWARD.lengthPenalty),
    lengthLimit: z.int().positive().default(PUBLISHED_REWARD.lengthLimit),
    maxLengthLimit: z.int().positive().default(PUBLISHED_REWARD.maxLengthLimit),
    creditFor: z.enum(['access', 'search-or-access']).default(PUBLISHED_REWARD.creditFor),
    /** Taken off for each subagent of the rollout that ended at a limit; not in the published reward. */
    failedAgentPenalty: z.number().min(0).default(0),
    /** Which number of a score is the reward of a table, and of a single answer. */
    table: z.enum(['f1_by_item', 'f1_by_row', 'score']).default('f1_by_item'),
    single: z.enum(['accuracy', 'f1', 'em', 'cem']).default('accuracy'),
  })
  .prefault({});
export type TrainRewardConfig = z.infer<typeof rewardSchema>;

/** What rollouts need, whether they are trained on or only collected. */
const collecting = {
  name: z.string().min(1),
  /** The run configuration of the agents (a file in `configs/`), and overrides of it. */
  policy: z.strictObject({ config: z.string().default('ask'), set: settings.default({}) }).prefault({}),
  data: z.strictObject({
    dataset: datasetSchema,
    /** Order of the questions; every pass over them has an order of its own. */
    seed: z.int().min(0).default(1),
    /** Passes over the questions; null: as many as the steps need. */
    epochs: z.int().positive().nullable().default(null),
    /** Questions of the evaluations during training. */
    dev: datasetSchema.optional(),
  }),
  algorithm: algorithmSchema,
  /** G: rollouts of one question. */
  groupSize: z.int().min(1).max(128).default(8),
  /** Groups running at once over all workers. */
  maxConcurrentGroups: z.int().min(1).max(2000).default(128),
  reward: rewardSchema,
  judge: judgeSchema.prefault({}),
  /** Attempts of a rollout that broke, or of judging one, the first included. */
  retries: z.int().min(1).max(20).default(3),
  /** Fewest scored rollouts of a usable group. */
  minScored: z.int().min(2).default(2),
  /** Then a group closes with what it has. */
  groupMinutes: z.number().positive().default(120),
  seed: z.int().min(0).default(1),
  historyEvents: z.int().min(50).max(40_000).default(8_000),
};

const evaluationSchema = z.strictObject({
  samples: z.int().min(1).max(64).default(4),
  /** Also one greedy answer to each question: both numbers belong together. */
  greedy: z.boolean().default(true),
  temperature: z.number().min(0).max(2).default(1),
});

/** One training run: `configs/train/<name>.yaml` after defaults and overrides. Unknown keys are errors. */
export const trainConfigSchema = z
  .strictObject({
    ...collecting,
    engine: engineSchema,
    /** B: groups of one step. */
    batchGroups: z.int().min(1).default(128),
    /** Fewest groups that a deadline or a person may close a batch with. */
    minGroups: z.int().min(1).default(1),
    /** η: versions between a group's admission and the step that trains it. 0 is synchronous. */
    maxStaleness: z.int().min(0).max(64).default(0),
    /** Then a step takes what is there. Null: it waits for a full batch. */
    batchMinutes: z.number().positive().nullable().default(null),
    steps: z.int().positive(),
    /** Optimiser steps per batch. */
    minibatches: z.int().min(1).max(64).default(1),
    /** Tokens of one forward-backward call. */
    tokenBudget: z.int().positive().default(32_000),
    optimiser: optimiserSchema,
    checkpointEvery: z.int().positive().default(10),
    keepLast: z.int().min(1).default(2),
    /** Checkpoints kept for their dev score. */
    keepBest: z.int().min(0).default(1),
    /** Null: no evaluation. */
    evalEvery: z.int().positive().nullable().default(null),
    /** Where there is one: also before the first step, so that there is something to compare with. */
    evalStart: z.boolean().default(false),
    evaluation: evaluationSchema.prefault({}),
    /** Groups in a row without signal after which the run ends with that diagnosis instead of turning for ever. */
    barrenGroups: z.int().positive().default(2_000),
    /** Refuses every setting by which the clock could change the result. */
    deterministic: z.boolean().default(false),
    trainer: z
      .strictObject({
        /** A host that does not beat for so long is dead. */
        heartbeatSeconds: z.number().positive().default(15),
        /** A host whose queue is not served for so long is dead. */
        hostSeconds: z.number().positive().default(30),
        /** How often the model is looked after while rollouts run. */
        watchMinutes: z.number().positive().default(5),
        stepMinutes: z.number().positive().default(720),
      })
      .prefault({}),
  })
  .superRefine((config, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (config.groupSize < 2) refuse('groupSize', 'a group statistic needs at least 2 rollouts');
    if (config.minGroups > config.batchGroups)
      refuse('minGroups', `is above batchGroups, ${config.batchGroups}`);
    if (config.deterministic && config.maxStaleness > 0)
      refuse('maxStaleness', 'is above 0; a deterministic run is synchronous');
    if (config.deterministic && config.batchMinutes !== null)
      refuse('batchMinutes', 'a deadline makes the batch depend on the clock');
    if (config.evalEvery !== null && config.data.dev === undefined)
      refuse('evalEvery', 'needs data.dev, the questions to evaluate on');
  });
export type TrainConfig = z.infer<typeof trainConfigSchema>;

/** A collection of rollouts without training. */
export const rolloutConfigSchema = z.strictObject({
  ...collecting,
  /** Questions to collect; each gives one group. */
  groups: z.int().positive(),
  /** The weights: a train run whose published policy is used; absent: what `policy` configures. */
  from: z.string().optional(),
});
export type RolloutConfig = z.infer<typeof rolloutConfigSchema>;

/** Supervised training on token sequences (a warm start): `configs/train/<name>.yaml`. */
export const sftConfigSchema = z.strictObject({
  name: z.string().min(1),
  engine: engineSchema,
  /** JSONL, one `{"tokens": [...], "weights": [...]}` a line; `weights[i]` weighs the prediction of `tokens[i]`. */
  data: z.strictObject({ file: z.string().min(1), seed: z.int().min(0).default(1) }),
  /** Sequences of one optimiser step. */
  batchSize: z.int().positive(),
  steps: z.int().positive(),
  /** Curriculum: the first steps draw only from the sequences of at most so many tokens. */
  shortFirst: z
    .strictObject({ steps: z.int().positive(), tokens: z.int().positive() })
    .nullable()
    .default(null),
  tokenBudget: z.int().positive().default(32_000),
  optimiser: optimiserSchema,
  checkpointEvery: z.int().positive().default(100),
  keepLast: z.int().min(1).default(2),
  seed: z.int().min(0).default(1),
  trainer: z
    .strictObject({
      heartbeatSeconds: z.number().positive().default(15),
      hostSeconds: z.number().positive().default(30),
    })
    .prefault({}),
});
export type SftConfig = z.infer<typeof sftConfigSchema>;
