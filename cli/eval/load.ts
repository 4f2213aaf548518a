import type { Store } from '../../activities/store/port.ts';
import { WideseekError } from '../../domain/errors.ts';
import {
  type EvaluationRecord,
  EVALUATIONS,
  evaluationSchema,
  type SampleRecord,
  sampleRecordSchema,
  samplesCollection,
} from '../../domain/scoring/samples.ts';

export interface LoadedEvaluation {
  evaluation: EvaluationRecord;
  /** By question in order of their ids, then by sample. */
  samples: SampleRecord[];
}

const unreadable = (what: string, cause: unknown): WideseekError =>
  new WideseekError('BadReply', `${what} cannot be read`, {
    hint: 'Was it written by another version of wideseek?',
    cause,
  });

/** Natural order, so that `q2` comes before `q10`. */
const byId = new Intl.Collator('en', { numeric: true });

/** An evaluation and what is known of its samples so far. Throws `NotFound` and `BadReply` naming the document. */
export const loadEvaluation = async (
  store: Pick<Store, 'documents'>,
  runId: string,
): Promise<LoadedEvaluation> => {
  const found = await store.documents.get(EVALUATIONS, runId);
  if (found === undefined) {
    throw new WideseekError('NotFound', `there is no evaluation "${runId}"`, {
      hint: '`wideseek runs` lists runs',
    });
  }
  const evaluation = evaluationSchema.safeParse(found);
  if (!evaluation.success) throw unreadable(`the stored evaluation ${runId}`, evaluation.error);
  const entries = await store.documents.list(samplesCollection(runId));
  const samples = entries.map(({ key, value }) => {
    const sample = sampleRecordSchema.safeParse(value);
    if (!sample.success) throw unreadable(`sample ${key} of ${runId}`, sample.error);
    return sample.data;
  });
  samples.sort((a, b) => byId.compare(a.questionId, b.questionId) || a.sample - b.sample);
  return { evaluation: evaluation.data, samples };
};

/**
 * The evaluation that a person means: its run id, its workflow id (`eval/<run>`), or a part that only one has.
 * Throws `NotFound` for an unknown one and `InvalidInput` for an ambiguous one.
 */
export const findEvaluation = async (store: Pick<Store, 'documents'>, name: string): Promise<string> => {
  const id = name.trim().replace(/^eval\//, '');
  if ((await store.documents.get(EVALUATIONS, id)) !== undefined) return id;
  const keys = (await store.documents.list(EVALUATIONS)).map(({ key }) => key);
  const matches = id.length < 3 ? [] : keys.filter((key) => key.includes(id));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  if (only !== undefined) {
    throw new WideseekError('InvalidInput', `run: "${name}" fits ${matches.length} evaluations`, {
      hint: `Name one in full: ${matches.slice(0, 5).join(', ')}`,
    });
  }
  throw new WideseekError('NotFound', `there is no evaluation "${name}"`, {
    hint: keys.length > 0 ? `The latest: ${keys.slice(-3).join(', ')}` : 'Make one: wideseek eval <config>',
  });
};
