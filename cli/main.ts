import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { WideseekError } from '../domain/errors.ts';
import { EXIT, exitOfError } from './exit.ts';
import { type Io, processIo, sayJson, tell } from './io.ts';
import { createProgram } from './program.ts';

/** Says what went wrong in one message; with `--json` also as the one object on stdout. Returns the exit status. */
const report = (io: Io, error: unknown, json: boolean): number => {
  const known = error instanceof WideseekError;
  const message = error instanceof Error ? error.message : String(error);
  tell(io, known ? `error: ${message}` : `error: ${message} (WIDESEEK_DEBUG=1 shows where)`);
  if (io.env.WIDESEEK_DEBUG === '1' && error instanceof Error) tell(io, error.stack ?? '');
  if (json) sayJson(io, { error: { type: known ? error.type : 'Internal', message } });
  return exitOfError(error);
};

/** Runs one command line, without the program's name. Resolves with the exit status; never rejects. */
export const run = async (args: readonly string[], io: Io): Promise<number> => {
  let status: number = EXIT.ok;
  try {
    await createProgram(io, { done: (code) => (status = code) }).parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    // commander has said what is wrong; its help and version "errors" have status 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    return report(io, error, args.includes('--json'));
  }
};

const isEntry = process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1];
if (isEntry) {
  // A reader that closes the pipe early (`| head`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.exitCode = await run(process.argv.slice(2), processIo());
  // Nothing should be left to wait for; a library's forgotten timer must not keep the prompt away.
  setTimeout(() => process.exit(), 1_000).unref();
}
