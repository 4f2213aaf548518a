import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { invalidInput, WideseekError } from '../domain/errors.ts';
import { judgeSchema } from './judge-schema.ts';
import { loadRunConfig, type Overrides, problemIn, setPath } from './load.ts';

const EVAL_DIR = fileURLToPath(new URL('./eval/', import.meta.url));

/** One evaluation: `configs/eval/<name>.yaml` after defaults. Unknown keys are errors. */
export const evalConfigSchema = z.strictObject({
  dataset: z.strictObject({
    name: z.string(),
    path: z.string().optional(),
    split: z.string().optional(),
    limit: z.int().positive().optional(),
  }),
  /** Answers per question: the k of avg@k. */
  samples: z.int().min(1).max(64).default(4),
  /** The run configuration that answers (a file in `configs/`), and overrides of it, e.g. `agents.width: 4`. */
  run: z.string().default('ask'),
  set: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
  /** Questions under way at once. */
  concurrency: z.int().min(1).max(500).default(16),
  judge: judgeSchema.prefault({}),
  /** `reference` reproduces the published evaluator, faults included. */
  compat: z.enum(['default', 'reference']).default('default'),
  /** Who is told when a gated run got worse or is incomplete. A command gets the verdict as JSON on its input. */
  notify: z
    .strictObject({ command: z.array(z.string()).min(1).optional(), webhook: z.url().optional() })
    .prefault({}),
});
export type EvalConfig = z.infer<typeof evalConfigSchema>;

/**
 * Reads an evaluation's configuration. Keys of `overrides` that name a key of the evaluation (`samples`,
 * `dataset.split`, `judge.model`, …) change it; all others go to the run (`agents.width`).
 * Throws `InvalidInput` for an unknown name or override, `ConfigError` for a bad file; both name the field.
 */
export async function loadEvalConfig(
  name: string,
  overrides: Overrides = {},
  dir = EVAL_DIR,
): Promise<EvalConfig> {
  const known = (await readdir(dir))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5));
  if (!known.includes(name))
    throw invalidInput('config', `there is no evaluation "${name}"`, `Known: ${known.join(', ')}`);
  const document = parseDocument(await readFile(join(dir, `${name}.yaml`), 'utf8'));
  if (document.errors[0])
    throw new WideseekError('ConfigError', `configs/eval/${name}.yaml: ${document.errors[0].message}`);
  const tree = (document.toJS() as Record<string, unknown> | null) ?? {};
  const forRun: Overrides = {};
  for (const [path, value] of Object.entries(overrides)) {
    // An input can come from anybody who may start a workflow; what runs on our hosts comes from our files.
    if (path.startsWith('notify.command'))
      throw invalidInput(`set.${path}`, 'can only be set in the configuration file');
    if (Object.hasOwn(evalConfigSchema.shape, path.split('.')[0]!)) setPath(tree, path, value);
    else forRun[path] = value;
  }
  const parsed = evalConfigSchema.safeParse(tree);
  if (!parsed.success) throw problemIn(parsed.error, `configs/eval/${name}.yaml`, overrides);
  return withNamedJudge({ ...parsed.data, set: { ...parsed.data.set, ...forRun } });
}

/** Fills in what the named endpoint of the run says about the judge; what the evaluation itself says stays. */
async function withNamedJudge(config: EvalConfig): Promise<EvalConfig> {
  const { judge, run, set } = config;
  if (judge.endpoint === undefined) return config;
  const { endpoints } = await loadRunConfig(run, set);
  const found = Object.hasOwn(endpoints, judge.endpoint) ? endpoints[judge.endpoint] : undefined;
  if (!found)
    throw invalidInput(
      'judge.endpoint',
      `the run's configuration "${run}" has no endpoint "${judge.endpoint}"`,
      `Known: ${Object.keys(endpoints).join(', ') || 'none'}`,
    );
  if (found.provider === 'extractive')
    throw invalidInput('judge.endpoint', 'the extractive policy cannot judge');
  return {
    ...config,
    judge: {
      ...judge,
      provider: 'openai',
      model: judge.model || found.model,
      baseUrls: judge.baseUrls.length > 0 ? judge.baseUrls : found.baseUrls,
      apiKeyEnv: judge.apiKeyEnv ?? found.apiKeyEnv,
      extraBody: judge.extraBody ?? found.extraBody,
      queue: judge.queue ?? found.queue,
    },
  };
}
