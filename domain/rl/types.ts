import type { FinalReward, TurnFacts } from '../scoring/reward/final.ts';

/**
 * One generation of one agent, exactly as the sampler returned it. `promptTokens` is everything the model saw,
 * `responseTokens` what it wrote (stop token included); `logprobs` and `versions` have one entry per response token.
 */
export interface Turn extends Omit<TurnFacts, 'responseTokens'> {
  /** 0 is the lead or the single agent; subagents count from 1 over the whole rollout. */
  agentId: number;
  /** Position among the turns of its agent, from 0. */
  turnIdx: number;
  promptTokens: Int32Array;
  responseTokens: Int32Array;
  /** Behaviour log-probs at temperature 1. */
  logprobs: Float32Array;
  /** Policy version that wrote each token: weights may be published in the middle of a response. */
  versions: Int32Array;
}

/** `failed` is a rollout that never came to an answer because something broke. It carries no reward. */
export type RolloutOutcome = FinalReward | { kind: 'failed'; reason: string };

/** One attempt at one question by one team of agents. */
export interface Rollout {
  id: string;
  /** Index within its group, from 0. */
  sample: number;
  /** All agents that were started, also those that left no turn. */
  agentsStarted: number;
  turns: Turn[];
  outcome: RolloutOutcome;
}

/** All attempts at one question. */
export interface Group {
  id: string;
  questionId: string;
  rollouts: Rollout[];
}

/** A turn's tokens inside a training sequence: position `start + j` holds response token j. */
export interface Span {
  turnId: string;
  start: number;
  length: number;
  logprobs: Float32Array;
  versions: Int32Array;
  /** The same for every token of the rollout. */
  advantage: number;
  /** Weight of each token before the batch's denominator (4.3). */
  weight: number;
}

/** What the engine trains on: tokens, and the spans the loss covers. Everything between spans is context. */
export interface Sequence {
  groupId: string;
  rolloutId: string;
  agentId: number;
  tokens: Int32Array;
  /** In order of `start`, never overlapping, never at position 0 (nothing predicts the first token). */
  spans: Span[];
}

/** The part of a turn that the reward table reads. */
export const turnFacts = (turn: Turn): TurnFacts => ({
  id: turn.id,
  role: turn.role,
  responseTokens: turn.responseTokens.length,
  searchCalls: turn.searchCalls,
  accessCalls: turn.accessCalls,
  hitLimit: turn.hitLimit,
  repeats: turn.repeats,
});

/** Turns of a scored rollout that are trained on, in the rollout's order; empty for any other outcome. */
export function trainableTurns(rollout: Rollout): Turn[] {
  if (rollout.outcome.kind !== 'scored') return [];
  const ids = new Set(rollout.outcome.trainable);
  return rollout.turns.filter(({ id }) => ids.has(id));
}
