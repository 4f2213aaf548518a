import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCalls, parseCallsReference } from './calls.ts';
import { signature } from './requests.ts';
import type { AgentRole, AssistantMessage } from './messages.ts';

const message = (...calls: [name: string, args: unknown][]): AssistantMessage => ({
  role: 'assistant',
  content: '',
  toolCalls: calls.map(([name, args], index) => ({
    id: `c${index}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  })),
});
const prompts = (n: number) => ({
  sub_agents: Array.from({ length: n }, (_, i) => ({ prompt: `task ${i}` })),
});

describe('parseCalls', () => {
  it('reads the subtasks of a lead, keeping which call asked', () => {
    const { requests, problems } = parseCalls('lead', message(['create_sub_agents', prompts(2)]), 10);
    expect(requests).toEqual([
      { tool: 'delegate', callId: 'c0', prompt: 'task 0' },
      { tool: 'delegate', callId: 'c0', prompt: 'task 1' },
    ]);
    expect(problems).toEqual([]);
  });

  it('reads list and scalar forms and fills defaults', () => {
    const list = parseCalls(
      'subagent',
      message(['search', { queries: [{ query: ' a ' }, { query: 'b', count: 5 }] }]),
      5,
    );
    expect(list.requests).toEqual([
      { tool: 'search', callId: 'c0', query: 'a', count: 3 },
      { tool: 'search', callId: 'c0', query: 'b', count: 5 },
    ]);
    const one = parseCalls('single', message(['access', { url: 'https://e.org', info_to_extract: 'x' }]), 1);
    expect(one.requests).toEqual([
      { tool: 'access', callId: 'c0', url: 'https://e.org', intent: 'x', page: 1 },
    ]);
  });

  it('takes several calls of one turn and reports what exceeds the limit (R-22)', () => {
    const { requests, problems } = parseCalls(
      'lead',
      message(['create_sub_agents', prompts(7)], ['create_sub_agents', prompts(6)]),
      10,
    );
    expect(requests).toHaveLength(10);
    expect(problems).toEqual([
      { callId: 'c1', name: 'create_sub_agents', text: '3 of 6 items were dropped: at most 10 per turn' },
    ]);
  });

  it.each<[string, AgentRole, [string, unknown], RegExp]>([
    ['broken JSON', 'lead', ['create_sub_agents', '{"sub_agents": ['], /not a JSON object/],
    ['an unknown tool', 'subagent', ['browse', {}], /there is no tool "browse"; you have: search, access/],
    ['a tool of another role', 'lead', ['search', { query: 'x' }], /you have: create_sub_agents/],
    ['a name that objects inherit', 'lead', ['constructor', {}], /there is no tool/],
    ['a missing list', 'subagent', ['search', { query: 'x' }], /"queries" must be a non-empty array/],
    [
      'an empty prompt',
      'lead',
      ['create_sub_agents', { sub_agents: [{ prompt: ' ' }] }],
      /"sub_agents\[0\]": prompt/,
    ],
    [
      'a prompt beyond the bound (R-05)',
      'lead',
      ['create_sub_agents', { sub_agents: [{ prompt: 'x'.repeat(4001) }] }],
      /prompt/,
    ],
  ])('answers %s with a problem that names it', (_, role, call, expected) => {
    const { requests, problems } = parseCalls(role, message(call), 10);
    expect(requests).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]!.callId).toBe('c0');
    expect(problems[0]!.text).toMatch(expected);
  });

  it('loses only the bad element of a list', () => {
    const { requests, problems } = parseCalls(
      'subagent',
      message(['search', { queries: [{ query: 'a' }, 7, { query: '' }] }]),
      5,
    );
    expect(requests).toHaveLength(1);
    expect(problems[0]!.text).toMatch(/"queries\[1\]".*"queries\[2\]"/);
  });

  it('replaces a count out of range by the default (R-31)', () => {
    const { requests } = parseCalls('single', message(['search', { query: 'a', count: 5000 }]), 1);
    expect(requests[0]).toMatchObject({ count: 3 });
  });

  it('never throws and never exceeds the limit, whatever the model writes', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<AgentRole>('lead', 'subagent', 'single'),
        fc.array(
          fc.tuple(
            fc.oneof(fc.constantFrom('search', 'access', 'create_sub_agents'), fc.string()),
            fc.oneof(fc.string(), fc.json()),
          ),
          { maxLength: 4 },
        ),
        fc.integer({ min: 1, max: 5 }),
        (role, calls, max) => {
          expect(parseCalls(role, message(...calls), max).requests.length).toBeLessThanOrEqual(max);
          expect(parseCallsReference(role, message(...calls), max).requests.length).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});

describe('parseCallsReference (spec 1.4)', () => {
  it('uses the first call only and cuts before it checks elements', () => {
    const first = { sub_agents: [{ prompt: '' }, { prompt: 'a' }, { prompt: 'b' }] };
    const parsed = parseCallsReference(
      'lead',
      message(['create_sub_agents', first], ['create_sub_agents', prompts(3)]),
      2,
    );
    expect(parsed).toEqual({ requests: [{ tool: 'delegate', callId: 'c0', prompt: 'a' }], problems: [] });
  });

  it('takes anything malformed as no call at all', () => {
    expect(parseCallsReference('lead', message(['create_sub_agents', 'oops']), 10)).toEqual({
      requests: [],
      problems: [],
    });
  });
});

describe('signature', () => {
  it('is equal for requests that ask the same in another spelling', () => {
    const search = (query: string) => signature({ tool: 'search', callId: 'x', query, count: 3 });
    expect(search('Capital  of CHAD')).toBe(search('capital of chad'));
    expect(search('capital of chad')).not.toBe(search('capital of mali'));
  });
});
