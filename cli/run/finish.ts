import { WideseekError } from '../../domain/errors.ts';
import { createView } from '../progress/view.ts';
import { EXIT, exitOfStatus } from '../exit.ts';
import { type Io, sayJson, tell } from '../io.ts';
import { withPerson } from './ask-person.ts';
import { followRun } from './follow-run.ts';
import { type Delivery, deliver, loadResult, saveRunFiles, tellEnd } from './result.ts';
import type { Session } from './session.ts';

/** Follows a run to its end and hands over what it found. Returns the exit status. */
export const finishRun = async (
  io: Io,
  session: Session,
  run: { runId: string; workflowId: string },
  options: Delivery & { save?: boolean },
): Promise<number> => {
  const page = session.pageOf(run.workflowId);
  const handle = session.client.workflow.getHandle(run.workflowId);
  const view = withPerson(io, handle, createView(io.stderr));
  const { end, interrupted } = await followRun(io, session, handle, view);
  if (end.kind === 'detached') {
    session.keep();
    tell(io, `Left to itself. Watch it: wideseek watch ${run.runId}`);
    tell(io, 'Stop server and worker: wideseek down');
    if (options.json) sayJson(io, { ...run, status: 'running', page });
    return EXIT.interrupted;
  }
  if (end.kind === 'failed') {
    if (page) tell(io, `Run:    ${page}`);
    const what = `run ${run.runId} failed (${end.type}): ${end.reason}`;
    const error = new WideseekError('Internal', what, { hint: `You can ${end.hint}` });
    tell(io, `error: ${error.message}`);
    if (options.json)
      sayJson(io, { ...run, status: 'failed', error: { type: end.type, message: error.message } });
    return interrupted ? EXIT.interrupted : EXIT.failed;
  }
  const result = await loadResult(session.store, end.outcome.resultRef);
  const folder = options.save === false ? undefined : await saveRunFiles(io.cwd, result);
  await deliver(io, result, options);
  tellEnd(io, result, { folder, page });
  return interrupted ? EXIT.interrupted : exitOfStatus(result.status);
};
