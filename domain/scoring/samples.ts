import { z } from 'zod';
import { languageSchema } from '../agents/messages.ts';
import { stopReasonSchema, usageSchema } from '../run.ts';
import { turnCountsSchema } from './turn-counts.ts';

/**
 * One sample of an evaluation: a question answered once and scored. Stored as soon as it is known, under
 * (evaluation, question, sample), and written again when a later pass scores it.
 */
export const sampleRecordSchema = z.object({
  questionId: z.string(),
  language: languageSchema,
  kind: z.enum(['table', 'qa']),
  /** From 0. */
  sample: z.int().min(0),
  workflowId: z.string(),
  /** Hash of the stored `EvalQuestion`. */
  questionRef: z.string(),
  /** Hash of the run's stored `SeekResult`; null where the run left none. */
  resultRef: z.string().nullable(),
  stopReason: stopReasonSchema.nullable(),
  /** Status of the score (`ok`, `no_table`, …), or `unscored`: an outage is never a wrong answer. */
  status: z.string(),
  /** Why it is unscored, or empty. */
  reason: z.string(),
  /** Metrics by name, all in [0, 1]; null while unscored. */
  scores: z.record(z.string(), z.number()).nullable(),
  /** Hash of the stored score document with per-cell verdicts. */
  scoreRef: z.string().nullable(),
  usage: usageSchema,
  agents: z.int(),
  turns: z.int(),
  /** By role, with what they called. Not there without a result and in samples of earlier versions. */
  turnCounts: turnCountsSchema.optional(),
  /** Wall clock of the run, milliseconds. */
  wallMs: z.number(),
});
export type SampleRecord = z.infer<typeof sampleRecordSchema>;

/** Collection of the store's documents that holds an evaluation's samples, and a sample's key in it. */
export const samplesCollection = (evalRunId: string): string => `samples/${evalRunId}`;
export const sampleKey = (questionId: string, sample: number): string => `${questionId}/${sample}`;

/** What one evaluation is, stored at its start under documents(`evaluations`, runId). */
export const evaluationSchema = z.object({
  runId: z.string(),
  /** Name of the file in `configs/`. */
  config: z.string(),
  dataset: z.string(),
  questions: z.int(),
  samples: z.int(),
  /** Hash over everything that changes what is measured; two runs with different hashes must not be mixed. */
  configHash: z.string(),
  /** The whole resolved evaluation configuration, for the report. */
  settings: z.unknown(),
  /** Names of the models that answer. */
  policy: z.string(),
  startedAt: z.number(),
});
export type EvaluationRecord = z.infer<typeof evaluationSchema>;
export const EVALUATIONS = 'evaluations';

/** What the `evaluate` workflow returns: small; everything else is under the refs. */
export interface EvaluationOutcome {
  runId: string;
  /** False: some samples are unscored; run it again with `resume` to score them. */
  complete: boolean;
  samples: number;
  scored: number;
  unscored: number;
  /** Headline means in [0, 1] by metric, e.g. `f1_by_item.avg`. */
  headline: Record<string, number>;
  /** Hash of the stored metric document. */
  metricRef: string;
}
