import { z } from 'zod';
import { languageSchema } from '../../domain/agents/messages.ts';
import { tableSchema } from '../../domain/run.ts';
import { evalRecordSchema } from '../../domain/scoring/record.ts';

const common = {
  /** Unique in its data set. */
  id: z.string().min(1),
  question: z.string().trim().min(1, 'is empty'),
  language: languageSchema,
  split: z.string().optional(),
};

/** A question of a benchmark with what its answer is compared with. */
export const evalQuestionSchema = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('table'),
    record: evalRecordSchema,
    /** Gold table as CSV text; its first line names the columns. */
    goldCsv: z.string(),
    /** The same table for people, where the data set has one. */
    table: tableSchema.optional(),
  }),
  z.object({
    ...common,
    kind: z.literal('qa'),
    /** Each one alone is a right answer. */
    answers: z.array(z.string().min(1)).min(1, 'names no answer'),
  }),
]);
export type EvalQuestion = z.infer<typeof evalQuestionSchema>;
export type TableQuestion = Extract<EvalQuestion, { kind: 'table' }>;
export type QaQuestion = Extract<EvalQuestion, { kind: 'qa' }>;
