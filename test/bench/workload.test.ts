import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leadMove, readQuery, readUrl, subagentMove } from './script.ts';
import { criticalPathMs, expectedCalls, questionOf, type Work, workOf } from './workload.ts';

const work: fc.Arbitrary<Work> = fc.record({
  fanouts: fc.integer({ min: 1, max: 4 }),
  width: fc.integer({ min: 1, max: 5 }),
  turns: fc.integer({ min: 1, max: 6 }),
  modelMs: fc.integer({ min: 0, max: 2000 }),
  toolMs: fc.integer({ min: 0, max: 2000 }),
  salt: fc.stringMatching(/^[a-z0-9]{1,8}$/),
});

/** Acts a question out on a clock of its own: what it costs and when it ends, with unlimited parallelism. */
function actOut(one: Work): { endMs: number; model: number; tool: number } {
  const calls = { model: 0, tool: 0 };
  const runSubagent = (prompt: string, start: number): number => {
    let now = start;
    for (let turn = 0; ; turn += 1) {
      calls.model += 1;
      now += one.modelMs;
      const move = subagentMove(one, prompt, turn);
      if ('text' in move) return now;
      calls.tool += 1;
      if (move.tool === 'search') now += readQuery(move.args.queries[0]!.query).toolMs;
      else if (move.tool === 'access') now += readUrl(move.args.urls[0]!.url).toolMs;
    }
  };
  let now = 0;
  for (let turn = 0; ; turn += 1) {
    calls.model += 1;
    now += one.modelMs;
    const move = leadMove(one, turn);
    if ('text' in move) return { endMs: now, ...calls };
    if (move.tool !== 'create_sub_agents') throw new Error('a lead only delegates');
    const start = now;
    now = Math.max(...move.args.sub_agents.map(({ prompt }) => runSubagent(prompt, start)));
  }
}

describe('the workload', () => {
  it('has the published size and critical path', () => {
    const shape = { fanouts: 2, width: 5, turns: 5 };
    expect(expectedCalls(shape)).toEqual({ model: 53, tool: 40 });
    expect(criticalPathMs({ ...shape, modelMs: 200, toolMs: 50 })).toBe(3000);
    expect(criticalPathMs({ ...shape, modelMs: 2000, toolMs: 300 })).toBe(28_400);
  });

  it('needs exactly the calls and the time that its script takes', () => {
    fc.assert(
      fc.property(work, (one) => {
        const { endMs, ...calls } = actOut(one);
        expect(endMs).toBe(criticalPathMs(one));
        expect(calls).toEqual(expectedCalls(one));
      }),
    );
  });

  it('travels in the question', () => {
    fc.assert(
      fc.property(work, (one) => {
        expect(workOf(questionOf(one))).toEqual(one);
      }),
    );
    expect(() => workOf('Who?')).toThrow(/not a question of the benchmark: Who\?/);
  });
});
