import { z } from 'zod';

/** What a person types to start `evaluate`: `{"config": "sample"}` is enough. */
export const evaluateInputSchema = z.strictObject({
  /** Name of a file in `configs/eval/`. */
  config: z.string().min(1),
  /** Overrides of the evaluation or, where it has no such key, of the run: `{"samples": 1, "agents.width": 4}`. */
  set: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
  limit: z.int().positive().optional(),
  /** Goes on with a run of this name that stopped or has unscored samples; scored samples are kept. */
  resume: z.boolean().default(false),
  /** Allows samples of different configurations under one name. */
  mix: z.boolean().default(false),
  /** Compares with the last good run of this configuration; the workflow fails when this one is worse or incomplete. */
  gate: z.strictObject({ tolerance: z.number().min(0).max(1).default(0) }).optional(),
});
export type EvaluateInput = z.input<typeof evaluateInputSchema>;

/** Small half of an evaluation's plan; questions and configuration are stored under the refs. */
export interface EvaluationPlan {
  runId: string;
  workflowId: string;
  manifestRef: string;
  /** Questions × samples. */
  total: number;
  samples: number;
  concurrency: number;
  dataset: string;
  policy: string;
  judgeAttempts: number;
  /** Task queue of the judge's calls. Not there: `judge`. */
  judgeQueue?: string;
  gate: { tolerance: number } | null;
}

/** One thing to do: answer, or only score what was answered before. */
export interface EvaluationItem {
  questionId: string;
  questionRef: string;
  sample: number;
  /** Set where the answer exists and only the score is missing. */
  resultRef: string | null;
  /** Input of the `seek` that answers. */
  question: string;
  config: string;
  set: Record<string, string | number | boolean | null>;
}

/** What `progress` of `evaluate` answers. */
export interface EvaluationProgress {
  runId: string;
  done: number;
  total: number;
  running: number;
  scored: number;
  unscored: number;
  paused: boolean;
  /** Means of the scores so far, by metric. */
  meanScore: Record<string, number>;
}
