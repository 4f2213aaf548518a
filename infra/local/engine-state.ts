import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isAlive, processIdSchema } from './processes.ts';

/** How the local engine is started; written by whoever wants it, carried out by the supervisor. */
export const engineSpecSchema = z.object({
  python: z.string(),
  /** Folder with one base model per folder. */
  models: z.string(),
  checkpoints: z.string(),
  /** Compiled functions; a start with them takes seconds instead of half a minute. */
  cache: z.string(),
  deterministic: z.boolean(),
  /** Program instead of the engine's own, for tests. */
  program: z.array(z.string()).optional(),
});
export type EngineSpec = z.infer<typeof engineSpecSchema>;

/** What the supervisor says about the engine. */
export const engineStateSchema = z.object({
  phase: z.enum(['starting', 'ready', 'failed']),
  spec: engineSpecSchema,
  url: z.string(),
  process: processIdSchema.nullable(),
  restarts: z.number().int(),
  log: z.string(),
  reason: z.string().nullable(),
});
export type EngineState = z.infer<typeof engineStateSchema>;

export const enginePaths = (home: string) => ({
  /** How to start it; stays when the stack goes down. */
  spec: join(home, 'engine-spec.json'),
  /** Exists while the engine is wanted; gone after a clean stop of the stack. */
  wanted: join(home, 'engine-wanted'),
  state: join(home, 'engine.json'),
  checkpoints: join(home, 'engines', 'checkpoints'),
  cache: join(home, 'engines', 'cache'),
});

const read = <T>(file: string, schema: z.ZodType<T>): T | null => {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
};

const write = (file: string, value: unknown): void => {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(value, null, 2));
  renameSync(draft, file);
};

/** How the engine is to be started; null where nobody has prepared one. */
export const readEngineSpec = (home: string): EngineSpec | null =>
  read(enginePaths(home).spec, engineSpecSchema);

/** Asks the home's supervisor for the engine; it starts within a moment and stays until the stack goes down. */
export const wantEngine = (home: string, spec: EngineSpec): void => {
  write(enginePaths(home).spec, spec);
  writeFileSync(enginePaths(home).wanted, '');
};

export const isEngineWanted = (home: string): boolean => existsSync(enginePaths(home).wanted);
export const unwantEngine = (home: string): void => rmSync(enginePaths(home).wanted, { force: true });

/** What the engine's state file says; null without one. */
export const readEngineState = (home: string): EngineState | null =>
  read(enginePaths(home).state, engineStateSchema);
export const writeEngineState = (home: string, state: EngineState): void =>
  write(enginePaths(home).state, state);
export const removeEngineState = (home: string): void => rmSync(enginePaths(home).state, { force: true });

/** Address of the engine that lives now; null where none does. */
export const runningEngine = (home: string): EngineState | null => {
  const state = readEngineState(home);
  return state?.phase === 'ready' && state.process && isAlive(state.process) ? state : null;
};
