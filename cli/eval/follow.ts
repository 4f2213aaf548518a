import type { WorkflowHandle } from '@temporalio/client';
import { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';
import type { EvaluationOutcome } from '../../domain/scoring/samples.ts';
import type { Io } from '../io.ts';
import { type End, follow, type Followable, type View } from '../run/follow.ts';
import type { Session } from '../run/session.ts';

export const evalProgressSchema = z.object({
  runId: z.string(),
  done: z.number(),
  total: z.number(),
  running: z.number(),
  scored: z.number(),
  unscored: z.number(),
  paused: z.boolean(),
  meanScore: z.record(z.string(), z.number()),
});
export type EvalProgress = z.infer<typeof evalProgressSchema>;

const outcomeSchema = z.object({
  runId: z.string(),
  complete: z.boolean(),
  samples: z.number(),
  scored: z.number(),
  unscored: z.number(),
  headline: z.record(z.string(), z.number()),
  metricRef: z.string(),
});

export type EvalEnd = End<EvaluationOutcome>;

const evaluation: Followable<EvalProgress, EvaluationOutcome> = {
  thing: 'evaluation',
  query: 'progress',
  readProgress: (reply) => evalProgressSchema.safeParse(reply).data ?? null,
  readResult: (value) => {
    const parsed = outcomeSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new WideseekError(
      'BadReply',
      'the workflow returned something that is not the end of an evaluation',
      { hint: 'Do worker and command have the same version?' },
    );
  },
  cancelling: 'Cancelling; scored samples are kept.',
  pollMs: 1_000,
};

/** Watches an evaluation until it ends, see `follow`. */
export const followEvaluation = (
  io: Io,
  session: Session,
  handle: WorkflowHandle,
  view: View<EvalProgress>,
): Promise<{ end: EvalEnd; interrupted: boolean }> => follow(io, session, handle, evaluation, view);
