import { relative } from 'node:path';
import type { RunRecord } from '../../domain/run.ts';
import { EXIT } from '../exit.ts';
import { type Io, sayJson, tell } from '../io.ts';
import type { End } from '../run/follow.ts';
import type { Session } from '../run/session.ts';
import { followTraining, type Outcomes, type TrainKind } from './follow.ts';
import { createTrainView } from './progress.ts';
import { writeTrainReport } from './report/write.ts';
import { type RunName, trainKindOf } from './start.ts';

const statusOf = (end: End<Outcomes[TrainKind]>, interrupted: boolean): number => {
  if (interrupted || end.kind === 'detached') return EXIT.interrupted;
  if (end.kind === 'finished')
    return 'reason' in end.outcome && end.outcome.reason !== 'steps' ? EXIT.partial : EXIT.ok;
  return end.type === 'InvalidInput' || end.type === 'ConfigError' || end.type === 'NotFound'
    ? EXIT.usage
    : EXIT.failed;
};

const sayOutcome = (io: Io, kind: TrainKind, outcome: Outcomes[TrainKind]): void => {
  if ('checkpoint' in outcome) {
    tell(io, `Trained ${outcome.step} steps; last loss ${outcome.loss?.toFixed(4) ?? 'unknown'}.`);
    tell(io, `Checkpoint: ${outcome.checkpoint}`);
    tell(io, `Train from it: wideseek train <config> --from ${outcome.runId}`);
  } else if ('reason' in outcome) {
    const why = { steps: '', inputs_done: ' (the questions are used up)', stopped: ' (stopped)' };
    const { steps, reason, trained, filtered, failed, expired } = outcome;
    tell(
      io,
      `${steps} steps${why[reason]}: ${trained} groups trained, ${filtered} without signal, ${failed} failed, ${expired} expired.`,
    );
  } else tell(io, `${outcome.done} groups: ${outcome.scored} rollouts scored, ${outcome.failed} failed.`);
};

/** Follows a run to its end, shows it, and writes its report where it has steps. Returns the exit status. */
export const finishTraining = async (
  io: Io,
  session: Session,
  kind: TrainKind,
  { runId, workflowId }: RunName,
  options: { json?: boolean } = {},
): Promise<{ status: number; outcome: Outcomes[TrainKind] | null }> => {
  const handle = session.client.workflow.getHandle(workflowId);
  const { end, interrupted } = await followTraining(
    io,
    session,
    handle,
    kind,
    createTrainView(io.stderr, io.now),
  );
  const status = statusOf(end, interrupted);
  const print = (value: Record<string, unknown>): void => {
    if (options.json) sayJson(io, { runId, workflowId, ...value });
  };
  if (end.kind === 'detached') {
    session.keep();
    tell(io, `Left to itself. Watch it: wideseek watch ${runId}`);
    tell(io, 'Stop everything: wideseek down');
    print({ status: 'running' });
    return { status, outcome: null };
  }
  if (end.kind === 'failed') {
    if (end.type === 'cancelled')
      tell(io, `${runId} was cancelled; checkpoints and finished groups are kept.`);
    else tell(io, `error: ${runId} failed (${end.type}): ${end.reason}`);
    if (status !== EXIT.usage) tell(io, `Go on with it: wideseek ${kind} --resume ${runId}`);
  } else sayOutcome(io, kind, end.outcome);
  const written = kind === 'rollout' ? null : await writeTrainReport(session.store, runId, io);
  if (written) tell(io, `Report: ${relative(io.cwd, written.report)}`);
  print(
    end.kind === 'failed'
      ? { status: 'failed', error: { type: end.type, message: end.reason }, folder: written?.folder ?? null }
      : { status: 'ended', ...end.outcome, folder: written?.folder ?? null },
  );
  return { status, outcome: end.kind === 'finished' ? end.outcome : null };
};

/** Follows a training that somebody started before: what `watch`, `cancel` and `resume` do with one. */
export const watchTraining = async (
  io: Io,
  session: Session,
  run: RunRecord,
  options: { json?: boolean },
): Promise<number> => {
  const { status } = await finishTraining(io, session, trainKindOf(run), run, options);
  return status;
};
