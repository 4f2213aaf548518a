import { z } from 'zod';
import type { RunGroup } from '../../domain/retention.ts';
import { EVALUATIONS } from '../../domain/scoring/samples.ts';
import { LAST_GOOD } from '../evaluate/gate.ts';
import type { Store } from '../store/port.ts';
import { TRAININGS } from '../trainer/records.ts';
import { weightsOf } from './weights.ts';

const trainingSchema = z.object({ settingsRef: z.string() });

/**
 * Old runs that others still need, by their root's id: the last good evaluation of a configuration, and trainings whose
 * name or weights stand in the settings of a training or an evaluation that stays. What stays for this keeps others in turn.
 */
export async function neededRuns(
  store: Pick<Store, 'documents' | 'get'>,
  old: readonly RunGroup[],
  kept: readonly RunGroup[],
): Promise<Set<string>> {
  const needed = new Set<string>();
  const good = new Set((await store.documents.list(LAST_GOOD)).map(({ value }) => value));
  const trainings = await Promise.all(
    old
      .filter(({ root }) => root.kind === 'train')
      .map(async ({ root }) => ({
        root,
        names: [
          JSON.stringify(root.runId),
          ...(await weightsOf(store, root.runId)).map(({ path }) => `${path.split('/', 3).join('/')}/`),
        ],
      })),
  );
  let waiting = [...kept, ...old.filter(({ root }) => good.has(root.runId))].map(({ root }) => root);
  for (const { root } of old) if (good.has(root.runId)) needed.add(root.runId);
  while (waiting.length > 0) {
    const texts = (await Promise.all(waiting.map(({ runId }) => settingsOf(store, runId)))).join('\n');
    waiting = trainings.flatMap(({ root, names }) =>
      !needed.has(root.runId) && names.some((name) => texts.includes(name)) ? [root] : [],
    );
    for (const { runId } of waiting) needed.add(runId);
  }
  return needed;
}

/** What a training or an evaluation was told to do, as JSON; empty for other runs. */
async function settingsOf(store: Pick<Store, 'documents' | 'get'>, runId: string): Promise<string> {
  const evaluation = await store.documents.get(EVALUATIONS, runId);
  if (evaluation !== undefined) return JSON.stringify(evaluation);
  const training = trainingSchema.safeParse(await store.documents.get(TRAININGS, runId));
  return training.success ? store.get(training.data.settingsRef).catch(() => '') : '';
}
