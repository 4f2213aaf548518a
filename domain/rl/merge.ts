import { invalidInput } from '../errors.ts';
import type { Sequence, Span, Turn } from './types.ts';

/** A kept turn with what credit assignment gave to each of its tokens. */
export interface CreditedTurn {
  turn: Turn;
  advantage: number;
  weight: number;
}

export interface Merged {
  sequences: Sequence[];
  /** Turns whose prompt does not continue the same agent's turn before: trained as sequences of their own. */
  mismatches: number;
}

/**
 * Folds the kept turns of one rollout into as few sequences as exact token prefixes allow (wideseek 4.7, asearcher 3.7).
 * Works per agent in turn order, linear in tokens: a turn joins its agent's open sequence if everything in that
 * sequence is a prefix of the turn's prompt. The gap (tool results, dropped turns) is context outside the loss.
 * Advantages, weights, log-probs and versions stay with their tokens, so all sums are as before.
 */
export function mergeTurns(
  ids: { groupId: string; rolloutId: string },
  kept: readonly CreditedTurn[],
): Merged {
  const sequences: Sequence[] = [];
  let mismatches = 0;
  for (const [agentId, turns] of byAgent(kept)) {
    let open: CreditedTurn[] = [];
    const close = (): void => {
      if (open.length > 0) sequences.push(sequenceOf(ids, agentId, open));
      open = [];
    };
    for (const credited of turns) {
      const last = open.at(-1);
      if (last !== undefined && !continues(last.turn, credited.turn)) {
        mismatches += 1;
        close();
      }
      open.push(credited);
    }
    close();
  }
  return { sequences, mismatches };
}

/** Every turn as a sequence of its own: what merging is compared with. */
export function separateTurns(
  ids: { groupId: string; rolloutId: string },
  kept: readonly CreditedTurn[],
): Sequence[] {
  return kept.map((credited) => sequenceOf(ids, credited.turn.agentId, [credited]));
}

function byAgent(kept: readonly CreditedTurn[]): Map<number, CreditedTurn[]> {
  const agents = new Map<number, CreditedTurn[]>();
  for (const credited of kept) {
    const turns = agents.get(credited.turn.agentId);
    if (turns === undefined) agents.set(credited.turn.agentId, [credited]);
    else turns.push(credited);
  }
  for (const turns of agents.values()) turns.sort((a, b) => a.turn.turnIdx - b.turn.turnIdx);
  return agents;
}

/** Prompt and response of `before`, token by token, open the prompt of `after`. */
function continues(before: Turn, after: Turn): boolean {
  const { promptTokens: head, responseTokens: tail } = before;
  const next = after.promptTokens;
  if (next.length < head.length + tail.length) return false;
  for (let at = 0; at < head.length; at += 1) if (head[at] !== next[at]) return false;
  for (let at = 0; at < tail.length; at += 1) if (tail[at] !== next[head.length + at]) return false;
  return true;
}

/** The last turn of a chain holds all tokens of the chain; each turn's response starts where its own prompt ends. */
function sequenceOf(
  ids: { groupId: string; rolloutId: string },
  agentId: number,
  chain: readonly CreditedTurn[],
): Sequence {
  const last = chain.at(-1)?.turn;
  if (last === undefined) throw invalidInput('turns', 'a sequence needs at least one turn');
  const tokens = new Int32Array(last.promptTokens.length + last.responseTokens.length);
  tokens.set(last.promptTokens);
  tokens.set(last.responseTokens, last.promptTokens.length);
  return { ...ids, agentId, tokens, spans: chain.map(spanOf) };
}

function spanOf({ turn, advantage, weight }: CreditedTurn): Span {
  const length = turn.responseTokens.length;
  if (turn.promptTokens.length === 0) throw invalidInput(`turn ${turn.id}`, 'its prompt is empty');
  if (turn.logprobs.length !== length || turn.versions.length !== length)
    throw invalidInput(
      `turn ${turn.id}`,
      `${length} tokens with ${turn.logprobs.length} log-probs and ${turn.versions.length} versions`,
    );
  return {
    turnId: turn.id,
    start: turn.promptTokens.length,
    length,
    logprobs: turn.logprobs,
    versions: turn.versions,
    advantage,
    weight,
  };
}
