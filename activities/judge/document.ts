import { z } from 'zod';
import { EVALUATION_STATUSES } from '../../domain/scoring/evaluation.ts';

/** Raise it when equal verdicts can give other numbers; documents of both versions then stand side by side. */
export const METRIC_VERSION = '1';

/** `unscored`: nothing can be said about the answer, because the run or the judge failed. It is never a 0. */
export const SAMPLE_STATUSES = [...EVALUATION_STATUSES, 'unscored'] as const;
export const sampleStatusSchema = z.enum(SAMPLE_STATUSES);
export type SampleStatus = z.infer<typeof sampleStatusSchema>;

const verdictSchema = z.object({
  subject: z.record(z.string(), z.unknown()),
  value: z.union([z.number(), z.string(), z.null()]),
  rationale: z.string(),
  /** Hash of the judge's raw reply in the store. */
  reply: z.string(),
});

/** How one answer was scored, for the report and for audit: equal inputs and verdicts give an equal document. */
export const scoreDocumentSchema = z.object({
  question: z.string(),
  kind: z.enum(['table', 'qa']),
  status: sampleStatusSchema,
  /** The seven numbers of a table; `em`, `f1`, `cem` and, with a judge, `accuracy` of a single answer. */
  scores: z.record(z.string(), z.number()).nullable(),
  /** Why there are no scores, or what to know about them. */
  reason: z.string().nullable(),
  /** Texts were compared where a judge should have decided. */
  judgeIncomplete: z.boolean(),
  compat: z.enum(['default', 'reference']),
  metricVersion: z.string(),
  judge: z.object({ model: z.string().nullable(), promptVersion: z.string() }),
  /** Null for single answers and where no table was compared. */
  table: z
    .object({
      rows: z.object({ answer: z.number(), gold: z.number(), joined: z.number() }),
      cells: z.array(
        z.object({
          key: z.array(z.string()),
          column: z.string(),
          response: z.string().nullable(),
          target: z.string().nullable(),
          score: z.number(),
          reason: z.string(),
        }),
      ),
      missingRows: z.array(z.array(z.string())),
      surplusRows: z.array(z.array(z.string())),
      diagnostics: z.array(z.string()),
    })
    .nullable(),
  /** Null for tables. */
  qa: z
    .object({ prediction: z.string().nullable(), answers: z.array(z.string()), rationale: z.string() })
    .nullable(),
  verdicts: z.array(verdictSchema),
});
export type ScoreDocument = z.infer<typeof scoreDocumentSchema>;
