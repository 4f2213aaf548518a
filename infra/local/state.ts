import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { processIdSchema } from './processes.ts';

const childSchema = z.object({
  name: z.string(),
  process: processIdSchema,
  /** How often it was started again. */
  restarts: z.number().int(),
  log: z.string(),
});
export type ChildState = z.infer<typeof childSchema>;

/** `stack.json`: written by the supervisor alone, read by everybody. */
const stackStateSchema = z.object({
  version: z.literal(1),
  supervisor: processIdSchema,
  phase: z.enum(['starting', 'ready', 'stopping', 'failed']),
  /** Host and port of the Temporal server's gRPC service. */
  address: z.string(),
  /** Null where the server is not ours. */
  uiUrl: z.string().nullable(),
  /** Ports of the server that we run; null where it is not ours. A restart keeps them. */
  ports: z.object({ grpc: z.number().int(), ui: z.number().int() }).nullable(),
  children: z.array(childSchema),
  /** Digests of the variables that the workers were started with. */
  env: z.record(z.string(), z.string()).default({}),
  /** Why the phase is `failed`. */
  reason: z.string().nullable(),
});
export type StackState = z.infer<typeof stackStateSchema>;

/** The state on disk; null where there is none or it cannot be read (half a file after a full disk). */
export const readState = (file: string): StackState | null => {
  try {
    return stackStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
};

/** Replaces the state as a whole: a reader sees the old or the new one, never half of it. */
export const writeState = (file: string, state: StackState): void => {
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(state, null, 2));
  renameSync(draft, file);
};

export const removeState = (file: string): void => rmSync(file, { force: true });
