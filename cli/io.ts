import { randomInt } from 'node:crypto';

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

/** The real process. */
export const processIo = (): Io => ({
  env: process.env,
  cwd: process.cwd(),
  stdout: output(process.stdout),
  stderr: output(process.stderr),
  now: Date.now,
  random: (below) => randomInt(below),
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
