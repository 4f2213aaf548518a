import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { TurnInput, TurnResult } from '../../../domain/agents/plan.ts';
import { noUsage } from '../../../domain/agents/plan.ts';
import type { ToolRequest } from '../../../domain/agents/requests.ts';
import { subagentId } from '../../../domain/ids.ts';
import { mergeTurns } from '../../../domain/rl/merge.ts';
import { openStore } from '../../store/open.ts';
import type { TokenTurn } from '../port.ts';
import { packTurn, packVersions, unpackTurn, unpackVersions } from './bytes.ts';
import { collectRollout, countMismatches } from './collect.ts';
import { collectionOf } from './document.ts';
import { createTokenLedger } from './ledger.ts';

const dir = await mkdtemp(join(tmpdir(), 'wideseek-ledger-'));
const store = await openStore(`sqlite:${join(dir, 'store.db')}`);
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});
let runs = 0;

const LIMITS = {
  turns: 9,
  requests: 5,
  contextTokens: 1000,
  replyTokens: 100,
  corrections: 2,
  repeats: 3,
  outages: 3,
};
const input = (runId: string, change: Partial<TurnInput>): TurnInput => ({
  runId,
  planRef: 'p',
  agentId: `seek/${runId}`,
  role: 'lead',
  limits: LIMITS,
  profile: 'improved',
  language: 'en',
  turn: 1,
  mustAnswer: false,
  head: null,
  subtask: null,
  append: [],
  ...change,
});
const resultOf = (
  head: string,
  requests: ToolRequest[] = [],
  truncated = false,
): Extract<TurnResult, { kind: 'turn' }> => ({
  kind: 'turn',
  head,
  facts: { requests, problems: [], answered: true, truncated, contextTokens: 0 },
  textRef: null,
  usage: noUsage(),
  model: 'm',
});
const ids = (...list: number[]): Int32Array => Int32Array.from(list);
const turnOf = (prompt: Int32Array, response: Int32Array, change: Partial<TokenTurn> = {}): TokenTurn => ({
  promptTokens: prompt,
  responseTokens: response,
  logprobs: Float32Array.from(response, (id, at) => -id / 7 - at),
  version: 2,
  mismatch: false,
  ...change,
});

interface Taken {
  agentId?: string;
  turn: number;
  head: string | null;
  next: string;
  tokens: TokenTurn;
  requests?: ToolRequest[];
  truncated?: boolean;
  change?: Partial<TurnInput>;
}
/** One turn as `takeTurn` keeps it, in a process of its own: nothing is remembered. */
async function take(runId: string, taken: Taken) {
  const { turn, head, next, tokens, requests, truncated } = taken;
  const ledger = createTokenLedger(store);
  const asked = input(runId, {
    ...taken.change,
    turn,
    head,
    ...(taken.agentId ? { agentId: taken.agentId } : {}),
  });
  const last = await ledger.lastTurn(asked);
  const message = { role: 'assistant', content: 'x' } as const;
  const reply = {
    message,
    finishReason: 'stop',
    usage: { promptTokens: 1, completionTokens: 1 },
    tokens,
  } as const;
  const packed = await ledger.pack(reply, last);
  await ledger.record(asked, packed.tokens!, resultOf(next, requests, truncated));
  return packed.tokens!;
}
const delegate = (prompt: string): ToolRequest => ({ tool: 'delegate', callId: 'c', prompt });
const search = (query: string): ToolRequest => ({ tool: 'search', callId: 'c', query, count: 3 });

describe('the bytes of a turn', () => {
  const list = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { maxLength: 40 });
  it('come back as they were, from any place in a larger buffer', () => {
    fc.assert(
      fc.property(list, list, fc.nat(7), (added, response, offset) => {
        const arrays = {
          added: Int32Array.from(added),
          response: Int32Array.from(response),
          logprobs: Float32Array.from(response, (id) => -id / 3),
        };
        const bytes = packTurn(arrays);
        const moved = new Uint8Array(bytes.length + offset).subarray(offset);
        moved.set(bytes);
        const stored = { ref: 'r', added: added.length, responseTokens: response.length };
        const full = { ...stored, previous: null, promptTokens: 0, versions: [], mismatch: false };
        expect(unpackTurn(moved, full)).toEqual(arrays);
        expect(() => unpackTurn(moved.subarray(1), { ...full, added: added.length + 1 })).toThrow(
          /blob r: .* bytes/,
        );
      }),
    );
  });
  it('hold versions run by run', () => {
    expect(packVersions(ids(3, 3, 4, 3))).toEqual([
      [2, 3],
      [1, 4],
      [1, 3],
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat(3)), (versions) => {
        expect([...unpackVersions(packVersions(Int32Array.from(versions)))]).toEqual(versions);
      }),
    );
  });
});

describe('createTokenLedger', () => {
  it('stores a prefix once and rebuilds every turn, in any process', async () => {
    const part = fc.array(fc.nat(50), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(part, part), { minLength: 1, maxLength: 5 }), async (parts) => {
        const runId = `run-${++runs}`;
        let all: number[] = [];
        let head: string | null = null;
        for (const [index, [added, response]] of parts.entries()) {
          const prompt = Int32Array.from([...all, ...added]);
          const tokens = turnOf(prompt, Int32Array.from(response));
          const stored = await take(runId, { turn: index + 1, head, next: `h${index}`, tokens });
          expect(stored).toMatchObject({ added: added.length, mismatch: false, promptTokens: prompt.length });
          all = [...prompt, ...response];
          head = `h${index}`;
        }
        const last = await createTokenLedger(store).lastTurn(input(runId, { turn: parts.length + 1, head }));
        const known = (await last!.tokens())!;
        expect([...known.promptTokens, ...known.responseTokens]).toEqual(all);
        const { turns } = await collectRollout(store, runId, 0);
        expect(turns.map((turn) => [...turn.responseTokens])).toEqual(parts.map(([, response]) => response));
        expect([...turns.at(-1)!.promptTokens, ...turns.at(-1)!.responseTokens]).toEqual(all);
      }),
      { numRuns: 25 },
    );
  });

  it('writes the same again on a retry', async () => {
    const runId = `run-${++runs}`;
    const first = { turn: 1, head: null, next: 'a', tokens: turnOf(ids(1, 2), ids(3)) };
    const second = { turn: 2, head: 'a', next: 'b', tokens: turnOf(ids(1, 2, 3, 4), ids(5)) };
    for (const turn of [first, first, second, second, first]) await take(runId, turn);
    const { turns } = await collectRollout(store, runId, 0);
    expect(turns.map(({ id, turnIdx }) => [id, turnIdx])).toEqual([
      [`seek/${runId}#1`, 0],
      [`seek/${runId}#2`, 1],
    ]);
  });

  it('stores a prompt whole that does not continue the last turn, and counts it', async () => {
    const runId = `run-${++runs}`;
    await take(runId, { turn: 1, head: null, next: 'a', tokens: turnOf(ids(1, 2), ids(3)) });
    const stored = await take(runId, {
      turn: 2,
      head: 'a',
      next: 'b',
      tokens: turnOf(ids(1, 9, 3, 4), ids(5)),
    });
    expect(stored).toMatchObject({ previous: null, added: 4, mismatch: true });
    await take(runId, { turn: 3, head: 'b', next: 'c', tokens: turnOf(ids(1, 9, 3, 4, 5, 6), ids(7)) });
    expect(await countMismatches(store, runId)).toBe(1);
    const { turns } = await collectRollout(store, runId, 0);
    expect(turns.map(({ promptTokens }) => [...promptTokens])).toEqual([
      [1, 2],
      [1, 9, 3, 4],
      [1, 9, 3, 4, 5, 6],
    ]);
    const kept = turns.map((turn) => ({ turn, advantage: 1, weight: 1 }));
    expect(mergeTurns({ groupId: 'g', rolloutId: runId }, kept)).toMatchObject({ mismatches: 1 });
  });

  it('does not take a turn of another life of the conversation for the last one', async () => {
    const runId = `run-${++runs}`;
    await take(runId, { turn: 1, head: null, next: 'a', tokens: turnOf(ids(1), ids(2)) });
    await take(runId, { turn: 2, head: 'a', next: 'b', tokens: turnOf(ids(1, 2, 3), ids(4)) });
    const ledger = createTokenLedger(store);
    expect(await ledger.lastTurn(input(runId, { turn: 3, head: 'other' }))).toBeNull();
    expect(await ledger.lastTurn(input(runId, { turn: 1, head: null }))).toBeNull();
    // Turn 1 is replaced by one with another end: what turn 2 continued is gone.
    await take(runId, { turn: 1, head: null, next: 'z', tokens: turnOf(ids(1), ids(9)) });
    const last = await createTokenLedger(store).lastTurn(input(runId, { turn: 3, head: 'b' }));
    expect(await last!.tokens()).toBeNull();
  });

  it('names collection and field of a document that it cannot read', async () => {
    const runId = `run-${++runs}`;
    await store.documents.put(collectionOf(runId), `seek/${runId}#1`, { kind: 'turn', agentId: 3 });
    await expect(collectRollout(store, runId, 0)).rejects.toThrow(
      new RegExp(`tokens/${runId} seek/${runId}#1: agentId`),
    );
  });
});

describe('collectRollout', () => {
  it('orders agents and turns as published, counts agents without a turn, and keeps facts', async () => {
    const runId = `run-${++runs}`;
    const lead = `seek/${runId}`;
    const [one, two, three] = ['one', 'two', 'three'].map((task, index) =>
      subagentId(lead, index < 2 ? 1 : 2, index < 2 ? index + 1 : 1, task),
    ) as [string, string, string];
    const sub = { role: 'subagent' } as const;
    const t = turnOf;
    const reply = t(ids(1, 2, 3), ids(4, 4), { versions: ids(2, 3) });
    await take(runId, { turn: 2, head: 'a', next: 'b', tokens: reply, requests: [delegate('three')] });
    await take(runId, {
      agentId: two,
      turn: 1,
      head: null,
      next: 's',
      tokens: t(ids(7), ids(8)),
      change: sub,
      requests: [search('x'), search('y')],
    });
    await take(runId, {
      agentId: three,
      turn: 1,
      head: null,
      next: 'r',
      tokens: t(ids(9), ids(9)),
      change: sub,
    });
    await take(runId, { turn: 3, head: 'b', next: 'c', tokens: t(ids(1, 2, 3, 4, 4, 5), ids(6)) });
    const requests = [delegate('one'), delegate('two')];
    await take(runId, { turn: 1, head: null, next: 'a', tokens: t(ids(1), ids(2)), requests });
    const rollout = await collectRollout(store, runId, 4);
    expect(rollout).toMatchObject({ id: runId, sample: 4, agentsStarted: 4 });
    expect(rollout.turns.map(({ id, agentId, turnIdx }) => [id, agentId, turnIdx])).toEqual([
      [`${lead}#1`, 0, 0],
      [`${two}#1`, 2, 0],
      [`${lead}#2`, 0, 1],
      [`${three}#1`, 3, 0],
      [`${lead}#3`, 0, 2],
    ]);
    expect(rollout.turns[1]).toMatchObject({
      role: 'subagent',
      searchCalls: 2,
      accessCalls: 0,
      hitLimit: false,
    });
    expect([...rollout.turns[2]!.versions]).toEqual([2, 3]);
    expect(one).not.toBe(two);
  });

  it.each<[string, Partial<Taken>, boolean]>([
    ['answers', {}, false],
    ['must answer because of the turn limit', { change: { mustAnswer: true, lastTurn: 'turn_limit' } }, true],
    [
      'must answer because the window is full',
      { change: { mustAnswer: true, lastTurn: 'context_limit' } },
      true,
    ],
    [
      'must answer because it repeats itself',
      { change: { mustAnswer: true, lastTurn: 'no_progress' } },
      false,
    ],
    ['is cut', { truncated: true }, true],
    [
      'still calls tools on its last turn',
      { requests: [search('x')], change: { limits: { ...LIMITS, turns: 2 } } },
      true,
    ],
  ])('flags all turns of an agent by its end: it %s', async (_, end, hit) => {
    const runId = `run-${++runs}`;
    await take(runId, { turn: 1, head: null, next: 'a', tokens: turnOf(ids(1), ids(2)), truncated: true });
    await take(runId, { turn: 2, head: 'a', next: 'b', tokens: turnOf(ids(1, 2, 3), ids(4)), ...end });
    expect((await collectRollout(store, runId, 0)).turns.map(({ hitLimit }) => hitLimit)).toEqual([hit, hit]);
  });

  it.each([
    ['context_limit', true],
    ['budget', false],
  ] as const)('flags an agent whose next turn was refused: %s', async (reason, hit) => {
    const runId = `run-${++runs}`;
    await take(runId, {
      turn: 1,
      head: null,
      next: 'a',
      tokens: turnOf(ids(1), ids(2)),
      requests: [search('x')],
    });
    await createTokenLedger(store).refuse(input(runId, { turn: 2, head: 'a' }), reason);
    expect((await collectRollout(store, runId, 0)).turns.map(({ hitLimit }) => hitLimit)).toEqual([hit]);
  });

  it('leaves out turns and subagents that a reset of the workflow left behind', async () => {
    const runId = `run-${++runs}`;
    const lead = `seek/${runId}`;
    const t = turnOf;
    await take(runId, {
      turn: 1,
      head: null,
      next: 'a',
      tokens: t(ids(1), ids(2)),
      requests: [delegate('old')],
    });
    await take(runId, {
      agentId: subagentId(lead, 1, 1, 'old'),
      turn: 1,
      head: null,
      next: 's',
      tokens: t(ids(7), ids(8)),
      change: { role: 'subagent' },
    });
    await take(runId, {
      turn: 2,
      head: 'a',
      next: 'b',
      tokens: t(ids(1, 2, 3), ids(4)),
      requests: [search('x')],
    });
    await take(runId, { turn: 3, head: 'b', next: 'c', tokens: t(ids(1, 2, 3, 4, 5), ids(6)) });
    await take(runId, {
      turn: 1,
      head: null,
      next: 'z',
      tokens: t(ids(1), ids(9)),
      requests: [delegate('new')],
    });
    const { turns, agentsStarted } = await collectRollout(store, runId, 0);
    expect(turns.map(({ id }) => id)).toEqual([`${lead}#1`]);
    expect(agentsStarted).toBe(2);
  });

  it('says that a run was not recorded', async () => {
    await expect(collectRollout(store, 'never', 0)).rejects.toMatchObject({ type: 'NotFound' });
  });
});
