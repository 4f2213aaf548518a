import { z } from 'zod';

/** Collections of a training run's documents; the run's name is part of each. */
export const groupsOf = (run: string): string => `groups/${run}`;
export const batchesOf = (run: string): string => `batches/${run}`;
export const stepsOf = (run: string): string => `steps/${run}`;
export const checkpointsOf = (run: string): string => `checkpoints/${run}`;
/** Published weights that may still be on the engine, by version. */
export const snapshotsOf = (run: string): string => `snapshots/${run}`;
export const evalsOf = (run: string): string => `evals/${run}`;
/** What a training is, by run. */
export const TRAININGS = 'trainings';
/** The live model of each run. */
export const TRAINERS = 'trainers';
/** Which run a trainer's host works for. */
export const HOSTS = 'trainer-hosts';

const count = z.int().min(0);

/** What is known of one rollout of a group; its tokens are stored under `ref`. */
export const rolloutFactsSchema = z.object({
  sample: count,
  /** Null where the rollout left no tokens. */
  ref: z.string().nullable(),
  kind: z.enum(['scored', 'unscored', 'failed']),
  /** Why it is not scored, or empty. */
  reason: z.string(),
  reward: z.number().nullable(),
  /** The number that the reward is made of: item F1, or accuracy. */
  score: z.number().nullable(),
  rule: z.string(),
  format: z.union([z.literal(0), z.literal(1)]),
  stopReason: z.string(),
  agents: count,
  turns: count,
  leadTurns: count,
  subtasks: count,
  searches: count,
  accesses: count,
  promptTokens: count,
  responseTokens: count,
  /** Longest of any single turn. */
  maxPrompt: count,
  maxResponse: count,
  /** Prompt and reply together; 0 in records from before it was kept. */
  maxTotal: count.default(0),
  /** Oldest and newest policy version among the tokens; 0 without tokens. */
  versions: z.tuple([count, count]),
});
export type RolloutFacts = z.infer<typeof rolloutFactsSchema>;

/** How a group ended. No group is without one once it has closed. */
export const fateSchema = z.discriminatedUnion('kind', [
  /** In the buffer, or in a batch whose step has not ended. */
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('trained'), step: count }),
  z.object({ kind: z.literal('filtered'), reason: z.string() }),
  z.object({ kind: z.literal('expired'), step: count }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
  /** Collected or evaluated; nothing is trained on it. */
  z.object({ kind: z.literal('kept') }),
]);
export type Fate = z.infer<typeof fateSchema>;

export const groupDocumentSchema = z.object({
  id: z.string(),
  questionId: z.string(),
  /** Policy version at admission. */
  admittedAt: count,
  closed: z.enum(['complete', 'partial', 'deadline', 'all_failed']),
  fate: fateSchema,
  excluded: z.array(z.object({ sample: count, reason: z.string() })),
  rollouts: z.array(rolloutFactsSchema),
});
export type GroupDocument = z.infer<typeof groupDocumentSchema>;

/** What one step trains on, fixed before it starts: the same whoever runs it, and how often. */
export const batchDocumentSchema = z.object({
  step: count,
  /** In training order. */
  groups: z.array(z.string()).min(1),
  reason: z.enum(['count', 'deadline', 'explicit', 'inputs_done']),
  expired: z.array(z.string()),
  /** One for each optimiser step. */
  learningRates: z.array(z.number().min(0)).min(1),
  /** Milliseconds from the last step's end to the batch's close. */
  waitMs: z.number().min(0),
});
export type BatchDocument = z.infer<typeof batchDocumentSchema>;

export const checkpointSchema = z.object({
  /** Steps that its weights have seen. */
  step: count,
  /** `tinker://MODEL/weights/NAME`. */
  path: z.string(),
  /** Snapshot for sampling of the same weights. */
  snapshot: z.string(),
  url: z.string(),
  /** Mean dev score at temperature 1, once evaluated. */
  score: z.number().nullable(),
  /** False: no longer needed and deleted where the engine can. */
  kept: z.boolean(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export const snapshotSchema = z.object({ path: z.string(), removed: z.boolean() });

/** The live model of a run, and how far it is. */
export const trainerRecordSchema = z.object({
  url: z.string(),
  modelId: z.string(),
  sessionId: z.string(),
  /** Steps that its weights have seen completely. */
  applied: count,
  /** First free sequence number. A step's calls count up from it, so a repeated step repeats its numbers. */
  nextSeq: z.int().min(1),
  /** Version and path of the snapshot that was published last. */
  published: z.object({ version: count, path: z.string() }).nullable(),
  /** Replies since the last finished step that could not be used. */
  badReplies: count.default(0),
});
export type TrainerRecord = z.infer<typeof trainerRecordSchema>;

/** Numbers of one step by metric name, and its groups. */
export const stepDocumentSchema = z.object({
  step: count,
  /** Policy version that the step started from. */
  version: count,
  at: z.number(),
  metrics: z.record(z.string(), z.number()),
  /** Loss tokens by age in versions. */
  staleness: z.record(z.string(), z.number()),
  stopReasons: z.record(z.string(), z.number()),
  groups: z.array(z.string()),
  expired: z.array(z.string()),
  filtered: z.array(z.object({ groupId: z.string(), reason: z.string() })),
  excluded: z.array(z.object({ rolloutId: z.string(), reason: z.string() })),
});
export type StepDocument = z.infer<typeof stepDocumentSchema>;
