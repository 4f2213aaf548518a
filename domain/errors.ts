/**
 * Every failure that crosses a boundary has one of these types. The name is the `type` of the Temporal
 * ApplicationFailure that carries it, so a person filtering in the UI and a retry policy read the same word.
 */
export const FAILURE_TYPES = [
  'InvalidInput', // the caller sent something that cannot work; names the field
  'ConfigError', // a configuration file or key is wrong
  'NotFound', // a run, page, index or file that was named does not exist
  'Conflict', // a sequence number or a name was already used for something else
  'RateLimited', // the provider asked us to wait; retried after its Retry-After
  'Unauthorized', // 401 / 403: a key is missing or wrong
  'BadRequest', // 400 / 404 / 422 from a provider: sending it again cannot help
  'Overloaded', // 5xx, connection refused or reset
  'Timeout', // no answer within the deadline
  'BadReply', // an answer that cannot be read: truncated JSON, HTML with status 200, an empty reply
  'BudgetExhausted', // the run's ceiling would be passed
  'StorageFull', // the disk or database refuses writes
  'Unreadable', // a page that exists and cannot be read; the reason is in the message
  'Internal', // our own fault
] as const;

export type FailureType = (typeof FAILURE_TYPES)[number];

/** Trying again can help for these and only these. */
export const RETRYABLE: ReadonlySet<FailureType> = new Set([
  'RateLimited',
  'Overloaded',
  'Timeout',
  'BadReply',
  'StorageFull',
]);

/**
 * The one error class of the project. `retryAfterMs` is set where a provider named a delay.
 * `hint` says what the reader can do about it.
 */
export class WideseekError extends Error {
  override readonly name = 'WideseekError';
  readonly retryable: boolean;

  constructor(
    readonly type: FailureType,
    message: string,
    readonly details: { hint?: string; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(details.hint ? `${message}. ${details.hint}` : message, { cause: details.cause });
    this.retryable = RETRYABLE.has(type);
  }
}

/** Shorthand for the commonest one: bad input names the field, says what it got and what is allowed. */
export const invalidInput = (field: string, problem: string, hint?: string): WideseekError =>
  new WideseekError('InvalidInput', `${field}: ${problem}`, { hint });
