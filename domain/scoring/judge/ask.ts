import { normaliseKey } from '../../tables/keys.ts';
import type { Asking, JudgeReply, JudgeRequest } from './request.ts';
import { parseBinary, parseReplyObject } from './reply.ts';

/** Entries or pairs per call: long tables overflow a judge's output limit (FIX-17). */
export const CHUNK = 40;
/** FIX-13, FIX-18: an unreadable reply is asked for again this often. */
const RETRIES = 2;

export interface AskOutcome<T> {
  value: T;
  /** Some entry stayed without a readable answer. */
  incomplete: boolean;
  /** The judge could not be reached at all for some request; the first reason. */
  outage: string | null;
}

/** Whether a reply is final: readable, or an outage that the transport has already retried. */
type Readable<T> = (request: JudgeRequest, reply: string | null) => T | null;

/**
 * Asks for a map from `vocabulary` into `reference` with the guards of FIX-13: targets outside the reference are
 * ignored and of two sources on one target the one that equals it after normalisation is kept, else the first.
 */
export function* askAlignment(
  scope: string,
  vocabulary: readonly string[],
  reference: readonly string[],
): Asking<AskOutcome<Map<string, string>>> {
  const requests = chunk(vocabulary).map((part): JudgeRequest => ({
    kind: 'align',
    scope,
    vocabulary: part,
    reference: [...reference],
    attempt: 0,
  }));
  const asked = yield* askUntilReadable(requests, (_request, text) => parseReplyObject(text));
  const targets = new Set(reference);
  const sourceOf = new Map<string, string>();
  const replies = asked.value.flatMap((reply) => (reply === null ? [] : [reply]));
  const proposals = new Map(replies.flatMap((reply) => Object.entries(reply)));
  for (const source of vocabulary) {
    const target = proposals.get(source);
    if (typeof target !== 'string' || !targets.has(target)) continue;
    const holder = sourceOf.get(target);
    if (holder === undefined || (!equal(holder, target) && equal(source, target)))
      sourceOf.set(target, source);
  }
  return { ...asked, value: new Map([...sourceOf].map(([target, source]) => [source, target])) };
}

const equal = (a: string, b: string): boolean => normaliseKey(a) === normaliseKey(b);

/**
 * Asks for a 0/1 verdict per pair. Missing and invalid entries are asked for again, alone; what stays open is absent
 * from the map and `incomplete` is set (FIX-18). No call for no pairs.
 */
export function* askVerdicts(
  scope: string,
  criterion: string,
  pairs: readonly { index: number; response: string; target: string }[],
): Asking<AskOutcome<Map<number, 0 | 1>>> {
  const verdicts = new Map<number, 0 | 1>();
  let open = [...pairs];
  let outage: string | null = null;
  for (let attempt = 0; attempt <= RETRIES && open.length > 0 && outage === null; attempt += 1) {
    const requests = chunk(open).map((part): JudgeRequest => ({
      kind: 'judge',
      scope,
      criterion,
      pairs: part,
      attempt,
    }));
    const replies = yield requests;
    for (const [position, reply] of replies.entries()) {
      if (reply.kind === 'failed') outage ??= reply.reason;
      const scores = reply.kind === 'text' ? parseReplyObject(reply.text) : null;
      const request = requests[position];
      if (request?.kind !== 'judge' || scores === null) continue;
      for (const { index } of request.pairs) {
        const score = parseBinary(scores[`idx_${index}`]);
        if (score !== null) verdicts.set(index, score);
      }
    }
    open = open.filter(({ index }) => !verdicts.has(index));
  }
  return { value: verdicts, incomplete: open.length > 0, outage };
}

function* askUntilReadable<T>(requests: JudgeRequest[], read: Readable<T>): Asking<AskOutcome<(T | null)[]>> {
  const results: (T | null)[] = requests.map(() => null);
  let outage: string | null = null;
  let open = requests.map((request, position) => ({ request, position }));
  for (let attempt = 0; attempt <= RETRIES && open.length > 0; attempt += 1) {
    const batch = open.map(({ request }) => ({ ...request, attempt }));
    const replies: JudgeReply[] = yield batch;
    open = open.filter(({ request, position }, index) => {
      const reply = replies[index];
      if (reply === undefined || reply.kind === 'failed') {
        outage ??= reply?.reason ?? 'no reply';
        return false;
      }
      results[position] = read(request, reply.text);
      return results[position] === null;
    });
  }
  return { value: results, incomplete: results.includes(null), outage };
}

function chunk<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; start += CHUNK) parts.push(items.slice(start, start + CHUNK));
  return parts;
}
