import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolRequest } from './requests.ts';
import type { AgentLimits } from './limits.ts';
import { afterTools, type AgentState, begin, step, type TurnFacts } from './step.ts';

const limits: AgentLimits = {
  turns: 5,
  requests: 3,
  contextTokens: 1000,
  replyTokens: 100,
  corrections: 2,
  repeats: 2,
  outages: 2,
};
const search = (query: string): ToolRequest => ({ tool: 'search', callId: 'c', query, count: 3 });
const acting = (...requests: ToolRequest[]): TurnFacts => ({
  requests,
  problems: [],
  answered: false,
  truncated: false,
  contextTokens: 100,
});
const answering: TurnFacts = { ...acting(), answered: true };
const malformed: TurnFacts = { ...acting(), problems: [{ callId: 'c', name: 'x', text: 'bad' }] };

/** Feeds turns until the machine stops; returns the decisions. */
function play(
  facts: TurnFacts[],
  own: Partial<AgentLimits> = {},
  profile: 'improved' | 'reference' = 'improved',
) {
  const all = { ...limits, ...own };
  let state: AgentState = begin('subagent', all, profile);
  return facts.map((one) => {
    const next = step(state, one, all, profile);
    state = next.state;
    return { ...next.decision, mustAnswer: state.lastTurn };
  });
}

describe('step, improved profile', () => {
  it('stops as answered when the model answers without calls', () => {
    expect(play([acting(search('a')), answering]).at(-1)).toMatchObject({ do: 'stop', reason: 'answered' });
  });

  it('announces the last turn before it comes, and takes its answer as a turn limit', () => {
    const turns = play([...'abcd'].map((query) => acting(search(query))).concat(answering));
    expect(turns.map((turn) => turn.mustAnswer)).toEqual([null, null, null, 'turn_limit', 'turn_limit']);
    expect(turns.at(-1)).toMatchObject({ do: 'stop', reason: 'turn_limit' });
  });

  it('corrects malformed turns, then gives up as protocol_error (R-20)', () => {
    expect(play([malformed, malformed, malformed]).map((turn) => turn.do)).toEqual([
      'correct',
      'correct',
      'stop',
    ]);
    expect(play([malformed, malformed, malformed]).at(-1)).toMatchObject({ reason: 'protocol_error' });
  });

  it('starts counting corrections anew after a good turn', () => {
    const turns = play([malformed, malformed, acting(search('a')), malformed], { turns: 10 });
    expect(turns.at(-1)).toMatchObject({ do: 'correct' });
  });

  it('runs the good requests of a turn that also has problems', () => {
    const mixed = { ...acting(search('a')), problems: malformed.problems };
    expect(play([mixed])[0]).toMatchObject({
      do: 'act',
      requests: [search('a')],
      problems: malformed.problems,
    });
  });

  it('forces an answer when turns only repeat what was asked before', () => {
    const turns = play(
      [search('a'), search('A '), search('a')].map((request) => acting(request)),
      { turns: 10 },
    );
    expect(turns.map((turn) => turn.mustAnswer)).toEqual([null, null, 'no_progress']);
  });

  it('forces an answer when the window is nearly full (R-25)', () => {
    expect(play([{ ...acting(search('a')), contextTokens: 900 }])[0]).toMatchObject({
      do: 'act',
      mustAnswer: 'context_limit',
    });
  });

  it('does not take a cut or empty reply for an answer', () => {
    expect(play([{ ...answering, truncated: true }])[0]).toMatchObject({ do: 'correct' });
    expect(play([acting()])[0]).toMatchObject({ do: 'correct', problems: [{ callId: null }] });
  });

  it('ends as protocol_error when the forced answer does not come', () => {
    expect(play([acting()], { turns: 1 }).at(-1)).toMatchObject({ do: 'stop', reason: 'protocol_error' });
    expect(play([answering], { turns: 1 }).at(-1)).toMatchObject({ do: 'stop', reason: 'answered' });
  });

  it('stops within its turns whatever happens, and its state stays small', () => {
    const facts = fc.record({
      requests: fc.array(fc.string().map(search), { maxLength: 3 }),
      problems: fc.array(fc.constant({ callId: 'c', name: 'x', text: 'bad' }), { maxLength: 2 }),
      answered: fc.boolean(),
      truncated: fc.boolean(),
      contextTokens: fc.integer({ min: 0, max: 2000 }),
    });
    fc.assert(
      fc.property(
        fc.array(facts, { minLength: 40, maxLength: 40 }),
        fc.constantFrom('improved' as const, 'reference' as const),
        (turns, profile) => {
          let state = begin('subagent', limits, profile);
          let taken = 0;
          for (const one of turns) {
            const next = step(state, one, limits, profile);
            state = next.state;
            taken++;
            const over = profile === 'reference' && state.lastTurn !== null;
            if (next.decision.do === 'stop' || over) break;
          }
          expect(taken).toBeLessThanOrEqual(limits.turns);
          expect(JSON.stringify(state).length).toBeLessThan(2_000);
        },
      ),
    );
  });
});

describe('step, reference profile (spec 1.6)', () => {
  it('takes any turn without calls for the answer, malformed ones too', () => {
    expect(play([malformed], {}, 'reference')[0]).toMatchObject({ do: 'stop', reason: 'answered' });
  });

  it('still runs tools on the last permitted turn (R-23)', () => {
    const turns = play([acting(search('a'))], { turns: 1 }, 'reference');
    expect(turns[0]).toMatchObject({ do: 'act', mustAnswer: 'turn_limit' });
  });

  it('fails on a reply that filled the window', () => {
    expect(play([{ ...answering, truncated: true }], {}, 'reference')[0]).toMatchObject({
      reason: 'context_limit',
    });
  });
});

describe('afterTools', () => {
  it('stops after so many turns in which nothing could be reached', () => {
    const first = afterTools(begin('subagent', limits, 'improved'), true, limits);
    expect(first.stop).toBeNull();
    expect(afterTools(first.state, true, limits).stop).toBe('tool_outage');
    expect(afterTools(first.state, false, limits).state.outages).toBe(0);
  });
});
