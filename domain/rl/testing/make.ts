import type { Group, Rollout, Turn } from '../types.ts';
import { bigramLogprobs } from './bigram.ts';
import type { Bigram } from './bigram.ts';

export interface Shape {
  rollouts: number;
  /** Agents per rollout and turns per agent: at most these, at least 1. */
  agents: number;
  turns: number;
  /** Tokens of one response and of one tool result: at most these, at least 1. */
  response: number;
  tool: number;
  /** Chance that a turn starts from a rewritten context, so that it does not continue the turn before. */
  rewrite: number;
  /** Chance that a turn is not trained on. */
  drop: number;
}

export const SMALL: Shape = {
  rollouts: 4,
  agents: 3,
  turns: 3,
  response: 5,
  tool: 3,
  rewrite: 0.2,
  drop: 0.2,
};

/** A group of scored rollouts whose log-probs come from `behaviour`; versions rise by one at random. */
export function makeGroup(next: () => number, behaviour: Bigram, shape: Shape = SMALL, id = 'g'): Group {
  const rollouts = Array.from({ length: shape.rollouts }, (_, sample) =>
    makeRollout(next, behaviour, shape, `${id}/r${sample}`, sample),
  );
  return { id, questionId: `q-${id}`, rollouts };
}

function makeRollout(
  next: () => number,
  behaviour: Bigram,
  shape: Shape,
  id: string,
  sample: number,
): Rollout {
  const upTo = (most: number): number => 1 + Math.floor(next() * most);
  const words = (count: number): number[] =>
    Array.from({ length: count }, () => Math.floor(next() * behaviour.vocabulary));
  const agents = upTo(shape.agents);
  const turns: Turn[] = [];
  for (let agentId = 0; agentId < agents; agentId += 1) {
    let context = words(upTo(4));
    const count = upTo(shape.turns);
    for (let turnIdx = 0; turnIdx < count; turnIdx += 1) {
      const response = words(upTo(shape.response));
      turns.push(
        makeTurn(`${id}/a${agentId}/t${turnIdx}`, { agentId, turnIdx, context, response, behaviour, next }),
      );
      const tool = words(upTo(shape.tool));
      context = next() < shape.rewrite ? words(upTo(6)) : [...context, ...response, ...tool];
    }
  }
  const trainable = turns.filter(() => next() >= shape.drop).map((turn) => turn.id);
  const reward = Math.round(next() * 20) / 20;
  return {
    id,
    sample,
    agentsStarted: agents + Math.floor(next() * 2),
    turns,
    outcome: { kind: 'scored', reward, rule: 'A1', trainable, finalAnswerFormat: 1 },
  };
}

function makeTurn(
  id: string,
  from: {
    agentId: number;
    turnIdx: number;
    context: number[];
    response: number[];
    behaviour: Bigram;
    next: () => number;
  },
): Turn {
  const { agentId, turnIdx, context, response, behaviour, next } = from;
  const logprobs = bigramLogprobs(behaviour, [...context, ...response]).slice(context.length);
  let version = Math.floor(next() * 4);
  return {
    id,
    agentId,
    turnIdx,
    role: agentId === 0 ? 'lead' : 'subagent',
    promptTokens: Int32Array.from(context),
    responseTokens: Int32Array.from(response),
    logprobs: Float32Array.from(logprobs),
    versions: Int32Array.from(response, () => (version += Number(next() < 0.1))),
    searchCalls: 0,
    accessCalls: 0,
    hitLimit: false,
    repeats: false,
  };
}
