import { setTimeout as sleep } from 'node:timers/promises';
import { noUsage } from '../../domain/agents/plan.ts';
import { WideseekError } from '../../domain/errors.ts';
import type { RunUsage } from '../../domain/run.ts';
import type { Ceiling, Store } from '../store/port.ts';
import type { ModelReply } from './port.ts';
import { costMicroUsd, type Prices } from './pricing.ts';

export interface PaidCall<Kept> {
  /** A retry computes the same key, and finds what its first attempt was told. */
  key: string;
  runId: string;
  /** Estimates from above: what the budget must hold. */
  worst: { promptTokens: number; completionTokens: number };
  prices: Prices | undefined;
  ceiling: Ceiling;
  complete: () => Promise<ModelReply>;
  /** What the journal keeps of the reply. */
  pack: (reply: ModelReply) => Promise<Kept>;
}

/** How long a reply that was paid for is kept trying to be recorded; less than an activity's slack after its call. */
const KEEP_MS = 10_000;
const AGAIN_MS = 250;
/** Replies that wait in memory for a store that refuses them; more than one process has calls open at once. */
const MAX_UNRECORDED = 2_000;

/**
 * Model calls that are paid once: the worst case is reserved, the reply is recorded before anything else can fail, and
 * what it cost is settled. Returns the reply as it is recorded and the usage, or `budget` where the run's ceiling has no
 * room for it. `read` checks a record; what it does not know is as good as none. Throws what `complete` throws, after
 * the reservation is dropped.
 */
export function createPaidCalls<Kept extends Pick<ModelReply, 'usage'>>(
  store: Pick<Store, 'journal' | 'budgets'>,
  read: (recorded: unknown) => Kept | undefined,
): (call: PaidCall<Kept>, signal: AbortSignal) => Promise<{ reply: Kept; usage: RunUsage } | 'budget'> {
  const unrecorded = new Map<string, ModelReply>();
  const recall = async (key: string): Promise<Kept | undefined> => read(await store.journal.recall(key));

  /**
   * Records a reply, also while the store refuses writes for now (full disk, lock): a reply that has been paid for would
   * otherwise be bought again. After `KEEP_MS` the store's error is for Temporal to see and to retry; the next attempt in
   * this process still has the reply. Returns what is recorded: of two attempts at one call, such as one that was given
   * up and still ran, the first wins.
   */
  const keep = async (call: PaidCall<Kept>, reply: ModelReply, signal: AbortSignal): Promise<Kept> => {
    const { key, runId } = call;
    unrecorded.set(key, reply);
    // The oldest go first: a store that stays away must not fill the memory.
    if (unrecorded.size > MAX_UNRECORDED) unrecorded.delete(unrecorded.keys().next().value!);
    for (const giveUpAt = Date.now() + KEEP_MS; ;) {
      try {
        const packed = await call.pack(reply);
        await store.journal.record(key, runId, packed);
        const kept = (await recall(key)) ?? packed;
        unrecorded.delete(key);
        return kept;
      } catch (error) {
        if (!(error instanceof WideseekError) || !error.retryable || Date.now() > giveUpAt) throw error;
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  };

  const buy = async ({ key, runId, worst, prices, ceiling, complete }: PaidCall<Kept>) => {
    const amount = {
      tokens: worst.promptTokens + worst.completionTokens,
      microUsd: costMicroUsd(worst, prices),
    };
    // Without a ceiling there is nothing to hold free; what the call cost is settled all the same.
    const reserves = ceiling.tokens !== null || ceiling.microUsd !== null;
    if (reserves && !(await store.budgets.reserve(runId, key, amount, ceiling))) return 'budget';
    try {
      return await complete();
    } catch (error) {
      if (reserves) await store.budgets.release(runId, key);
      throw error;
    }
  };

  return async (call, signal) => {
    const { key, runId, prices } = call;
    let reply = await recall(key);
    if (!reply) {
      const bought = unrecorded.get(key) ?? (await buy(call));
      if (bought === 'budget') return 'budget';
      reply = await keep(call, bought, signal);
    }
    const { promptTokens, completionTokens } = reply.usage;
    const microUsd = costMicroUsd(reply.usage, prices);
    await store.budgets.settle(runId, key, { tokens: promptTokens + completionTokens, microUsd });
    return { reply, usage: { ...noUsage(), promptTokens, completionTokens, modelCalls: 1, microUsd } };
  };
}
