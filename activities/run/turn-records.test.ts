import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Message } from '../../domain/agents/messages.ts';
import { noCalls } from '../../domain/agents/turns.ts';
import type { AgentTurns } from '../../domain/run.ts';
import { turnKey } from '../model/turn-key.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { readTurns } from './turn-records.ts';

let store: Store;
beforeEach(async () => void (store = await openStore('sqlite::memory:')));
afterEach(() => store.close());

const call = (name: string, args: unknown): Message => ({
  ...{ role: 'assistant', content: '', reasoning: 'hm' },
  toolCalls: [{ id: 'c', name, arguments: JSON.stringify(args) }],
});
const say = (content: string): Message => ({ role: 'assistant', content });
const told: Message = { role: 'tool', toolCallId: 'c', name: 'x', content: 'result' };

/** Stores a conversation as `takeTurn` does, its calls in the journal. */
async function agentOf(role: AgentTurns['role'], agentId: string, startedIn: number, replies: Message[]) {
  let head = await store.conversations.append(null, [{ role: 'user', content: `task of ${agentId}` }]);
  for (const [index, reply] of replies.entries()) {
    const mustAnswer = index === 2;
    const usage = { promptTokens: 100 * (index + 1), completionTokens: index + 1 };
    await store.journal.record(turnKey(agentId, index + 1, head, mustAnswer), 'run', {
      message: reply,
      usage,
    });
    head = await store.conversations.append(head, [reply]);
    if (index < replies.length - 1) head = await store.conversations.append(head, [told]);
  }
  return { agentId, role, startedIn, turns: replies.length, head, calls: noCalls() };
}

it('lists a turn of the lead, then all turns of those it started, with what they cost and called', async () => {
  const delegate = call('create_sub_agents', { sub_agents: [{ prompt: 'a' }, { prompt: 'b' }] });
  const agents = [
    await agentOf('subagent', 's1', 1, [call('search', { queries: [{ query: 'q' }] }), say('one')]),
    await agentOf('subagent', 's2', 1, [say('two')]),
    await agentOf('subagent', 's3', 2, [say('three')]),
    await agentOf('lead', 'lead', 0, [delegate, delegate, say('answer')]),
  ];
  const turns = await readTurns(agents, store);
  expect(turns.map(({ role, is_end }) => `${role}${is_end ? '.' : ''}`)).toEqual([
    'planner',
    'worker',
    'worker.',
    'worker.',
    'planner',
    'worker.',
    'planner.',
  ]);
  expect(turns.map(({ prompt_ids_length }) => prompt_ids_length)).toEqual([
    100, 100, 200, 100, 200, 100, 300,
  ]);
  expect(turns.map(({ response_ids_length }) => response_ids_length)).toEqual([1, 1, 2, 1, 2, 1, 3]);
  expect(turns[0]).toMatchObject({
    prompt_text: null,
    response_text: expect.stringMatching(/^<think>\nhm\n<\/think>\n\n<tool_call>\n.*create_sub_agents/),
    tool_call_info: { subtask: 2, search: 0, access: 0, role: 'planner' },
  });
  expect(turns[1]?.tool_call_info).toEqual({ subtask: 0, search: 1, access: 0, role: 'worker' });
  expect(turns.at(-1)).toMatchObject({ response_text: 'answer', tool_call_info: null });
});

it('knows no token counts of calls that the journal has lost, and no turns of a lost conversation', async () => {
  const agent = await agentOf('single', 'alone', 0, [say('answer')]);
  const [turn] = await readTurns([{ ...agent, agentId: 'another' }], store);
  expect(turn).toMatchObject({ prompt_ids_length: null, response_ids_length: null, is_end: true });
  await expect(readTurns([{ ...agent, head: 'gone' }], store)).rejects.toMatchObject({ type: 'NotFound' });
});
