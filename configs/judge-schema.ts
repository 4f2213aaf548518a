import { z } from 'zod';

/**
 * The judge of an evaluation. It is always asked at temperature 0. Secrets are named, never written: `apiKeyEnv` is the
 * name of an environment variable.
 */
export const judgeSchema = z.strictObject({
  /**
   * `auto`: the endpoint that WIDESEEK_JUDGE_URL names, else none. `policy`: the engine that answers the questions judges
   * too. `none`: only what needs no judge is scored, see `missing`.
   */
  provider: z.enum(['auto', 'openai', 'policy', 'none']).default('auto'),
  /** An endpoint of the run's configuration by its name: address, model, key and queue are taken from there. */
  endpoint: z.string().optional(),
  /** Task queue of the judge's calls. Default: `judge`. */
  queue: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be the name of a task queue')
    .optional(),
  model: z.string().default(''),
  /** OpenAI-compatible base URLs. */
  baseUrls: z.array(z.url()).default([]),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'must be the NAME of an environment variable, not a key')
    .optional(),
  timeoutSeconds: z.number().positive().max(7200).default(300),
  /** Tokens of one reply; the published evaluator allows as many. */
  maxTokens: z.int().min(16).max(200_000).default(10_240),
  /** Calls of one answer that are under way at once. */
  concurrency: z.int().min(1).max(100).default(4),
  /** Merged into the request body. */
  extraBody: z.record(z.string(), z.unknown()).optional(),
  /** Attempts of one answer's scoring while the judge is unreachable; then the answer is `unscored`. */
  attempts: z.int().min(1).max(50).default(5),
  /**
   * No judge is configured and a cell or key needs one. `fallback`: texts are compared, and the score says
   * `judgeIncomplete`. `unscored`: no score.
   */
  missing: z.enum(['fallback', 'unscored']).default('fallback'),
  /** The judge answers and cannot be read, also when asked again: as `missing`. */
  unreadable: z.enum(['fallback', 'unscored']).default('unscored'),
  /** Drops surplus columns and counts missing ones as wrong cells instead of scoring the whole table 0. */
  lenientColumns: z.boolean().default(false),
});
export type JudgeConfig = z.infer<typeof judgeSchema>;
export type JudgeConfigInput = z.input<typeof judgeSchema>;
