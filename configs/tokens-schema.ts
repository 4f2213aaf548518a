import { z } from 'zod';

/** Where a model that works on token ids samples from, and with which files. */
export const tokensSchema = z.strictObject({
  /** `wire`: a training engine. `sglang`: an SGLang server's own `/generate`. */
  engine: z.enum(['wire', 'sglang']),
  /**
   * Address of the engine; a train run's published weights say where they are served, so theirs goes first. Without it
   * `wire` is the engine of the worker's host: WIDESEEK_ENGINE_URL, else the local one, wherever it listens.
   */
  url: z.url().optional(),
  /** Folder with the model's tokenizer.json, tokenizer_config.json and chat template. */
  tokenizer: z.string().min(1),
  /** Train run whose latest published weights are sampled, read at every turn. */
  policy: z.string().min(1).optional(),
  /** A fixed snapshot (`tinker://MODEL/NAME`). Without this and `policy`: the base model. */
  path: z.string().min(1).optional(),
  topP: z.number().positive().max(1).optional(),
  /** Further variables of the chat template, e.g. `{ enable_thinking: false }`. */
  template: z.record(z.string(), z.unknown()).optional(),
});
export type TokensConfig = z.infer<typeof tokensSchema>;
