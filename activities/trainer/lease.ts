import { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';
import type { Store } from '../store/port.ts';
import type { ModelHandle, TrainingEngine } from './port.ts';
import { HOSTS } from './records.ts';

/** Milliseconds after which a lease that nobody renews has ended. */
const LEASE_MS = 60_000;
const BEAT_MS = 10_000;
/** A run that asked nothing of its host for so long has gone; its model may go too, checkpoints remain. */
const FORGET_MS = 24 * 3_600_000;

const leaseSchema = z.object({ run: z.string(), until: z.number() });

export interface LeaseDeps {
  store: Pick<Store, 'documents'>;
  /** This machine, as its queue `train-<host>` is named. */
  host: string;
  now: () => number;
}

/**
 * One host trains one run at a time. A lease is renewed while the host lives; it ends when it is given back, or by
 * itself when the host is dead.
 */
export function createLeases({ store, host, now }: LeaseDeps) {
  const held = new Map<string, { engine: TrainingEngine; handle: ModelHandle | null; used: number }>();
  let timer: NodeJS.Timeout | undefined;

  async function claim(run: string): Promise<void> {
    const known = leaseSchema.safeParse(await store.documents.get(HOSTS, host));
    if (known.success && known.data.run !== run && known.data.until > now())
      throw new WideseekError('Overloaded', `trainer ${host} works for run ${known.data.run}`, {
        hint: 'The step waits for a free host; start a worker with queue `train` on another one',
      });
    await store.documents.put(HOSTS, host, { run, until: now() + LEASE_MS });
  }

  /** Renews leases and keeps sessions alive between steps, when no activity runs. */
  async function beat(): Promise<void> {
    for (const [run, { engine, handle, used }] of held) {
      if (now() - used > FORGET_MS) {
        held.delete(run);
        continue;
      }
      // What fails here is noticed by the next step, which restores what is lost.
      await claim(run).catch(() => undefined);
      if (handle) await engine.heartbeat(handle, AbortSignal.timeout(BEAT_MS)).catch(() => undefined);
    }
    if (held.size === 0) stop();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Takes this host for a run, or renews. Throws `Overloaded` while it works for another one. */
    claim,
    /** Keeps the host's lease and the model's session alive from now on. */
    hold(run: string, engine: TrainingEngine, handle: ModelHandle | null): void {
      held.set(run, { engine, handle, used: now() });
      timer ??= setInterval(() => void beat(), BEAT_MS).unref();
    },
    /** Gives the host back and unloads the model that was held for the run; its checkpoints remain. */
    async release(run: string): Promise<void> {
      const known = held.get(run);
      held.delete(run);
      if (known?.handle)
        await known.engine.unload(known.handle, AbortSignal.timeout(BEAT_MS)).catch(() => undefined);
      if (held.size === 0) stop();
      const lease = leaseSchema.safeParse(await store.documents.get(HOSTS, host));
      if (lease.success && lease.data.run === run) await store.documents.put(HOSTS, host, { run, until: 0 });
    },
  };
}
export type Leases = ReturnType<typeof createLeases>;
