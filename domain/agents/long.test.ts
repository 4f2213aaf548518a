import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, driveLong, say } from './drive-long.fake.ts';
import { agentsSchema, limitsFor } from './limits.ts';
import { beginLong, earlierResult, noteResults } from './long.ts';
import { ANSWER_NOW, ASKED_BEFORE, CHECK_FIRST } from './remarks.ts';
import { begin } from './step.ts';

const lastText = (messages: readonly { content: string }[]): string => messages.at(-1)!.content;
const queries = (turn: { turn: number; tools: string[] }) =>
  turn.tools.length > 0 ? call('search', { query: `query ${turn.turn}` }) : say('<answer>it</answer>');

describe('limits', () => {
  it.each(['base', 'reasoning', 'search-r1'] as const)('%s answers when its turns are over', (workflow) => {
    const { reason, answer, turns } = driveLong({
      agents: { workflow, single: { turns: 9 } },
      reply: queries,
    });
    expect({ reason, answer, turns }).toEqual({ reason: 'turn_limit', answer: 'it', turns: 8 });
  });

  it('asks a second time where the forced answer is none', () => {
    const driven = driveLong({
      agents: { workflow: 'reasoning', single: { turns: 6 } },
      reply: (turn) => (turn.turn === 6 ? say('\\boxed{late}') : queries({ ...turn, tools: ['search'] })),
    });
    expect(driven).toMatchObject({ reason: 'turn_limit', answer: '\\boxed{late}', turns: 6 });
    expect(lastText(driven.prompts.at(-1)!.messages)).toContain(ANSWER_NOW);
  });

  it('stops generating before its ceiling of tokens', () => {
    const driven = driveLong({
      agents: {
        workflow: 'base',
        single: { turns: 1000, replyTokens: 200 },
        long: { generatedTokens: 2_000 },
      },
      reply: (turn) => ({
        ...queries(turn),
        content: turn.tools.length > 0 ? 'x'.repeat(200) : '<answer>it</answer>',
      }),
    });
    expect(driven).toMatchObject({ reason: 'budget', answer: 'it' });
    expect(driven.turns).toBe(9);
  });

  it('has room for one act in two turns, and for none in one', () => {
    const turns = (n: number) =>
      driveLong({ agents: { workflow: 'base', single: { turns: n } }, reply: queries });
    expect(turns(1)).toMatchObject({ reason: 'answered', turns: 1, fetched: [] });
    expect(turns(2)).toMatchObject({ reason: 'turn_limit', turns: 2, fetched: ['search query 1'] });
  });
});

describe('phases', () => {
  it('sends an early answer back once, and accepts it when it is given again', () => {
    const driven = driveLong({ agents: { workflow: 'reasoning' }, reply: () => say('\\boxed{Kibo}') });
    expect(driven).toMatchObject({ reason: 'answered', answer: '\\boxed{Kibo}', turns: 2 });
    expect(lastText(driven.prompts[1]!.messages)).toContain(CHECK_FIRST);
  });

  it('accepts an answer after enough searches', () => {
    const driven = driveLong({
      agents: { workflow: 'reasoning', long: { documents: 3 } },
      reply: (turn) => (turn.turn <= 3 ? queries(turn) : say('<answer>Kibo</answer>')),
    });
    expect(driven).toMatchObject({ reason: 'answered', answer: 'Kibo', turns: 4 });
    expect(lastText(driven.prompts[0]!.messages)).not.toMatch(/give the final answer/);
    expect(lastText(driven.prompts[3]!.messages)).toMatch(/give the final answer/);
  });

  it('accepts an answer after enough turns', () => {
    const driven = driveLong({
      agents: { workflow: 'reasoning', long: { forceTurns: 2 } },
      reply: (turn) => (turn.turn <= 2 ? queries(turn) : say('<answer>Kibo</answer>')),
    });
    expect(driven).toMatchObject({ reason: 'answered', turns: 3 });
  });

  it('base accepts an answer at once, and a table as well as a tag', () => {
    const table = 'Here:\n\n| peak | height |\n|---|---|\n| Kibo | 5895 m |';
    expect(driveLong({ agents: { workflow: 'base' }, reply: () => say(table) })).toMatchObject({
      reason: 'answered',
      answer: table,
      turns: 1,
    });
  });

  it('the first published release can never answer; the later one can (spec asearcher 8.1)', () => {
    const published = (firstRelease: boolean) =>
      driveLong({
        agents: {
          workflow: 'reasoning',
          profile: 'reference',
          single: { turns: 128 },
          long: { firstRelease },
        },
        reply: (turn) =>
          turn.tools.length > 0 ? say('The answer is easy. <answer>Kibo</answer>') : say('notes'),
      });
    expect(published(true)).toMatchObject({ reason: 'turn_limit', turns: 32 });
    expect(published(false)).toMatchObject({ reason: 'answered', answer: 'Kibo', turns: 33 });
  });
});

describe('repetition', () => {
  it('gives the earlier result for a repeated query and fetches nothing', () => {
    const driven = driveLong({
      agents: { workflow: 'base', repeats: 20 },
      reply: (turn) =>
        turn.turn === 4
          ? say('<answer>x</answer>')
          : call('search', { query: turn.turn === 3 ? 'other' : 'Same  One' }),
    });
    expect(driven.fetched).toEqual(['search Same  One', 'search other']);
    expect(lastText(driven.prompts[2]!.messages)).toContain(ASKED_BEFORE);
    expect(lastText(driven.prompts[2]!.messages)).toContain('A passage.');
  });

  it('notices a loop and asks for the answer', () => {
    const loop = (turn: { tools: string[] }) =>
      turn.tools.length > 0 ? call('search', { query: 'same' }) : say('<answer>x</answer>');
    expect(driveLong({ agents: { workflow: 'reasoning' }, reply: loop })).toMatchObject({
      reason: 'no_progress',
      answer: 'x',
      turns: 5,
    });
  });

  it('notices that new queries only bring known pages', () => {
    const driven = driveLong({
      agents: { workflow: 'base', single: { turns: 100 }, long: { barren: 5 } },
      search: () => [{ url: 'https://e.example/one', title: 'One', text: 'same' }],
      reply: queries,
    });
    expect(driven).toMatchObject({ reason: 'no_progress', answer: 'it', turns: 7 });
  });

  it('asks for the answer where corrections do not help', () => {
    const driven = driveLong({ agents: { workflow: 'base' }, reply: () => say('Hmm, let me see.') });
    expect(driven).toMatchObject({ reason: 'no_progress', turns: 5, answer: 'Hmm, let me see.' });
  });

  it('remembers a bounded number of results, and never an outage', () => {
    const limits = limitsFor('single', agentsSchema.parse({ workflow: 'base' }));
    let state = begin('single', limits, 'improved');
    for (let i = 0; i < 400; i++) {
      const request = { tool: 'search', callId: 'c', query: `q${i}`, count: 3 } as const;
      const status = i === 399 ? 'outage' : 'ok';
      const part = { kind: 'text', text: String(i) } as const;
      state = noteResults(state, [request], [{ status, part }], limits);
    }
    const recalled = (query: string) =>
      earlierResult(state, { tool: 'search', callId: 'c', query, count: 3 }, limits)?.part;
    expect(state.long!.results).toHaveLength(256);
    expect([recalled('q0'), recalled('q398'), recalled('q399')]).toEqual(
      [undefined, { kind: 'text', text: '398' }, undefined].map((part) => part ?? undefined),
    );
    expect(state.long!.documents).toBe(399);
  });
});

describe('reading in parts', () => {
  const page = Array.from({ length: 40 }, (_, i) => `line ${i} ${'x'.repeat(60)}`).join('\n');
  const agents = { workflow: 'base', long: { chunk: 300 } } as const;
  const reader = (notes: (turn: { messages: { content: string }[] }) => string) =>
    driveLong({
      agents,
      page: () => page,
      reply: (turn) => {
        if (turn.turn === 1) return call('access', { url: 'https://e.example/p', info_to_extract: 'x' });
        if (turn.tools.length > 0) return say('<answer>read</answer>');
        return say(notes(turn));
      },
    });

  it('has a turn for each part, without tools, and shows each in full exactly once', () => {
    const driven = reader((turn) => `noted: ${/line \d+/.exec(lastText(turn.messages))![0]}`);
    const readingTurns = driven.prompts.filter((prompt) => prompt.tools.length === 0);
    expect(readingTurns.length).toBe(3);
    for (let line = 0; line < 40; line++) {
      const showing = driven.prompts.filter((prompt) =>
        prompt.messages.some(
          (message) => message.content.includes(`line ${line} x`) && message.content.includes('<<<'),
        ),
      );
      expect(showing).toHaveLength(1);
    }
    const final = driven.prompts
      .at(-1)!
      .messages.map((message) => message.content)
      .join('\n');
    expect(final).toMatch(/noted: line 0[^]*noted: line \d+[^]*noted: line/);
    expect(final).toContain('### Read: https://e.example/p (page 2 of 3)');
  });

  it('stops early where the rest is not worth reading', () => {
    const driven = reader(() => 'nothing here <enough/>');
    expect(driven.prompts.filter((prompt) => prompt.tools.length === 0)).toHaveLength(1);
    const said = driven.stored.filter((message) => message.role === 'assistant');
    expect(said.map((message) => message.content)).toContain('nothing here');
  });

  it('opens a page again without fetching it', () => {
    const driven = driveLong({
      agents: { workflow: 'reasoning' },
      page: () => 'short page',
      reply: (turn) => {
        if (turn.tools.length === 0) return say('short');
        return turn.turn < 6 ? call('access', { url: 'https://e.example/p' }) : say('<answer>x</answer>');
      },
    });
    expect(driven.fetched).toEqual(['access https://e.example/p']);
  });
});

describe('whatever the model writes', () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      '<search>',
      '</search>',
      '<access>',
      '</access>',
      '<answer>',
      '</answer>',
      '<think>',
      '</think>',
    ),
    fc.constantFrom(
      '\\boxed{',
      '}',
      '<enough/>',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      '<information>',
      '\n',
      '<<<',
      '>>>',
    ),
    fc.constantFrom(
      '### Page: https://e.example/x',
      '### Search: y',
      '[Turn 3 of 9: reading]',
      'why',
      '中文',
    ),
    fc.string({ maxLength: 12 }),
  );
  interface Reply {
    text: string;
    calls: [name: string, args: string][];
  }
  const reply: fc.Arbitrary<Reply> = fc.record({
    text: fc.array(fragment, { maxLength: 6 }).map((parts) => parts.join('')),
    calls: fc.array(
      fc.tuple(
        fc.constantFrom('search', 'access', 'browse'),
        fc.oneof(
          fc.json(),
          fc.constantFrom('{"query":"a"}', '{"query":"b"}', '{"url":"https://e.example/1"}'),
        ),
      ),
      { maxLength: 2 },
    ),
  });

  it('an agent ends within its turns, and any answer-like text in its last turns is its answer', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('base', 'reasoning', 'search-r1'),
        fc.constantFrom('improved', 'reference'),
        fc.constantFrom('auto', 'table', 'boxed'),
        fc.integer({ min: 1, max: 14 }),
        fc.infiniteStream(reply),
        fc.constantFrom('en', 'zh'),
        (workflow, profile, answer, turns, replies, language) => {
          const driven = driveLong({
            agents: {
              workflow,
              profile,
              single: { turns, contextTokens: 4_000, replyTokens: 500 },
              long: { chunk: 50 },
            },
            answer,
            language,
            page: (url) => (url.endsWith('1') ? 'word '.repeat(200) : null),
            reply: () => {
              const { text, calls } = replies.next().value as Reply;
              const toolCalls = calls.map(([name, args], i) => ({ id: `c${i}`, name, arguments: args }));
              return { role: 'assistant', content: text, ...(calls.length > 0 ? { toolCalls } : {}) };
            },
          });
          expect(driven.turns).toBeLessThanOrEqual(turns);
          const tools = driven.stored
            .filter((message) => message.role === 'tool')
            .map((message) => message.toolCallId);
          const asked = driven.stored.flatMap((m) => (m.role === 'assistant' ? (m.toolCalls ?? []) : []));
          // Every call of every turn but the last has its result, or endpoints would refuse the conversation.
          expect(tools.length).toBeGreaterThanOrEqual(new Set(tools).size);
          expect(asked.length).toBeLessThanOrEqual(tools.length + 2);
          expect(new Set(driven.fetched).size).toBe(
            profile === 'reference' ? new Set(driven.fetched).size : driven.fetched.length,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('an agent that answers when it has to always has an answer', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('base', 'reasoning', 'search-r1'),
        fc.integer({ min: 1, max: 12 }),
        fc.infiniteStream(reply),
        (workflow, turns, replies) => {
          const driven = driveLong({
            agents: { workflow, single: { turns } },
            reply: (turn) => {
              const must = /last turn|no tools are available/.test(lastText(turn.messages));
              return must ? say('<answer>so</answer>') : say((replies.next().value as Reply).text);
            },
          });
          expect(driven.answer).not.toBeNull();
        },
      ),
    );
  });
});

it('starts in the answer phase where there are none', () => {
  const rulesOf = (workflow: 'base' | 'reasoning') =>
    limitsFor('single', agentsSchema.parse({ workflow })).rules!;
  expect(beginLong(rulesOf('base')).phase).toBe('answer');
  expect(beginLong(rulesOf('reasoning')).phase).toBe('search');
});
