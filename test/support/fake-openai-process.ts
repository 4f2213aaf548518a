import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { repeatedKeys } from './fake-openai.ts';

const MAIN = fileURLToPath(new URL('./fake-openai-main.ts', import.meta.url));
const readySchema = z.object({ port: z.number(), baseUrl: z.string() });
const logLineSchema = z.object({
  event: z.enum(['received', 'answered']),
  n: z.number(),
  key: z.string(),
  answered: z.number().nullable(),
  at: z.number(),
});
export type FakeLogLine = z.infer<typeof logLineSchema>;

export interface FakeOpenAiProcess {
  port: number;
  baseUrl: string;
  pid: number;
  /** Every line of the log so far. */
  log(): FakeLogLine[];
  /** Keys of conversations that were answered with a 200 more than once. */
  repeated(): string[];
  /** Resolves with the exit code when the process has ended; null where it was killed. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts the fake server in a process of its own and waits until it listens. `script` is the path of a module
 * whose default export is a `Script`. Rejects when the process ends before it listens.
 */
export async function spawnFakeOpenAi(options: {
  logFile: string;
  script?: string;
  latencyMs?: number;
  port?: number;
}): Promise<FakeOpenAiProcess> {
  const flags = ['--log', options.logFile, '--latency', String(options.latencyMs ?? 0)];
  if (options.script) flags.push('--script', options.script);
  if (options.port !== undefined) flags.push('--port', String(options.port));
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString('utf8')));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
    ended.then((code) =>
      Promise.reject(new Error(`the fake server ended with ${code} before it listened: ${errors}`)),
    ),
  ]);
  const { port, baseUrl } = readySchema.parse(JSON.parse(line));

  const log = (): FakeLogLine[] =>
    existsSync(options.logFile)
      ? readFileSync(options.logFile, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((row) => logLineSchema.parse(JSON.parse(row)))
      : [];
  return {
    port,
    baseUrl,
    pid: child.pid ?? 0,
    log,
    repeated: () => repeatedKeys(log().filter((row) => row.event === 'answered' && row.answered === 200)),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}
