import type { WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';
import type { Io } from '../io.ts';
import { type End, follow, type Followable, type View } from '../run/follow.ts';
import type { Session } from '../run/session.ts';

const devSchema = z.object({
  step: z.number(),
  score: z.number().nullable(),
  greedy: z.number().nullable(),
});

/** What the three kinds of runs answer to `progress`. */
const trainSchema = z.object({
  runId: z.string(),
  phase: z.string(),
  step: z.number(),
  steps: z.number(),
  version: z.number(),
  running: z.number(),
  buffered: z.number(),
  trained: z.number(),
  filtered: z.number(),
  failed: z.number(),
  expired: z.number(),
  rewardMean: z.number().nullable(),
  scoreMean: z.number().nullable(),
  idleShare: z.number().nullable(),
  dev: devSchema.nullable(),
  host: z.string().nullable(),
  etaSeconds: z.number().nullable(),
  note: z.string(),
});
export type TrainProgressReply = z.infer<typeof trainSchema>;
const sftSchema = z.object({
  runId: z.string(),
  step: z.number(),
  steps: z.number(),
  loss: z.number().nullable(),
});
const rolloutSchema = z.object({
  runId: z.string(),
  groups: z.number(),
  done: z.number(),
  running: z.number(),
  scored: z.number(),
  failed: z.number(),
});

export const trainOutcomeSchema = z.object({
  runId: z.string(),
  steps: z.number(),
  reason: z.enum(['steps', 'inputs_done', 'stopped']),
  trained: z.number(),
  filtered: z.number(),
  failed: z.number(),
  expired: z.number(),
  dev: devSchema.nullable(),
});
export const sftOutcomeSchema = z.object({
  runId: z.string(),
  step: z.number(),
  loss: z.number().nullable(),
  checkpoint: z.string(),
  snapshot: z.string(),
});

/** One line about a run of any of the kinds; `stepsPerSecond` is null before it can be told. */
export type Shown =
  | { kind: 'train'; progress: TrainProgressReply }
  | { kind: 'sft'; progress: z.infer<typeof sftSchema> }
  | { kind: 'rollout'; progress: z.infer<typeof rolloutSchema> };
export type TrainKind = Shown['kind'];

/** What each kind of workflow returns. */
export interface Outcomes {
  train: z.infer<typeof trainOutcomeSchema>;
  sft: z.infer<typeof sftOutcomeSchema>;
  rollout: z.infer<typeof rolloutSchema>;
}

const OUTCOMES = { train: trainOutcomeSchema, sft: sftOutcomeSchema, rollout: rolloutSchema } as const;

const readReply = (kind: TrainKind, reply: unknown): Shown | null => {
  if (kind === 'train') {
    const { data } = trainSchema.safeParse(reply);
    return data ? { kind, progress: data } : null;
  }
  if (kind === 'sft') {
    const { data } = sftSchema.safeParse(reply);
    return data ? { kind, progress: data } : null;
  }
  const { data } = rolloutSchema.safeParse(reply);
  return data ? { kind, progress: data } : null;
};

/** How a run of this kind is followed. */
export const followableOf = <K extends TrainKind>(kind: K): Followable<Shown, Outcomes[K]> => ({
  thing: 'training',
  query: 'progress',
  readProgress: (reply) => readReply(kind, reply),
  readResult: (value) => {
    const parsed = OUTCOMES[kind].safeParse(value);
    if (parsed.success) return parsed.data as Outcomes[K];
    throw new WideseekError('BadReply', 'the workflow returned something that is not the end of a training', {
      hint: 'Do worker and command have the same version?',
    });
  },
  cancelling: 'Cancelling; checkpoints and finished groups are kept.',
  hint: 'Then `wideseek watch` follows it',
  pollMs: 1_000,
});

/** Watches a training until it ends, see `follow`. */
export const followTraining = <K extends TrainKind>(
  io: Io,
  session: Session,
  handle: WorkflowHandle,
  kind: K,
  view: View<Shown>,
): Promise<{ end: End<Outcomes[K]>; interrupted: boolean }> =>
  follow(io, session, handle, followableOf(kind), view);
