import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { scriptedModel, type ScriptedTurn } from '../../test/support/scripted-model.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createPaidCalls } from './paid-call.ts';
import type { ModelReply } from './port.ts';

const { signal } = new AbortController();
let store: Store;
beforeEach(async () => void (store = await openStore('sqlite::memory:')));
afterEach(() => store.close());

const callOf = (turns: ScriptedTurn[], tokens: number | null = null) => {
  const model = scriptedModel(turns);
  const request = { messages: [], tools: [], maxTokens: 100, temperature: 0, session: 's' };
  return {
    ...{ key: 'k', runId: 'r', prices: undefined, ceiling: { tokens, microUsd: null } },
    worst: { promptTokens: 50, completionTokens: 100 },
    complete: () => model.complete(request, signal),
    pack: (reply: ModelReply) => Promise.resolve(reply),
    model,
  };
};
const paidCalls = (journal = store.journal) =>
  createPaidCalls({ journal, budgets: store.budgets }, (recorded) => recorded as ModelReply | undefined);
/** A journal that refuses its first writes. */
const fullFor = (writes: number) => {
  let full = writes;
  return {
    recall: (key: string) => store.journal.recall(key),
    record: async (...entry: Parameters<typeof store.journal.record>) => {
      if (full-- > 0) throw new WideseekError('StorageFull', 'disk is full');
      await store.journal.record(...entry);
    },
  };
};

describe('a call that is paid once', () => {
  it('is not made again by whoever computes its key', async () => {
    const call = callOf(['yes'], 1_000);
    const first = await paidCalls()(call, signal);
    expect(await paidCalls()(call, signal)).toEqual(first);
    expect(call.model.requests).toHaveLength(1);
    expect(await store.budgets.spent('r')).toMatchObject({ tokens: 15 });
  });

  it('is not begun where its worst case does not fit', async () => {
    const call = callOf(['yes'], 149);
    expect(await paidCalls()(call, signal)).toBe('budget');
    expect(call.model.requests).toEqual([]);
  });

  it('gives back what it held when it fails', async () => {
    const call = callOf([new WideseekError('Overloaded', 'HTTP 503'), 'yes'], 150);
    await expect(paidCalls()(call, signal)).rejects.toThrow('HTTP 503');
    expect(await paidCalls()(call, signal)).toMatchObject({
      reply: { message: { content: 'yes' } },
    });
  });

  it('is recorded as soon as a store that refuses writes takes them again', async () => {
    const call = callOf(['yes']);
    await paidCalls(fullFor(2))(call, signal);
    expect(await store.journal.recall('k')).toMatchObject({ message: { content: 'yes' } });
  });

  it('that was cancelled while the store refuses writes is not made again by this process', async () => {
    const call = callOf(['yes']);
    const pay = paidCalls(fullFor(1));
    const reason = new Error('cancelled');
    await expect(pay(call, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await pay(call, signal)).toMatchObject({ reply: { message: { content: 'yes' } } });
    expect(call.model.requests).toHaveLength(1);
  });

  it('that was made twice at once counts as the first that was recorded says', async () => {
    const pay = paidCalls();
    const [first, late] = [callOf(['first']), callOf(['late'])];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const losing = pay({ ...late, complete: () => held.then(late.complete) }, signal);
    const won = await pay(first, signal);
    release();
    expect(await losing).toEqual(won);
    expect(won).toMatchObject({ reply: { message: { content: 'first' } } });
  });

  it('keeps what is packed in place of the reply', async () => {
    const call = {
      ...callOf(['yes']),
      pack: ({ usage }: ModelReply) => Promise.resolve({ usage, ref: 'r' }),
    };
    const pay = createPaidCalls(store, (recorded) => recorded as { usage: ModelReply['usage']; ref: string });
    expect(await pay(call, signal)).toMatchObject({ reply: { ref: 'r' } });
    expect(await store.journal.recall('k')).toMatchObject({ ref: 'r' });
  });
});
