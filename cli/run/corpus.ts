import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { readManifest } from '../../activities/search/embedded/manifest.ts';
import { loadCorpus } from '../../configs/corpus-schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { homePaths, wideseekHome } from '../../infra/local/home.ts';
import { type Io, tell } from '../io.ts';
import { readFailure } from './outcome.ts';
import type { Session } from './session.ts';

const stateSchema = z.object({
  phase: z.string(),
  estimate: z.object({ passages: z.number(), seconds: z.number() }).nullable(),
});

const duration = (seconds: number): string =>
  seconds < 120
    ? `${Math.ceil(seconds)} s`
    : seconds < 7200
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`;

/** A line per phase of the build, with what it was estimated to take. */
const showProgress = async (io: Io, session: Session, handle: WorkflowHandle, over: () => boolean) => {
  let last = '';
  for (; !over(); await sleep(500)) {
    const query = session.client.withDeadline(Date.now() + 5_000, () => handle.query('indexState'));
    const reply: unknown = await query.catch(() => null);
    const parsed = stateSchema.safeParse(reply);
    if (!parsed.success) continue; // not started yet, or busy
    const { phase, estimate } = parsed.data;
    const size = estimate ? `: about ${estimate.passages} passages, ${duration(estimate.seconds)}` : '';
    if (phase !== last && phase !== 'done' && !over()) tell(io, `index: ${phase}${size}`);
    last = phase;
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

/** What a question's corpus still needs: nothing, the quick build of the sample, or a build that a person starts. */
export const missingIndex = async (io: Io, name: string): Promise<'none' | 'sample' | 'own'> => {
  const { name: corpus, store, sources } = await loadCorpus(name);
  if (store.kind !== 'embedded' || (await hasIndex(io, corpus))) return 'none';
  return sources.every(({ kind }) => kind === 'sample') ? 'sample' : 'own';
};
