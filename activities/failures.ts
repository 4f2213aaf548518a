import { Context } from '@temporalio/activity';
import { WideseekError } from '../domain/errors.ts';
import { toApplicationFailure, toWideseekError } from './provider-errors.ts';

/**
 * Wraps an activity so that whatever it throws reaches Temporal as one typed failure: retryable or not, with the
 * provider's delay. Cancellation passes through untouched.
 */
export function withTypedFailures<A extends unknown[], R>(
  service: string,
  activity: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await activity(...args);
    } catch (error) {
      if (Context.current().cancellationSignal.aborted) throw Context.current().cancellationSignal.reason;
      throw toApplicationFailure(error instanceof WideseekError ? error : toWideseekError(error, service));
    }
  };
}
