import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { scriptedModel, type ScriptedTurn } from '../../test/support/scripted-model.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createPaidCalls } from './paid-call.ts';

const { signal } = new AbortController();
let store: Store;
beforeEach(async () => void (store = await openStore('sqlite::memory:')));
afterEach(() => store.close());

const callOf = (turns: ScriptedTurn[], tokens: number | null = null) => {
  const model = scriptedModel(turns);
  const request = { messages: [], tools: [], maxTokens: 100, temperature: 0, session: 's' };
  const ceiling = { tokens, microUsd: null };
  return { key: 'k', runId: 'r', model, request, promptTokens: 50, prices: undefined, ceiling };
};

describe('a call that is paid once', () => {
  it('is not made again by whoever computes its key', async () => {
    const call = callOf(['yes'], 1_000);
    const first = await createPaidCalls(store)(call, signal);
    expect(await createPaidCalls(store)(call, signal)).toEqual(first);
    expect(call.model.requests).toHaveLength(1);
    expect(await store.budgets.spent('r')).toMatchObject({ tokens: 15 });
  });

  it('is not begun where its worst case does not fit', async () => {
    const call = callOf(['yes'], 149);
    expect(await createPaidCalls(store)(call, signal)).toBe('budget');
    expect(call.model.requests).toEqual([]);
  });

  it('gives back what it held when it fails', async () => {
    const call = callOf([new WideseekError('Overloaded', 'HTTP 503'), 'yes'], 150);
    await expect(createPaidCalls(store)(call, signal)).rejects.toThrow('HTTP 503');
    expect(await createPaidCalls(store)(call, signal)).toMatchObject({
      reply: { message: { content: 'yes' } },
    });
  });

  it('is recorded as soon as a store that refuses writes takes them again', async () => {
    let full = 2;
    const journal = {
      recall: (key: string) => store.journal.recall(key),
      record: async (...entry: Parameters<typeof store.journal.record>) => {
        if (full-- > 0) throw new WideseekError('StorageFull', 'disk is full');
        await store.journal.record(...entry);
      },
    };
    const call = callOf(['yes']);
    await createPaidCalls({ journal, budgets: store.budgets })(call, signal);
    expect(await store.journal.recall('k')).toMatchObject({ message: { content: 'yes' } });
  });
});
