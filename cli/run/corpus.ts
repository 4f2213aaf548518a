import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readManifest } from '../../activities/search/embedded/manifest.ts';
import { WideseekError } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { homePaths, wideseekHome } from '../../infra/local/home.ts';
import { type Io, tell } from '../io.ts';
import { readFailure } from './outcome.ts';
import type { Session } from './session.ts';

const progressSchema = z.object({
  phase: z.string(),
  recordsDone: z.number(),
  records: z.number(),
  passages: z.number(),
});

const showProgress = async (io: Io, session: Session, handle: WorkflowHandle, over: () => boolean) => {
  let last = '';
  for (; !over(); await sleep(1_000)) {
    const query = session.client.withDeadline(Date.now() + 5_000, () => handle.query('progress'));
    const reply: unknown = await query.catch(() => null);
    const parsed = progressSchema.safeParse(reply);
    if (!parsed.success) continue; // not started yet, or busy
    const { phase, recordsDone, records, passages } = parsed.data;
    const line = `index: ${phase}, ${recordsDone} of ${records} records, ${passages} passages`;
    if (line !== last && !over()) tell(io, line);
    last = line;
  }
};

/**
 * Builds the search index of a corpus (a name, or an absolute path of its file) and returns what the workflow says
 * about it. Two at once share one build. Throws `Internal` when the build fails.
 */
export const buildIndex = async (io: Io, session: Session, config: string): Promise<unknown> => {
  const name = (config.split(/[\\/]/).pop() ?? config).replace(/\.ya?ml$/, '');
  const handle = await session.client.workflow.start('indexCorpus', {
    taskQueue: TASK_QUEUE,
    workflowId: `index/${name}`,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [{ config }],
  });
  let over = false;
  const shown = showProgress(io, session, handle, () => over);
  try {
    return await handle.result();
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { type, reason } = readFailure(error);
    const usage = type === 'InvalidInput' || type === 'ConfigError' || type === 'NotFound';
    throw new WideseekError(
      usage ? type : 'Internal',
      `the index of ${name} was not built (${type}): ${reason}`,
    );
  } finally {
    over = true;
    await shown;
  }
};

/** True when the embedded index of a corpus was built on this machine. */
export const hasIndex = async (io: Io, corpus: string): Promise<boolean> =>
  (await readManifest(join(homePaths(wideseekHome(io.env)).index, corpus))) !== undefined;
