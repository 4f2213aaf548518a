import pLimit from 'p-limit';
import type { Message } from '../../domain/agents/messages.ts';
import { WideseekError } from '../../domain/errors.ts';
import type { ChatModel } from '../model/port.ts';
import { isContextOverflow, toWideseekError } from '../provider-errors.ts';
import type { Store } from '../store/port.ts';
import { sha256 } from '../store/hashing.ts';
import {
  type AuditedVerdict,
  recallVerdict,
  type Subject,
  verdictKey,
  type VerdictRecord,
} from './verdicts.ts';

/** Subjects per call in the first round; each further round halves it, for replies that were cut or lost their place. */
const CHUNK = 40;
const ROUNDS = 3;

const REMINDER =
  'An earlier reply to this could not be read. Reply with exactly the JSON object that was asked for, complete.';

export interface JudgeUsage {
  calls: number;
  promptTokens: number;
  completionTokens: number;
}

/** How a batch of subjects of one kind is put to the judge. `positions` are places in `subjects`. */
export interface Ballot {
  subjects: readonly Subject[];
  messages(positions: readonly number[]): Message[];
  /** Verdicts by position; a position that is absent is asked again. Null: the reply cannot be read. */
  read(text: string, positions: readonly number[]): Map<number, Omit<VerdictRecord, 'reply'>> | null;
}

export interface JudgeSession {
  /** Verdicts by position. What is absent stayed open; see `open` and `outage`. */
  decide(ballot: Ballot): Promise<Map<number, VerdictRecord>>;
  audit(): AuditedVerdict[];
  usage: JudgeUsage;
  /** Subjects without a verdict. */
  open(): number;
  /** The first failure that kept the judge from being asked. */
  outage(): WideseekError | null;
}

export interface SessionOptions {
  store: Pick<Store, 'put' | 'journal'>;
  /** Null: nobody is asked and everything stays open. */
  model: ChatModel | null;
  runId: string;
  concurrency: number;
  maxTokens: number;
  signal: AbortSignal;
  /** Called before each call. */
  onCall?: () => void;
}

/**
 * All questions about one answer. Verdicts are looked up by content first and recorded as soon as they are read, so a
 * retry, another sample with the same cells, or a rescoring asks only what nobody has decided. After an outage no further
 * call is made. Throws the signal's reason when cancelled.
 */
export function openJudgeSession(options: SessionOptions): JudgeSession {
  const { store, model, signal } = options;
  const limit = pLimit(options.concurrency);
  const usage: JudgeUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };
  const decided = new Map<string, AuditedVerdict>();
  const open = new Set<string>();
  let outage: WideseekError | null = null;

  const keep = (key: string, subject: Subject, record: VerdictRecord): VerdictRecord => {
    open.delete(key);
    decided.set(key, { subject, ...record });
    return record;
  };

  /** One call. Undefined: a reply that cannot be used, worth another round; the last one is an outage if `last`. */
  async function call(
    asked: ChatModel,
    messages: Message[],
    last: boolean,
  ): Promise<{ text: string; reply: string } | undefined> {
    if (outage !== null) return undefined;
    signal.throwIfAborted();
    options.onCall?.();
    usage.calls += 1;
    try {
      const session = `judge/${sha256(JSON.stringify(messages)).slice(0, 16)}`;
      const { maxTokens } = options;
      const { message, usage: spent } = await asked.complete(
        { messages, tools: [], maxTokens, temperature: 0, session },
        signal,
      );
      usage.promptTokens += spent.promptTokens;
      usage.completionTokens += spent.completionTokens;
      return { text: message.content, reply: await store.put(message.content) };
    } catch (error) {
      signal.throwIfAborted();
      const failure = error instanceof WideseekError ? error : toWideseekError(error, 'judge');
      const worthSmaller = failure.type === 'BadReply' || isContextOverflow(failure);
      if (!worthSmaller || last) outage ??= failure;
      return undefined;
    }
  }

  async function decide(ballot: Ballot): Promise<Map<number, VerdictRecord>> {
    const found = new Map<number, VerdictRecord>();
    const { subjects } = ballot;
    const keys = subjects.map((subject) => verdictKey(model?.name ?? '', subject));
    const settle = (position: number, record: VerdictRecord): void => {
      const [key, subject] = [keys[position], subjects[position]];
      if (key !== undefined && subject !== undefined) found.set(position, keep(key, subject, record));
    };
    for (const [position, key] of keys.entries()) {
      open.add(key);
      const known = decided.get(key) ?? (model && (await recallVerdict(store.journal, key)));
      if (known) settle(position, { value: known.value, rationale: known.rationale, reply: known.reply });
    }
    for (let round = 0; model !== null && round < ROUNDS && outage === null; round += 1) {
      // Equal subjects are asked once; the copies are filled in below.
      const left = [...new Map(keys.map((key, position) => [key, position])).values()].filter(
        (position) => !found.has(position),
      );
      if (left.length === 0) break;
      await Promise.all(
        chunk(left, CHUNK >> round).map((part) =>
          limit(async () => {
            const text = ballot.messages(part);
            const reply = await call(model, round === 0 ? text : remind(text), round === ROUNDS - 1);
            const verdicts = reply === undefined ? null : ballot.read(reply.text, part);
            for (const [position, verdict] of verdicts ?? []) {
              const record = { ...verdict, reply: reply?.reply ?? '' };
              await store.journal.record(keys[position] ?? '', options.runId, record);
              settle(position, record);
            }
          }),
        ),
      );
    }
    for (const [position, key] of keys.entries()) {
      const twin = decided.get(key);
      if (!found.has(position) && twin) settle(position, twin);
    }
    return found;
  }

  return {
    // A store that fails is an outage as well: the evaluators turn what is thrown here into "no reply".
    decide: (ballot) =>
      decide(ballot).catch((error: unknown) => {
        if (!signal.aborted) outage ??= toWideseekError(error, 'judge');
        throw error;
      }),
    audit: () => [...decided.values()],
    usage,
    open: () => open.size,
    outage: () => outage,
  };
}

const remind = (messages: readonly Message[]): Message[] =>
  messages.map((message) =>
    message.role === 'user' ? { ...message, content: `${message.content}\n\n${REMINDER}` } : message,
  );

function chunk<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}
