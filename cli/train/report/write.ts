import { join, relative } from 'node:path';
import { exportMetrics } from '../../../activities/trainer/export.ts';
import type { Store } from '../../../activities/store/port.ts';
import { draft, writeWhole } from '../../eval/files.ts';
import type { Io } from '../../io.ts';
import { loadTrainReport } from './data.ts';
import { writeEvents } from './events.ts';
import { trainPage } from './page.ts';

export interface WrittenReport {
  /** From the current folder. */
  folder: string;
  report: string;
  steps: number;
}

/**
 * Writes `metrics.jsonl` (a line a step), a TensorBoard event file and `report.html` of a training into
 * `wideseek-runs/<run>/`. Null where the run has no steps yet. Throws `StorageFull` and `InvalidInput` naming the file.
 */
export const writeTrainReport = async (
  store: Store,
  runId: string,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<WrittenReport | null> => {
  if ((await store.documents.list(`steps/${runId}`)).length === 0) return null;
  const data = await loadTrainReport(store, runId);
  const folder = join(cwd, 'wideseek-runs', runId);
  const metrics = await draft(join(folder, 'metrics.jsonl'));
  try {
    for await (const line of exportMetrics(store, runId)) await metrics.write(`${line}\n`);
    await metrics.finish();
  } finally {
    await metrics.discard();
  }
  await writeEvents(folder, data);
  const report = join(folder, 'report.html');
  await writeWhole(report, trainPage(data));
  return { folder: relative(cwd, folder), report, steps: data.steps.length };
};
