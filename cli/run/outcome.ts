import type { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/client';
import { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';
import { runStatusSchema, stopReasonSchema } from '../../domain/run.ts';

/** What `seek` returns: small; the whole result is stored under `resultRef`. */
const conclusionSchema = z.object({
  runId: z.string(),
  status: runStatusSchema.exclude(['running']),
  stopReason: stopReasonSchema,
  resultRef: z.string(),
  rows: z.number(),
});

/** How a run ended: with a stored result, or without one and why. */
export type Outcome =
  | ({ kind: 'concluded' } & z.infer<typeof conclusionSchema>)
  | { kind: 'failed'; type: string; reason: string; hint: string };

/** Reads a workflow's return value. Throws `BadReply` for one that is not a conclusion. */
export const readConclusion = (value: unknown): Extract<Outcome, { kind: 'concluded' }> => {
  const parsed = conclusionSchema.safeParse(value);
  if (parsed.success) return { kind: 'concluded', ...parsed.data };
  throw new WideseekError('BadReply', 'the workflow returned something that is not the end of a run', {
    hint: 'Do worker and command have the same version?',
  });
};

const again = 'resume it with `wideseek resume`';

/** Explains a failed workflow for people: the innermost cause that names a type. */
export const readFailure = ({ cause }: WorkflowFailedError): Outcome & { kind: 'failed' } => {
  if (cause instanceof CancelledFailure) {
    return {
      kind: 'failed',
      type: 'cancelled',
      reason: 'it was cancelled before it had a result',
      hint: again,
    };
  }
  if (cause instanceof TerminatedFailure) {
    return { kind: 'failed', type: 'terminated', reason: 'it was terminated', hint: again };
  }
  if (cause instanceof TimeoutFailure) {
    return { kind: 'failed', type: 'timed out', reason: 'its time was over', hint: again };
  }
  let inner: Error | undefined = cause;
  let type = 'Internal';
  let reason = cause?.message ?? 'no reason was given';
  for (let depth = 0; inner && depth < 10; depth++) {
    if (inner instanceof ApplicationFailure) {
      type = inner.type ?? type;
      reason = inner.message || reason;
    }
    inner = inner.cause instanceof Error ? inner.cause : undefined;
  }
  const usage = type === 'InvalidInput' || type === 'ConfigError';
  return { kind: 'failed', type, reason, hint: usage ? 'correct the input and ask again' : again };
};
