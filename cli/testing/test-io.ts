import type { Io } from '../io.ts';

/** An `Io` that keeps what is written, runs at a fixed time, and is interrupted by the test. */
export const testIo = (options: { env: NodeJS.ProcessEnv; cwd: string; tty?: boolean }) => {
  const written = { stdout: '', stderr: '' };
  const interrupts = new Set<() => void>();
  const output = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => void (written[name] += text),
    isTTY: options.tty ?? false,
    columns: 100,
  });
  const io: Io = {
    env: options.env,
    cwd: options.cwd,
    stdout: output('stdout'),
    stderr: output('stderr'),
    now: Date.now,
    random: (below) => Math.floor(Math.random() * below),
    onInterrupt: (callback) => {
      interrupts.add(callback);
      return () => void interrupts.delete(callback);
    },
  };
  return { io, written, interrupt: () => interrupts.forEach((callback) => callback()) };
};
