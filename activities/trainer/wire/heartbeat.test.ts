import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WideseekError } from '../../../domain/errors.ts';
import { withHeartbeat } from './heartbeat.ts';

const handle = { modelId: 'm', sessionId: 's' };
const signal = new AbortController().signal;

test('beats while the work runs and not after it', async () => {
  let beats = 0;
  const engine = {
    heartbeat: async () => {
      beats += 1;
    },
  };
  const value = await withHeartbeat(
    engine,
    handle,
    signal,
    async () => {
      while (beats < 3) await sleep(1);
      return 'done';
    },
    2,
  );
  expect(value).toBe('done');
  const at = beats;
  await sleep(20);
  expect(beats).toBe(at);
});

test('a lost model aborts the work with NotFound', async () => {
  const lost = new WideseekError('NotFound', 'model m is gone');
  const engine = { heartbeat: () => Promise.reject(lost) };
  const work = withHeartbeat(engine, handle, signal, async (inner) => {
    await sleep(60_000, undefined, { signal: inner }).catch(() => undefined);
    inner.throwIfAborted();
  });
  await expect(work).rejects.toBe(lost);
});

test('a beat that fails otherwise is tried again', async () => {
  let beats = 0;
  const engine = {
    heartbeat: async () => {
      beats += 1;
      throw new WideseekError('Overloaded', 'down');
    },
  };
  await withHeartbeat(
    engine,
    handle,
    signal,
    async (inner) => {
      while (beats < 3) await sleep(1);
      expect(inner.aborted).toBe(false);
    },
    1,
  );
});
