import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../../domain/errors.ts';
import type { ModelHandle, TrainingEngine } from '../port.ts';

/** Engines unload the models of a session that was silent for 300 s; SDKs beat every 10 s. */
const BEAT_MS = 10_000;

/**
 * Keeps a model alive while `work` runs. When the engine says that the model is gone, `work`'s signal aborts with that
 * `NotFound` as its reason. A beat that fails in any other way is only tried again: the work's own calls will notice an
 * engine that is down.
 */
export async function withHeartbeat<T>(
  engine: Pick<TrainingEngine, 'heartbeat'>,
  handle: ModelHandle,
  signal: AbortSignal,
  work: (inner: AbortSignal) => Promise<T>,
  everyMs = BEAT_MS,
): Promise<T> {
  const lost = new AbortController();
  const done = new AbortController();
  const inner = AbortSignal.any([signal, lost.signal]);
  const beating = AbortSignal.any([inner, done.signal]);

  const beat = async (): Promise<void> => {
    while (!beating.aborted) {
      try {
        await engine.heartbeat(handle, beating);
      } catch (error) {
        if (error instanceof WideseekError && error.type === 'NotFound') lost.abort(error);
      }
      await sleep(everyMs, undefined, { signal: beating }).catch(() => undefined);
    }
  };
  const beats = beat();
  try {
    return await work(inner);
  } finally {
    done.abort();
    await beats;
  }
}
