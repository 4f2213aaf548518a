/**
 * Runs `work` with a signal that aborts when `signal` does or when `ms` milliseconds have passed, whichever comes first.
 * The reason of a deadline is a `TimeoutError`. Unlike `AbortSignal.any` it leaves nothing behind on a
 * signal that outlives it, such as that of an activity with many calls.
 */
export async function withDeadline<T>(
  signal: AbortSignal,
  ms: number,
  work: (inner: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const forward = (): void => controller.abort(signal.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')),
    ms,
  );
  signal.addEventListener('abort', forward, { once: true });
  if (signal.aborted) forward();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  }
}
