import { WideseekError, type FailureType } from '../domain/errors.ts';
import type { RunStatus } from '../domain/run.ts';

/** Exit statuses of every command; `--help` lists them. */
export const EXIT = {
  ok: 0,
  internal: 1,
  usage: 2,
  partial: 3,
  failed: 4,
  unreachable: 5,
  interrupted: 130,
} as const;

export const EXIT_HELP = `
Exit status:
  0    done
  1    an error of wideseek itself
  2    invalid input: an option, a configuration, a run that does not exist
  3    the run ended with a partial answer
  4    the run failed or found nothing
  5    a service cannot be reached: the Temporal server, the worker, the store
  130  interrupted`;

const USAGE: ReadonlySet<FailureType> = new Set(['InvalidInput', 'ConfigError', 'NotFound']);
const UNREACHABLE: ReadonlySet<FailureType> = new Set([
  'Overloaded',
  'Timeout',
  'Unauthorized',
  'StorageFull',
]);

/** Exit status for an error that ends a command. */
export const exitOfError = (error: unknown): number => {
  if (!(error instanceof WideseekError)) return EXIT.internal;
  if (USAGE.has(error.type)) return EXIT.usage;
  return UNREACHABLE.has(error.type) ? EXIT.unreachable : EXIT.internal;
};

/** Exit status for how a run ended. */
export const exitOfStatus = (status: RunStatus): number =>
  status === 'partial' ? EXIT.partial : status === 'failed' ? EXIT.failed : EXIT.ok;
