import { seeded } from '../../../domain/rl/testing/bigram.ts';
import type { Group, Rollout, Turn } from '../../../domain/rl/types.ts';

export interface BatchShape {
  groups: number;
  groupSize: number;
  agents: number;
  turns: number;
  /** Tokens of the first prompt, of each response, and of what a tool adds. */
  prompt: number;
  response: number;
  tool: number;
  /** Share of turns whose prompt does not continue the turn before. */
  rewrite: number;
}

/** 1,024 rollouts of 10 agents with 8 turns: 30 million tokens before merging. */
export const FULL: BatchShape = {
  ...{ groups: 128, groupSize: 8, agents: 10, turns: 8 },
  ...{ prompt: 30, response: 60, tool: 20, rewrite: 0 },
};

/** Groups of exactly this shape with random ids and rewards; the same seed gives the same groups. */
export function makeRollouts(shape: BatchShape, seed = 1): Group[] {
  const next = seeded(seed);
  return Array.from({ length: shape.groups }, (_, index) => {
    const id = `g${index}`;
    const rollouts = Array.from({ length: shape.groupSize }, (_, sample) =>
      makeRollout(shape, next, `${id}/${sample}`, sample),
    );
    return { id, questionId: `q${index}`, rollouts };
  });
}

function makeRollout(shape: BatchShape, next: () => number, id: string, sample: number): Rollout {
  const turns = Array.from({ length: shape.agents }, (_, agentId) =>
    makeAgent(shape, next, id, agentId),
  ).flat();
  return {
    ...{ id, sample, agentsStarted: shape.agents, turns },
    outcome: {
      ...{ kind: 'scored', reward: Math.round(next() * 20) / 20, rule: 'A1', finalAnswerFormat: 1 },
      trainable: turns.map((turn) => turn.id),
    },
  };
}

function makeAgent(shape: BatchShape, next: () => number, id: string, agentId: number): Turn[] {
  const { prompt, response, tool, turns, rewrite } = shape;
  const words = (count: number): Int32Array => Int32Array.from({ length: count }, () => next() * 150_000);
  let context = words(prompt);
  return Array.from({ length: turns }, (_, turnIdx): Turn => {
    const reply = words(response);
    const turn: Turn = {
      ...{ id: `${id}/a${agentId}/t${turnIdx}`, agentId, turnIdx, role: agentId === 0 ? 'lead' : 'subagent' },
      ...{ promptTokens: context, responseTokens: reply },
      logprobs: Float32Array.from({ length: response }, () => -next()),
      versions: new Int32Array(response),
      ...{ searchCalls: 1, accessCalls: 0, hitLimit: false, repeats: false },
    };
    const following = next() < rewrite ? words(context.length) : context;
    context = Int32Array.from([...following, ...reply, ...words(tool)]);
    return turn;
  });
}
