import { expect, it } from 'vitest';
import type { AgentTurns } from '../run.ts';
import { countTurns, meanTurns } from './turn-counts.ts';

const agent = (
  role: AgentTurns['role'],
  turns: number,
  calls: [number, number, number, number],
): AgentTurns => ({
  ...{ agentId: `${role}-${turns}`, role, startedIn: role === 'subagent' ? 1 : 0, turns, head: null },
  calls: { turns: calls[0], subtasks: calls[1], searches: calls[2], accesses: calls[3] },
});

it('sums by role and divides by the turns that called something', () => {
  const team = countTurns([
    agent('subagent', 4, [3, 0, 5, 1]),
    agent('subagent', 2, [1, 0, 1, 0]),
    agent('lead', 3, [2, 5, 0, 0]),
  ]);
  expect(team.subagent).toEqual({ all: 6, turns: 4, subtasks: 0, searches: 6, accesses: 1 });
  expect(meanTurns([team])).toEqual({ subtask: 2.5, search: 1.5, access: 0.25, main: 3, subagents: 6 });
  const alone = countTurns([agent('single', 5, [4, 0, 2, 3])]);
  expect(meanTurns([alone])).toEqual({ subtask: null, search: 0.5, access: 0.75, main: 5, subagents: 0 });
  expect(meanTurns([team, alone])).toMatchObject({ search: 1, access: 0.5, main: 4, subagents: 3 });
});

it('has no means of nothing', () => {
  expect(Object.values(meanTurns([]))).toEqual([null, null, null, null, null]);
  expect(meanTurns([countTurns([agent('lead', 1, [0, 0, 0, 0])])])).toMatchObject({ subtask: null, main: 1 });
});
