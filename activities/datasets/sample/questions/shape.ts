import { z } from 'zod';

export const sampleSplitSchema = z.enum(['train', 'dev', 'test']);
export type SampleSplit = z.infer<typeof sampleSplitSchema>;

const normalised = z
  .string()
  .min(1)
  .refine(
    (name) => name === name.trim().toLowerCase().replaceAll(' ', ''),
    'must be lower-case without spaces',
  );

/** One step of the official pipeline; only functions that the official evaluator has. */
const stepSchema = z.strictObject({
  preprocess: z.array(z.enum(['norm_str', 'extract_number'])),
  metric: z.array(z.enum(['exact_match', 'in_match', 'number_near'])).length(1),
  criterion: z.number().nonnegative().optional(),
});

/** A line of `questions.jsonl`: a WideSearch record plus `split`, `topic` and `kind`. */
export const wideRecordSchema = z
  .strictObject({
    instance_id: z.string().regex(/^sample_(en|zh)_\d{3}$/),
    query: z.string().min(20),
    language: z.enum(['en', 'zh']),
    evaluation: z.strictObject({
      required: z.array(normalised).min(2).max(6),
      unique_columns: z.array(normalised).min(1),
      eval_pipeline: z.record(normalised, stepSchema),
    }),
    split: sampleSplitSchema,
    /** What the rows are; questions with the same rows share a topic and so a split. */
    topic: z.string(),
    kind: z.enum(['list', 'filter', 'two-step', 'pairs']),
  })
  .superRefine(({ evaluation }, context) => {
    const complain = (message: string): void => context.addIssue({ code: 'custom', message });
    const { required, unique_columns, eval_pipeline } = evaluation;
    for (const key of unique_columns) if (!required.includes(key)) complain(`key ${key} is not required`);
    for (const name of required) if (!eval_pipeline[name]) complain(`no step for ${name}`);
    for (const [name, step] of Object.entries(eval_pipeline))
      if (step.metric.includes('number_near') && step.criterion === undefined)
        complain(`${name}: no criterion`);
  });
export type WideRecord = z.infer<typeof wideRecordSchema>;

/** A wide question with its gold table. */
export const wideQuestionSchema = z.strictObject({
  record: wideRecordSchema,
  /** The scored gold: list cells hold every accepted order, see `orderings`. */
  goldCsv: z.string(),
  /** The same table for people and demonstrations: each cell once, as a good answer would write it. */
  table: z.strictObject({
    columns: z.array(z.string()),
    rows: z
      .array(z.array(z.string().min(1)))
      .min(2)
      .max(60),
  }),
});
export type WideQuestion = z.infer<typeof wideQuestionSchema>;

/** A line of `deep.jsonl`. Where `answer` is an array, each entry alone is a right answer. */
export const deepQuestionSchema = z.strictObject({
  id: z.string().regex(/^sample_deep_(en|zh)_\d{3}$/),
  question: z.string().min(6),
  answer: z.union([z.string().min(1), z.array(z.string().min(1)).min(2)]),
  language: z.enum(['en', 'zh']),
  hops: z.number().int().min(1).max(4),
  split: sampleSplitSchema,
  /** The entity that the question starts from; a split shares none with another. */
  topic: z.string(),
});
export type DeepQuestion = z.infer<typeof deepQuestionSchema>;

export interface SampleQuestions {
  wide: WideQuestion[];
  deep: DeepQuestion[];
}
