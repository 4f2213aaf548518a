import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message } from '../../domain/agents/messages.ts';
import type { RunRecord } from '../../domain/run.ts';
import { sha256 } from './hashing.ts';
import type { Ceiling, Spend, Store } from './port.ts';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const tokens = (amount: number): Spend => ({ tokens: amount, microUsd: 0 });
const ceiling = (amount: number | null, microUsd: number | null = null): Ceiling => ({
  tokens: amount,
  microUsd,
});

const runRecord = (runId: string, startedAt: number, over: Partial<RunRecord> = {}): RunRecord => ({
  runId,
  kind: 'seek',
  workflowId: `seek/${runId}`,
  title: 'Every moon of Mars',
  config: 'ask',
  status: 'running',
  stopReason: null,
  startedAt,
  finishedAt: null,
  resultRef: null,
  ...over,
});

/** Text with the characters that databases trip over: NUL, lone surrogates, emoji, quotes. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\u0000', '\ud800', "'; drop table messages; --", '月亮🌕', '\\u0000'),
);

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
  fc.record(
    {
      role: fc.constant('assistant' as const),
      content: text,
      reasoning: text,
      toolCalls: fc.array(fc.record({ id: text, name: text, arguments: text }), { maxLength: 2 }),
    },
    { requiredKeys: ['role', 'content'] },
  ),
  fc.record({ role: fc.constant('tool' as const), toolCallId: text, name: text, content: text }),
);

/**
 * What every store must do, whatever its database. `open` opens another handle on one and the same store;
 * handles behave like separate processes. Each run of the suite needs a store of its own.
 */
export const storeContract = (open: () => Promise<Store>): void => {
  let store: Store;
  let other: Store;
  beforeAll(async () => {
    // At once, on an empty database: the migrations must not collide.
    [store, other] = await Promise.all([open(), open()]);
  });
  afterAll(async () => {
    await Promise.all([store?.close(), other?.close()]);
  });

  describe('blobs', () => {
    it('names content by its SHA-256 and gives it back from any handle', async () => {
      const ref = await store.put('Phobos');
      expect(ref).toBe(sha256('Phobos'));
      expect(await other.get(ref)).toBe('Phobos');
      expect(await store.put('Phobos')).toBe(ref);
    });

    it('keeps every text and every byte, small or compressed', async () => {
      const wellFormed = fc.string({ unit: 'grapheme', maxLength: 3000 });
      await fc.assert(
        fc.asyncProperty(wellFormed, fc.uint8Array({ maxLength: 3000 }), async (content, bytes) => {
          expect(await store.get(await store.put(content))).toBe(content);
          expect(Buffer.compare(await store.getBytes(await store.putBytes(bytes)), bytes)).toBe(0);
        }),
        { numRuns: 20 },
      );
      const page = 'Deimos is the smaller moon. '.repeat(100_000);
      expect(await store.get(await store.put(page))).toBe(page);
    });

    it('says that an unknown ref is not there', async () => {
      await expect(store.get(sha256('never written'))).rejects.toMatchObject({ type: 'NotFound' });
    });

    it('lets many writers put the same content', async () => {
      const refs = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other).put('the same page '.repeat(500))),
      );
      expect(new Set(refs).size).toBe(1);
    });
  });

  describe('conversations', () => {
    it('reads what was appended, oldest first', async () => {
      const first = await store.conversations.append(null, [user('one'), assistant('two')]);
      const second = await store.conversations.append(first, [user('three')]);
      expect(await other.conversations.read(second)).toEqual([user('one'), assistant('two'), user('three')]);
      expect(await store.conversations.read(first)).toEqual([user('one'), assistant('two')]);
      expect(await store.conversations.read(null)).toEqual([]);
    });

    it('gives the same name to the same conversation however it was built', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyMessage, { minLength: 1, maxLength: 6 }),
          fc.nat(5),
          async (messages, cut) => {
            const whole = await store.conversations.append(null, messages);
            let head: string | null = null;
            for (const part of [messages.slice(0, cut), messages.slice(cut)])
              if (part.length > 0) head = await other.conversations.append(head, part);
            expect(head).toBe(whole);
            expect(await store.conversations.read(whole)).toEqual(messages);
          },
        ),
        { numRuns: 30 },
      );
    });

    it('names different conversations differently', async () => {
      const a = await store.conversations.append(null, [user('x'), user('y')]);
      const b = await store.conversations.append(null, [user('y')]);
      const c = await store.conversations.append(null, [assistant('y')]);
      expect(new Set([a, b, c]).size).toBe(3);
    });

    it('lets branches share a prefix', async () => {
      const prefix = await store.conversations.append(null, [user('shared')]);
      const heads = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? store : other).conversations.append(prefix, [assistant(`branch ${i}`)]),
        ),
      );
      for (const [i, head] of heads.entries())
        expect(await store.conversations.read(head)).toEqual([user('shared'), assistant(`branch ${i}`)]);
    });

    it('appends more messages than one statement takes', async () => {
      const messages = Array.from({ length: 2500 }, (_, i) => user(`message ${i}`));
      const head = await store.conversations.append(null, messages);
      expect(await store.conversations.read(head)).toEqual(messages);
    });

    it('refuses an unknown head and a message that is none', async () => {
      const unknown = sha256('no head');
      await expect(store.conversations.read(unknown)).rejects.toMatchObject({ type: 'NotFound' });
      await expect(store.conversations.append(unknown, [user('x')])).rejects.toMatchObject({
        type: 'NotFound',
      });
      await expect(store.conversations.append(null, [])).rejects.toMatchObject({ type: 'InvalidInput' });
      const nonsense = { role: 'robot', content: 'x' } as unknown as Message;
      await expect(store.conversations.append(null, [nonsense])).rejects.toMatchObject({
        type: 'InvalidInput',
      });
    });

    it('appending nothing to a conversation leaves its name', async () => {
      const head = await store.conversations.append(null, [user('alone')]);
      expect(await store.conversations.append(head, [])).toBe(head);
    });
  });

  describe('journal', () => {
    it('keeps the first record of a key', async () => {
      expect(await store.journal.recall('call-1')).toBeUndefined();
      await store.journal.record('call-1', 'run', { answer: 42, list: [null, '\u0000'] });
      await other.journal.record('call-1', 'run', { answer: 'another' });
      expect(await other.journal.recall('call-1')).toEqual({ answer: 42, list: [null, '\u0000'] });
    });

    it('remembers a call that had no result', async () => {
      await store.journal.record('call-2', 'run', undefined);
      expect(await store.journal.recall('call-2')).toBeNull();
    });

    it('refuses what JSON cannot hold', async () => {
      await expect(store.journal.record('call-3', 'run', 1n)).rejects.toMatchObject({ type: 'InvalidInput' });
    });
  });

  describe('budgets', () => {
    it('reserves up to the ceiling and not past it', async () => {
      const { budgets } = store;
      expect(await budgets.reserve('b1', 'a', tokens(60), ceiling(100))).toBe(true);
      expect(await budgets.reserve('b1', 'b', tokens(41), ceiling(100))).toBe(false);
      expect(await budgets.reserve('b1', 'b', tokens(40), ceiling(100))).toBe(true);
      expect(await budgets.spent('b1')).toEqual(tokens(0));
    });

    it('counts what settled, frees the rest, and admits an overrun', async () => {
      const { budgets } = store;
      await budgets.reserve('b2', 'a', tokens(60), ceiling(100));
      await budgets.settle('b2', 'a', tokens(10));
      expect(await budgets.reserve('b2', 'b', tokens(90), ceiling(100))).toBe(true);
      await budgets.settle('b2', 'b', tokens(120));
      expect(await other.budgets.spent('b2')).toEqual(tokens(130));
      expect(await budgets.reserve('b2', 'c', tokens(1), ceiling(100))).toBe(false);
    });

    it('treats a settled key as final', async () => {
      const { budgets } = store;
      await budgets.reserve('b3', 'a', tokens(10), ceiling(100));
      await budgets.settle('b3', 'a', tokens(7));
      await budgets.settle('b3', 'a', tokens(99));
      await budgets.release('b3', 'a');
      expect(await budgets.reserve('b3', 'a', tokens(1000), ceiling(100))).toBe(true);
      expect(await budgets.spent('b3')).toEqual(tokens(7));
      expect(await budgets.reserve('b3', 'b', tokens(93), ceiling(100))).toBe(true);
    });

    it('replaces an amount that is reserved again, and drops a released one', async () => {
      const { budgets } = store;
      await budgets.reserve('b4', 'a', tokens(80), ceiling(100));
      expect(await budgets.reserve('b4', 'a', tokens(100), ceiling(100))).toBe(true);
      expect(await budgets.reserve('b4', 'b', tokens(1), ceiling(100))).toBe(false);
      await budgets.release('b4', 'a');
      await budgets.release('b4', 'a');
      expect(await budgets.reserve('b4', 'b', tokens(100), ceiling(100))).toBe(true);
    });

    it('counts a call that nobody reserved', async () => {
      await store.budgets.settle('b5', 'a', { tokens: 5, microUsd: 3 });
      expect(await store.budgets.spent('b5')).toEqual({ tokens: 5, microUsd: 3 });
    });

    it('keeps two ceilings, and runs apart from each other', async () => {
      const { budgets } = store;
      const spend = { tokens: 10, microUsd: 2_000_000 };
      expect(await budgets.reserve('b6', 'a', spend, ceiling(null, 3_000_000))).toBe(true);
      expect(await budgets.reserve('b6', 'b', spend, ceiling(null, 3_000_000))).toBe(false);
      expect(await budgets.reserve('b6', 'b', spend, ceiling(null, null))).toBe(true);
      expect(await budgets.reserve('b7', 'a', spend, ceiling(10, 2_000_000))).toBe(true);
      expect(await budgets.spent('unknown run')).toEqual(tokens(0));
    });

    it('rounds up and refuses nonsense', async () => {
      await store.budgets.settle('b8', 'a', { tokens: 1, microUsd: 0.2 });
      expect(await store.budgets.spent('b8')).toEqual({ tokens: 1, microUsd: 1 });
      await expect(store.budgets.reserve('b8', 'b', tokens(NaN), ceiling(1))).rejects.toMatchObject({
        type: 'InvalidInput',
      });
      await expect(store.budgets.settle('b8', 'b', tokens(-1))).rejects.toMatchObject({
        type: 'InvalidInput',
      });
    });

    it('never passes the ceiling, however many reserve at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          (i % 2 ? store : other).budgets.reserve('b9', `call-${i}`, tokens(7), ceiling(500)),
        ),
      );
      const granted = answers.flatMap((answer, i) => (answer ? [`call-${i}`] : []));
      expect(granted).toHaveLength(Math.floor(500 / 7));
      await Promise.all(granted.map((key) => store.budgets.settle('b9', key, tokens(7))));
      expect(await store.budgets.spent('b9')).toEqual(tokens(71 * 7));
    });
  });

  describe('page log', () => {
    const read = (url: string, agentId = 'lead') => ({
      agentId,
      url,
      title: `On ${url}\u0000`,
      ref: sha256(url),
    });

    it('keeps reads in order, once each, per run', async () => {
      const long = `https://example.org/${'a'.repeat(9000)}`;
      await store.pages.recordRead('p1', read('https://b.example/'));
      await store.pages.recordRead('p1', read(long));
      await other.pages.recordRead('p1', read('https://b.example/', 'sub'));
      await store.pages.recordRead('p2', read('https://c.example/'));
      expect(await other.pages.reads('p1')).toEqual([read('https://b.example/'), read(long)]);
      expect(await store.pages.reads('nothing')).toEqual([]);
    });

    it('keeps two versions of one page', async () => {
      await store.pages.recordRead('p3', read('https://b.example/'));
      await store.pages.recordRead('p3', { ...read('https://b.example/'), ref: sha256('changed') });
      expect(await store.pages.reads('p3')).toHaveLength(2);
    });
  });

  describe('runs', () => {
    it('lists the newest first and replaces by id', async () => {
      await store.runs.save(runRecord('old', 1_000));
      await store.runs.save(runRecord('new', 1_800_000_000_000));
      await other.runs.save(
        runRecord('old', 1_000, { status: 'ok', stopReason: 'answered', finishedAt: 2_000 }),
      );
      expect((await store.runs.list(10)).map((run) => run.runId)).toEqual(['new', 'old']);
      expect(await store.runs.list(1)).toEqual([runRecord('new', 1_800_000_000_000)]);
      expect(await store.runs.get('old')).toMatchObject({ status: 'ok', finishedAt: 2_000 });
      expect(await store.runs.get('none')).toBeUndefined();
    });

    it('refuses a record that could not be read back', async () => {
      await expect(store.runs.save(runRecord('x', NaN))).rejects.toMatchObject({ type: 'InvalidInput' });
    });
  });
};
