import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureBaseModel } from './engine-models.ts';
import { packageRoot } from './home.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'wideseek-models-'));
  said = [];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A Python whose engine `does` this; "$7" is the folder to write. */
const python = (does: string): string => {
  const file = join(home, 'python');
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${home}/calls\n${does}\n`);
  chmodSync(file, 0o755);
  return file;
};
let said: string[];
const make = (name: string, does = 'mkdir -p "$7" && touch "$7/model.safetensors"', seed = 3) =>
  ensureBaseModel({ python: python(does), models: join(home, 'models') }, name, {
    ...{ env: process.env, seed, onStatus: (line) => void said.push(line) },
  });

test('a model of this project gets its weights once; one that is there is left as it is', async () => {
  await make('mini');
  expect(existsSync(join(home, 'models', 'mini', 'model.safetensors'))).toBe(true);
  await make('mini', 'exit 1');
  mkdirSync(join(home, 'models', 'own'));
  writeFileSync(join(home, 'models', 'own', 'model-1.safetensors'), '');
  await make('own', 'exit 1');
  await make(join(home, 'models', 'own'), 'exit 1');
});

test('a model that comes with its weights is copied whole, without asking the engine', async () => {
  await make('mini-start', 'exit 1');
  const files = readdirSync(join(home, 'models', 'mini-start')).sort();
  expect(files).toEqual(readdirSync(join(packageRoot, 'models', 'mini-start')).sort());
  expect(files).toContain('model.safetensors');
  expect(readdirSync(join(home, 'models'))).toEqual(['mini-start']);
  // A copy that was begun and never ended is no model.
  rmSync(join(home, 'models', 'mini-start', 'model.safetensors'));
  await make('mini-start', 'exit 1');
  expect(existsSync(join(home, 'models', 'mini-start', 'model.safetensors'))).toBe(true);
});

test('a copy of other weights than the project has now is kept, and said', async () => {
  await make('mini-start', 'exit 1');
  await make('mini-start', 'exit 1');
  expect(said).toEqual([]);
  const copy = join(home, 'models', 'mini-start', 'model.safetensors');
  writeFileSync(copy, 'older');
  await make('mini-start', 'exit 1');
  expect(said.join()).toMatch(/not the one of this project any more; remove it/);
  expect(readFileSync(copy, 'utf8')).toBe('older');
});

test('a model that nobody has is said with the place where it should be', async () => {
  await expect(make('other')).rejects.toThrow(`no model with weights in ${join(home, 'models', 'other')}`);
  await expect(make(join(home, 'mini'))).rejects.toThrow('no model with weights');
});

test('what the engine says about a failure is passed on; another process that was faster is no failure', async () => {
  await expect(make('mini', 'echo "error: disk is full" >&2; exit 2')).rejects.toThrow('error: disk is full');
  await make('mini', 'mkdir -p "$7" && touch "$7/model.safetensors"; exit 2');
});
