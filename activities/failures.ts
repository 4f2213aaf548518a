import { Context } from '@temporalio/activity';
import { WideseekError } from '../domain/errors.ts';
import { spreadBackoff } from './backoff.ts';
import { toApplicationFailure, toWideseekError } from './provider-errors.ts';

/**
 * Wraps an activity so that whatever it throws reaches Temporal as one typed failure: retryable or not, with the
 * provider's delay, or else the policy's, spread. Cancellation passes through untouched.
 */
export function withTypedFailures<A extends unknown[], R>(
  service: string,
  activity: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await activity(...args);
    } catch (error) {
      const { cancellationSignal, info } = Context.current();
      if (cancellationSignal.aborted) throw cancellationSignal.reason;
      const failure = error instanceof WideseekError ? error : toWideseekError(error, service);
      throw toApplicationFailure(failure, spreadBackoff(info, Math.random()));
    }
  };
}
