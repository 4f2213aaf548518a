import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';

/** One output of the command. */
export interface Output {
  write(text: string): void;
  isTTY: boolean;
  columns: number;
}

/** Everything a command touches outside itself; tests pass their own. */
export interface Io {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdout: Output;
  stderr: Output;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** An integer from 0 up to, not including, `below`. */
  random: (below: number) => number;
  /**
   * Reads one line from a person at the terminal; null when `signal` aborts first or the input ends. Absent where
   * nobody sits there.
   */
  readLine?: (signal: AbortSignal) => Promise<string | null>;
  /** Calls back on Ctrl-C instead of ending the process, until the returned function is called. */
  onInterrupt(callback: () => void): () => void;
}

const output = (stream: NodeJS.WriteStream): Output => ({
  write: (text) => void stream.write(text),
  isTTY: stream.isTTY ?? false,
  get columns() {
    return stream.columns ?? 80;
  },
});

const readLine = (signal: AbortSignal): Promise<string | null> =>
  new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, signal });
    let said: string | null = null;
    lines.once('line', (line) => {
      said = line;
      lines.close();
    });
    lines.once('close', () => resolve(said));
  });

/** The real process. */
export const processIo = (): Io => ({
  env: process.env,
  cwd: process.cwd(),
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  now: Date.now,
  random: (below) => randomInt(below),
  ...(process.stdin.isTTY && process.stderr.isTTY ? { readLine } : {}),
  onInterrupt: (callback) => {
    process.on('SIGINT', callback);
    return () => void process.off('SIGINT', callback);
  },
});

/** A line on stdout. */
export const say = (io: Io, line: string): void => io.stdout.write(`${line}\n`);
/** A line on stderr: for people, never part of a result. */
export const tell = (io: Io, line: string): void => io.stderr.write(`${line}\n`);
/** The one JSON document of a command with `--json`. */
export const sayJson = (io: Io, value: unknown): void => say(io, JSON.stringify(value, null, 2));
