import type { TurnInput, TurnResult } from '../../../domain/agents/plan.ts';
import { subagentId } from '../../../domain/ids.ts';
import type { StopReason } from '../../../domain/run.ts';
import type { Store } from '../../store/port.ts';
import type { ModelReply, PreviousTokens, TokenTurn } from '../port.ts';
import { packTurn, packVersions, unpackTurn } from './bytes.ts';
import {
  collectionOf,
  readTurnDocument,
  type StoredTokens,
  type TakenTurn,
  type TurnDocument,
  turnKey,
} from './document.ts';
import { repeatsAsPublished, repeatsItself } from './repetition.ts';

/** A reply as the journal keeps it: ids and log-probs by reference, because the journal is JSON. */
export type RecordedReply = Omit<ModelReply, 'tokens'> & { tokens?: StoredTokens };

/** An agent's last turn. */
export interface LastTurn {
  key: string;
  document: TakenTurn;
  /** Everything the agent saw and wrote up to its last reply; null where a part of it is gone. */
  tokens: () => Promise<Omit<PreviousTokens, 'messages'> | null>;
}

/** Tokens that this process remembers of its agents' last turns: 32 MB. */
const REMEMBERED = 8_000_000;

type Ids = Omit<PreviousTokens, 'messages'>;

/**
 * Keeps the exact ids of turns. Ids and log-probs are blobs, each with only the part of the prompt that its turn added, so
 * that an equal prefix is stored once; a document per turn, `tokens/<run>` `<agent>#<turn>`, holds the facts. Every write is
 * idempotent: the same turn writes the same blob and replaces its document by an equal one.
 */
export function createTokenLedger(store: Store) {
  const remember = createMemory(REMEMBERED);

  /** The turn that the input's conversation ends with; null on a first turn and where it was not recorded. */
  async function lastTurn(input: TurnInput): Promise<LastTurn | null> {
    if (input.head === null || input.turn <= 1) return null;
    const key = turnKey(input.agentId, input.turn - 1);
    const document = await read(input.runId, key);
    if (document?.kind !== 'turn' || document.head !== input.head) return null;
    return { key, document, tokens: () => idsOf(input.runId, key, document) };
  }

  async function read(runId: string, key: string): Promise<TurnDocument | undefined> {
    const value = await store.documents.get(collectionOf(runId), key);
    return value === undefined ? undefined : readTurnDocument(value, runId, key);
  }

  /** Follows the turns back to one that has its whole prompt, or that this process remembers, and joins their parts. */
  async function idsOf(runId: string, key: string, document: TakenTurn): Promise<Ids | null> {
    const { promptTokens, responseTokens } = document.tokens;
    const all = new Int32Array(promptTokens + responseTokens);
    let end = all.length;
    for (let at: TakenTurn = document, name = key; ;) {
      const known = remember.get(`${runId} ${name}`, at.tokens.ref);
      if (known) {
        all.set(known);
        break;
      }
      const { added, response } = unpackTurn(await store.getBytes(at.tokens.ref), at.tokens);
      end -= response.length;
      all.set(response, end);
      end -= added.length;
      all.set(added, end);
      if (at.tokens.previous === null) break;
      name = at.tokens.previous;
      const before = await read(runId, name);
      // Another life of the agent may have replaced it, after a reset.
      if (before?.kind !== 'turn' || before.head !== at.parent || sizeOf(before) !== end) return null;
      at = before;
    }
    remember.put(`${runId} ${key}`, document.tokens.ref, all);
    return { promptTokens: all.subarray(0, promptTokens), responseTokens: all.subarray(promptTokens) };
  }

  /** The reply for the journal; its ids are stored first. A reply without ids stays as it is. */
  async function pack(reply: ModelReply, last: LastTurn | null): Promise<RecordedReply> {
    const { tokens, ...rest } = reply;
    return tokens === undefined ? rest : { ...rest, tokens: await keep(tokens, last) };
  }

  async function keep(turn: TokenTurn, last: LastTurn | null): Promise<StoredTokens> {
    const { promptTokens, responseTokens: response, logprobs, version } = turn;
    const before = turn.mismatch ? null : ((await last?.tokens()) ?? null);
    const shared = before && continues(before, promptTokens) ? totalOf(before) : 0;
    const added = promptTokens.subarray(shared);
    const versions = turn.versions ?? new Int32Array(response.length).fill(version);
    return {
      ref: await store.putBytes(packTurn({ added, response, logprobs })),
      previous: shared > 0 && last ? last.key : null,
      added: added.length,
      promptTokens: promptTokens.length,
      responseTokens: response.length,
      versions: packVersions(versions),
      mismatch: turn.mismatch || (shared === 0 && last !== null),
    };
  }

  /** Writes the turn's document; `result` is what the turn amounted to. */
  async function record(
    input: TurnInput,
    tokens: StoredTokens,
    result: Extract<TurnResult, { kind: 'turn' }>,
  ): Promise<void> {
    const { runId, agentId, role, turn, limits, profile } = input;
    const { facts, head } = result;
    // The reference drops the calls of a reply that was cut.
    const requests = profile === 'reference' && facts.truncated ? [] : facts.requests;
    const unfinished = facts.truncated || (requests.length > 0 && turn >= limits.turns);
    const { response } = unpackTurn(await store.getBytes(tokens.ref), tokens);
    const document: TakenTurn = {
      kind: 'turn',
      agentId,
      role,
      turn,
      parent: input.head,
      head,
      tokens,
      searchCalls: facts.requests.filter(({ tool }) => tool === 'search').length,
      accessCalls: facts.requests.filter(({ tool }) => tool === 'access').length,
      children: requests
        .flatMap((request) => (request.tool === 'delegate' ? [request.prompt] : []))
        .map((prompt, index) => subagentId(agentId, turn, index + 1, prompt)),
      hitLimit: unfinished || isLimit(input.lastTurn ?? null),
      repeats:
        profile === 'reference' ? repeatsAsPublished(response, facts.truncated) : repeatsItself(response),
    };
    await store.documents.put(collectionOf(runId), turnKey(agentId, turn), document);
  }

  /** Notes that a turn was not taken, so that the reason an agent ended for is known. */
  async function refuse(input: TurnInput, stop: StopReason): Promise<void> {
    const { runId, agentId, role, turn } = input;
    const document: TurnDocument = {
      kind: 'refused',
      agentId,
      role,
      turn,
      parent: input.head,
      stop,
      hitLimit: isLimit(stop),
    };
    await store.documents.put(collectionOf(runId), turnKey(agentId, turn), document);
  }

  return { lastTurn, pack, record, refuse };
}

const isLimit = (stop: StopReason | null): boolean => stop === 'turn_limit' || stop === 'context_limit';
const sizeOf = ({ tokens }: TakenTurn): number => tokens.promptTokens + tokens.responseTokens;
const totalOf = (ids: Ids): number => ids.promptTokens.length + ids.responseTokens.length;

function continues({ promptTokens, responseTokens }: Ids, prompt: Int32Array): boolean {
  const middle = promptTokens.length;
  if (prompt.length < middle + responseTokens.length) return false;
  for (let at = 0; at < middle; at += 1) if (promptTokens[at] !== prompt[at]) return false;
  for (let at = 0; at < responseTokens.length; at += 1)
    if (responseTokens[at] !== prompt[middle + at]) return false;
  return true;
}

/** The latest turns' ids by document, with the blob they came from; the oldest go when there are too many ids. */
function createMemory(most: number) {
  const entries = new Map<string, { ref: string; ids: Int32Array }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= entries.get(key)?.ids.length ?? 0;
    entries.delete(key);
  };
  return {
    get: (key: string, ref: string): Int32Array | undefined => {
      const entry = entries.get(key);
      return entry?.ref === ref ? entry.ids : undefined;
    },
    put: (key: string, ref: string, ids: Int32Array): void => {
      drop(key);
      entries.set(key, { ref, ids });
      total += ids.length;
      for (const oldest of entries.keys()) {
        if (total <= most) break;
        drop(oldest);
      }
    },
  };
}
