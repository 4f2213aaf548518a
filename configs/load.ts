import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import type { z } from 'zod';
import { invalidInput, WideseekError } from '../domain/errors.ts';
import { nameEndpoints, splitOverrides } from './endpoints.ts';
import { type RunConfig, runConfigSchema } from './schema.ts';

const CONFIG_DIR = fileURLToPath(new URL('.', import.meta.url));

/** Files beside the runs' configurations that are something else. */
const NOT_RUNS: ReadonlySet<string> = new Set(['workers', 'prices']);

/** Overrides by dotted path: `{"agents.width": 4}`. */
export type Overrides = Record<string, string | number | boolean | null>;

/**
 * Reads `configs/<name>.yaml`, applies overrides and defaults, and checks every key.
 * Throws `InvalidInput` for an unknown name or a bad override, `ConfigError` for a bad file; both name the field.
 */
export async function loadRunConfig(
  name: string,
  overrides: Overrides = {},
  dir = CONFIG_DIR,
): Promise<RunConfig> {
  const file = await readYaml(name, dir);
  const { before, after } = splitOverrides(overrides);
  for (const [path, value] of Object.entries(before)) setPath(file, path, value);
  const tree = nameEndpoints(file);
  for (const [path, value] of Object.entries(after)) setPath(tree, path, value);
  const parsed = runConfigSchema.safeParse(tree);
  if (parsed.success) return parsed.data;
  throw problemIn(parsed.error, `configs/${name}.yaml`, overrides);
}

/** The error for a configuration that does not fit its schema: `InvalidInput` where an override is to blame. */
export function problemIn(error: z.ZodError, file: string, overrides: Overrides): WideseekError {
  const issue = error.issues[0]!;
  const field = fieldOf(issue);
  const fromOverride = Object.keys(overrides).some((path) => field === path || field.startsWith(`${path}.`));
  return fromOverride
    ? invalidInput(`set.${field}`, problemOf(issue))
    : new WideseekError('ConfigError', `${file}: ${field}: ${problemOf(issue)}`);
}

async function readYaml(name: string, dir: string): Promise<Record<string, unknown>> {
  const known = (await readdir(dir))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5))
    .filter((file) => !NOT_RUNS.has(file));
  if (!known.includes(name))
    throw invalidInput('config', `there is no configuration "${name}"`, `Known: ${known.join(', ')}`);
  const document = parseDocument(await readFile(join(dir, `${name}.yaml`), 'utf8'));
  const error = document.errors[0];
  if (error) throw new WideseekError('ConfigError', `configs/${name}.yaml: ${error.message}`);
  return (document.toJS() as Record<string, unknown> | null) ?? {};
}

/** Writes `value` at a dotted path, making objects on the way; the schema decides later whether the path exists. */
export function setPath(tree: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  if (keys.some((key) => key === '' || key === '__proto__' || key === 'constructor' || key === 'prototype')) {
    throw invalidInput(`set.${path}`, 'is not a dotted path such as agents.width');
  }
  let node = tree;
  for (const key of keys.slice(0, -1)) {
    const child = Object.hasOwn(node, key) ? node[key] : undefined;
    if (child !== undefined && child !== null && (typeof child !== 'object' || Array.isArray(child))) {
      throw invalidInput(`set.${path}`, `"${key}" is not a section`);
    }
    node = node[key] = (child ?? {}) as Record<string, unknown>;
  }
  node[keys.at(-1)!] = value;
}

const fieldOf = (issue: z.core.$ZodIssue): string =>
  [...issue.path, ...(issue.code === 'unrecognized_keys' ? [issue.keys[0]!] : [])].join('.') || 'the file';

const problemOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys' ? 'unknown key' : issue.message;
