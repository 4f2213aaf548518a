interface Flight<T> {
  result: Promise<T>;
  waiting: number;
  stop: AbortController;
}

/**
 * Runs one piece of work per key at a time; callers that come meanwhile share its result. A caller that is
 * cancelled leaves with its signal's reason; the work itself is stopped when nobody waits for it any more.
 */
export function createSingleFlight<T>(): (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T> {
  const flights = new Map<string, Flight<T>>();

  const launch = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const stop = new AbortController();
    const flight: Flight<T> = { result: work(stop.signal), waiting: 0, stop };
    const land = (): void => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    flights.set(key, flight);
    return flight;
  };

  return (key, signal, work) =>
    new Promise<T>((resolve, reject) => {
      if (signal.aborted) return reject(asError(signal.reason));
      const flight = flights.get(key) ?? launch(key, work);
      flight.waiting++;
      const leave = (): void => {
        signal.removeEventListener('abort', cancel);
        flight.waiting--;
      };
      const cancel = (): void => {
        leave();
        reject(asError(signal.reason));
        if (flight.waiting > 0) return;
        // Who comes now must not join work that is being stopped.
        if (flights.get(key) === flight) flights.delete(key);
        flight.stop.abort(signal.reason);
      };
      signal.addEventListener('abort', cancel, { once: true });
      flight.result.then(
        (value) => {
          leave();
          resolve(value);
        },
        (error: unknown) => {
          leave();
          reject(asError(error));
        },
      );
    });
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new DOMException('The request was cancelled', 'AbortError');
