import { relative } from 'node:path';
import type { EvaluateInput } from '../../domain/scoring/evaluation-plan.ts';
import { EXIT } from '../exit.ts';
import { type Io, tell } from '../io.ts';
import type { Session } from '../run/session.ts';
import { agentFacts } from './facts.ts';
import { type EvalEnd, followEvaluation } from './follow.ts';
import { loadEvaluation } from './load.ts';
import type { MetricDocument } from './metrics.ts';
import { createEvalView } from './progress.ts';
import { headlineText } from './summary.ts';
import { evaluationWorkflowId, startEvaluation } from './start.ts';
import { writeRun } from './write.ts';

export interface FinishedEvaluation {
  status: number;
  /** Null where the evaluation never began. */
  document: MetricDocument | null;
  folder: string | null;
  /** Why it failed, or null. */
  error: { type: string; message: string } | null;
  detached: boolean;
}

/** Writes an evaluation's files and says in short what is in them. */
export const reportRun = async (
  io: Io,
  session: Pick<Session, 'store' | 'client'>,
  runId: string,
): Promise<{ document: MetricDocument; folder: string }> => {
  const loaded = await loadEvaluation(session.store, runId);
  const agents = await agentFacts(session.client, runId);
  const { folder, report, document } = await writeRun(session.store, loaded, {
    ...{ cwd: io.cwd, now: io.now(), agents },
  });
  tell(io, headlineText(document));
  tell(io, `Report: ${relative(io.cwd, report)}`);
  return { document, folder: relative(io.cwd, folder) };
};

const statusOf = (end: EvalEnd, interrupted: boolean): number => {
  if (interrupted || end.kind === 'detached') return EXIT.interrupted;
  if (end.kind === 'finished') return end.outcome.complete ? EXIT.ok : EXIT.partial;
  if (end.type === 'Incomplete') return EXIT.partial;
  return end.type === 'InvalidInput' || end.type === 'ConfigError' ? EXIT.usage : EXIT.failed;
};

/** Starts (or joins) one evaluation, shows it while it goes on, and writes its report however it ended. */
export const runEvaluation = async (
  io: Io,
  session: Session,
  runId: string,
  input: EvaluateInput,
): Promise<FinishedEvaluation> => {
  const handle = await startEvaluation(session, runId, input);
  const page = session.pageOf(evaluationWorkflowId(runId));
  tell(io, `Evaluation ${runId}${page ? `\n${page}` : ''}`);
  const { end, interrupted } = await followEvaluation(io, session, handle, createEvalView(io.stderr));
  const status = statusOf(end, interrupted);
  if (end.kind === 'detached') {
    session.keep();
    tell(io, `Left to itself. Follow it again: wideseek eval --resume ${runId}`);
    return { status, document: null, folder: null, error: null, detached: true };
  }
  const error = end.kind === 'failed' ? { type: end.type, message: end.reason } : null;
  if (error) tell(io, `error: evaluation ${runId} failed (${error.type}): ${error.message}`);
  const begun = (await session.store.documents.get('evaluations', runId)) !== undefined;
  if (!begun || status === EXIT.usage)
    return { status, document: null, folder: null, error, detached: false };
  const { document, folder } = await reportRun(io, session, runId);
  if (!document.wideseek.complete) tell(io, `Score what is missing: wideseek eval --resume ${runId}`);
  return { status, document, folder, error, detached: false };
};
