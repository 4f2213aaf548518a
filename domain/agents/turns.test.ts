import { expect, it } from 'vitest';
import type { ToolRequest } from './requests.ts';
import { addCalls, callsOf, noCalls } from './turns.ts';

const search: ToolRequest = { tool: 'search', callId: 'a', query: 'q', count: 3 };
const access: ToolRequest = { tool: 'access', callId: 'b', url: 'u', intent: '', page: 1 };

it('counts a turn once, whatever it called, and not at all where it called nothing', () => {
  expect(callsOf([search, search, access])).toEqual({ turns: 1, subtasks: 0, searches: 2, accesses: 1 });
  expect(callsOf([{ tool: 'delegate', callId: 'c', prompt: 'p' }])).toMatchObject({ turns: 1, subtasks: 1 });
  expect(callsOf([{ tool: 'clarify', callId: 'd', question: '?', fallback: 'x' }])).toEqual(noCalls());
  expect(callsOf([])).toEqual(noCalls());
  expect(addCalls(callsOf([search]), callsOf([search, access]))).toMatchObject({ turns: 2, searches: 2 });
});
