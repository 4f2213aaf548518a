import { z } from 'zod';
import { messageSchema } from '../../domain/agents/messages.ts';
import { noUsage } from '../../domain/agents/plan.ts';
import { WideseekError } from '../../domain/errors.ts';
import type { RunUsage } from '../../domain/run.ts';
import type { Ceiling, Store } from '../store/port.ts';
import type { ChatModel, ModelReply, ModelRequest } from './port.ts';
import { costMicroUsd, type Prices } from './pricing.ts';

export interface PaidCall {
  /** A retry computes the same key, and finds what its first attempt was told. */
  key: string;
  runId: string;
  model: ChatModel;
  request: ModelRequest;
  /** An estimate from above; with `request.maxTokens` it is the worst case that the budget must hold. */
  promptTokens: number;
  prices: Prices | undefined;
  ceiling: Ceiling;
}

/** How long a reply that was paid for is kept trying to be recorded. Milliseconds. */
const KEEP_MS = 10_000;
const AGAIN_MS = 250;

const recordSchema = z.object({
  message: messageSchema.transform((message, context) => {
    if (message.role === 'assistant') return message;
    context.addIssue('is no reply');
    return z.NEVER;
  }),
  finishReason: z.enum(['stop', 'length', 'tool_calls']),
  usage: z.object({ promptTokens: z.number(), completionTokens: z.number() }),
});

/**
 * Model calls that are paid once: the worst case is reserved, the reply is recorded before anything else can fail, and
 * what it cost is settled. Returns the reply and the usage, or `budget` where the run's ceiling has no room for it.
 * Throws what the model throws, after the reservation is dropped.
 */
export function createPaidCalls(
  store: Pick<Store, 'journal' | 'budgets'>,
): (call: PaidCall, signal: AbortSignal) => Promise<{ reply: ModelReply; usage: RunUsage } | 'budget'> {
  const unrecorded = new Map<string, ModelReply>();

  const recall = async (key: string): Promise<ModelReply | undefined> => {
    const found = recordSchema.safeParse(await store.journal.recall(key));
    return found.success ? found.data : undefined;
  };

  /** Also while the store refuses writes for now: the next attempt in this process still has the reply. */
  const keep = async (key: string, runId: string, reply: ModelReply): Promise<void> => {
    unrecorded.set(key, reply);
    for (const giveUpAt = Date.now() + KEEP_MS; ;) {
      try {
        await store.journal.record(key, runId, reply);
        return void unrecorded.delete(key);
      } catch (error) {
        if (!(error instanceof WideseekError) || !error.retryable || Date.now() > giveUpAt) throw error;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  };

  const buy = async (call: PaidCall, signal: AbortSignal): Promise<ModelReply | 'budget'> => {
    const { key, runId, model, request, promptTokens, prices, ceiling } = call;
    const worst = { promptTokens, completionTokens: request.maxTokens };
    const amount = { tokens: promptTokens + request.maxTokens, microUsd: costMicroUsd(worst, prices) };
    const reserves = ceiling.tokens !== null || ceiling.microUsd !== null;
    if (reserves && !(await store.budgets.reserve(runId, key, amount, ceiling))) return 'budget';
    try {
      return await model.complete(request, signal);
    } catch (error) {
      if (reserves) await store.budgets.release(runId, key);
      throw error;
    }
  };

  return async (call, signal) => {
    const { key, runId, prices } = call;
    let reply = await recall(key);
    if (!reply) {
      const bought = unrecorded.get(key) ?? (await buy(call, signal));
      if (bought === 'budget') return 'budget';
      await keep(key, runId, bought);
      reply = bought;
    }
    const { promptTokens, completionTokens } = reply.usage;
    const microUsd = costMicroUsd(reply.usage, prices);
    await store.budgets.settle(runId, key, { tokens: promptTokens + completionTokens, microUsd });
    return { reply, usage: { ...noUsage(), promptTokens, completionTokens, modelCalls: 1, microUsd } };
  };
}
