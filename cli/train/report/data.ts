import { z } from 'zod';
import type { Store } from '../../../activities/store/port.ts';
import { trainSettingsSchema, trainingDocumentSchema } from '../../../activities/trainer/plan.ts';
import {
  checkpointSchema,
  type Checkpoint,
  checkpointsOf,
  evalsOf,
  groupDocumentSchema,
  groupsOf,
  type StepDocument,
  stepDocumentSchema,
  stepsOf,
  TRAININGS,
} from '../../../activities/trainer/records.ts';
import { WideseekError } from '../../../domain/errors.ts';
import type { RunRecord } from '../../../domain/run.ts';

const evalSchema = z.object({
  /** Steps that the evaluated weights have seen. */
  step: z.number(),
  score: z.number().nullable(),
  greedy: z.number().nullable(),
  unscored: z.number(),
  metrics: z.record(z.string(), z.record(z.string(), z.number())),
});
export type EvalDocument = z.infer<typeof evalSchema>;

/** Everything that a report is made of. */
export interface TrainReportData {
  run: RunRecord;
  steps: StepDocument[];
  evals: EvalDocument[];
  /** How the groups ended so far, by kind; `filtered` and `failed` with their reasons. */
  fates: Record<string, number>;
  checkpoints: Checkpoint[];
  /** Settings worth a line; empty where the run has none stored. */
  config: unknown;
}

/** Reads a run's records. Throws `NotFound` for a run that is no training, `BadReply` for records that cannot be read. */
export const loadTrainReport = async (store: Store, runId: string): Promise<TrainReportData> => {
  const run = await store.runs.get(runId);
  const training = trainingDocumentSchema.safeParse(await store.documents.get(TRAININGS, runId));
  if (!run || !training.success)
    throw new WideseekError('NotFound', `there is no training "${runId}"`, {
      hint: '`wideseek runs` lists runs',
    });
  const list = async <T>(collection: string, schema: z.ZodType<T>): Promise<T[]> => {
    const entries = await store.documents.list(collection);
    return entries.map(({ key, value }) => {
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      throw new WideseekError('BadReply', `${collection}/${key} cannot be read`, {
        hint: 'Was it written by another version of wideseek?',
        cause: parsed.error,
      });
    });
  };
  const fates: Record<string, number> = {};
  for (const { fate } of await list(groupsOf(runId), groupDocumentSchema)) {
    const name = 'reason' in fate ? `${fate.kind}: ${fate.reason.slice(0, 60)}` : fate.kind;
    if (fate.kind !== 'kept') fates[name] = (fates[name] ?? 0) + 1;
  }
  const settings = await store.get(training.data.settingsRef).catch(() => 'null');
  const value: unknown = JSON.parse(settings);
  return {
    run,
    steps: (await list(stepsOf(runId), stepDocumentSchema)).sort((a, b) => a.step - b.step),
    evals: (await list(evalsOf(runId), evalSchema)).sort((a, b) => a.step - b.step),
    fates,
    checkpoints: await list(checkpointsOf(runId), checkpointSchema),
    config:
      trainSettingsSchema.safeParse(value).data?.config ?? (value as { config?: unknown } | null)?.config,
  };
};
