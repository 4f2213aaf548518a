import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { invalidInput, WideseekError } from '../domain/errors.ts';
import type { RlPreset } from '../domain/rl/presets.ts';
import { PRESETS } from '../domain/rl/presets.ts';
import { type Overrides, problemIn, setPath } from './load.ts';
import {
  type AlgorithmConfig,
  rolloutConfigSchema,
  type RolloutConfig,
  sftConfigSchema,
  type SftConfig,
  trainConfigSchema,
  type TrainConfig,
} from './train-schema.ts';

const TRAIN_DIR = fileURLToPath(new URL('./train/', import.meta.url));

/** Keys that stand for a key of the agents' run configuration: `policy.set` takes them. */
const isOwn = (schema: { shape: object }, path: string): boolean =>
  Object.hasOwn(schema.shape, path.split('.')[0]!);

/**
 * Reads `configs/train/<name>.yaml`. Overrides that name a key of the training change it (`steps`, `data.seed`); all
 * others go to the agents' run configuration (`agents.width`). Throws `InvalidInput` for an unknown name or a bad
 * override, `ConfigError` for a bad file; both name the field.
 */
export const loadTrainConfig = (name: string, set: Overrides = {}, dir = TRAIN_DIR): Promise<TrainConfig> =>
  load(trainConfigSchema, name, set, dir);

/** As `loadTrainConfig`, for a collection of rollouts. */
export const loadRolloutConfig = (
  name: string,
  set: Overrides = {},
  dir = TRAIN_DIR,
): Promise<RolloutConfig> => load(rolloutConfigSchema, name, set, dir);

/** As `loadTrainConfig`, for supervised training; every override is its own. */
export const loadSftConfig = (name: string, set: Overrides = {}, dir = TRAIN_DIR): Promise<SftConfig> =>
  load(sftConfigSchema, name, set, dir);

async function load<T>(
  schema: z.ZodType<T> & { shape: object },
  name: string,
  set: Overrides,
  dir: string,
): Promise<T> {
  const known = (await readdir(dir))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5));
  if (!known.includes(name))
    throw invalidInput('config', `there is no training "${name}"`, `Known: ${known.join(', ')}`);
  const document = parseDocument(await readFile(join(dir, `${name}.yaml`), 'utf8'));
  if (document.errors[0])
    throw new WideseekError('ConfigError', `configs/train/${name}.yaml: ${document.errors[0].message}`);
  const tree = (document.toJS() as Record<string, unknown> | null) ?? {};
  const forAgents: Overrides = {};
  for (const [path, value] of Object.entries(set)) {
    if (isOwn(schema, path) || !('policy' in schema.shape)) setPath(tree, path, value);
    else forAgents[path] = value;
  }
  if (Object.keys(forAgents).length > 0) {
    const policy = (tree.policy ??= {}) as { set?: Overrides };
    policy.set = { ...policy.set, ...forAgents };
  }
  const parsed = schema.safeParse(tree);
  if (parsed.success) return parsed.data;
  throw problemIn(parsed.error, `configs/train/${name}.yaml`, set);
}

/** The algorithm with the configuration's replacements. */
export function resolveAlgorithm(config: AlgorithmConfig): RlPreset {
  const { batch, loss } = PRESETS[config.preset];
  const or = <T>(value: T | undefined, preset: T): T => (value === undefined ? preset : value);
  return {
    batch: {
      advantage: { ...batch.advantage, ...defined(config.advantage) },
      weighting: or(config.weighting, batch.weighting),
      denominator: or(config.denominator, batch.denominator),
      filter: { ...batch.filter, ...defined(config.filter) },
      shaping: or(config.shaping, batch.shaping),
      normaliseOverTokens: or(config.normaliseOverTokens, batch.normaliseOverTokens),
      merge: or(config.merge, batch.merge),
    },
    loss: {
      clip: { ...loss.clip, ...defined(config.clip) },
      kl: or(config.kl, loss.kl),
      decoupled: or(config.decoupled, loss.decoupled),
      age: { ...loss.age, ...defined(config.age) },
    },
  };
}

const defined = <T extends object>(part: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
