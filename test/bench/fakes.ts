import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatModel, ModelReply, ModelRequest } from '../../activities/model/port.ts';
import type { SearchProvider } from '../../activities/search/port.ts';
import { readTask } from '../../domain/agents/task.ts';
import { hitsOf, leadMove, type Move, pageText, readQuery, readUrl, subagentMove } from './script.ts';
import { type Counts, type Work, workOf } from './workload.ts';

/** Waits as a provider would; nothing at all for 0, where a timer would cost a millisecond. */
export const wait = (ms: number): Promise<unknown> => (ms > 0 ? sleep(ms) : Promise.resolve());

/** A model that acts out the workload in the question, in the workload's time. Counts its calls. */
export const createBenchModel = (counts: Counts): ChatModel => ({
  name: 'bench',
  complete: async (request) => {
    counts.model += 1;
    const { work, move } = nextMove(request);
    await wait(work.modelMs);
    return replyOf(move, request.messages.length);
  },
});

function nextMove({ messages }: ModelRequest): { work: Work; move: Move } {
  const task = readTask(messages);
  if (!task) throw new Error('the conversation has no task');
  const work = workOf(task.question);
  const turn = messages.filter((message) => message.role === 'assistant').length;
  return {
    work,
    move: task.subtask === null ? leadMove(work, turn) : subagentMove(work, task.subtask, turn),
  };
}

function replyOf(move: Move, length: number): ModelReply {
  const usage = { promptTokens: 100 * length, completionTokens: 50 };
  if ('text' in move)
    return { message: { role: 'assistant', content: move.text }, finishReason: 'stop', usage };
  const call = { id: `call-${length}`, name: move.tool, arguments: JSON.stringify(move.args) };
  return {
    message: { role: 'assistant', content: '', toolCalls: [call] },
    finishReason: 'tool_calls',
    usage,
  };
}

/** Search and pages about the items of a workload, in the time that query or URL names. Counts its calls. */
export const createBenchSearch = (counts: Counts): SearchProvider => ({
  name: 'bench',
  search: async (query, topK) => {
    counts.tool += 1;
    const { item, part, toolMs } = readQuery(query);
    await wait(toolMs);
    return hitsOf(item, part, toolMs, topK);
  },
  access: async (url) => {
    counts.tool += 1;
    const { item, part, toolMs } = readUrl(url);
    await wait(toolMs);
    return { url, title: `${item} ${part}`, text: pageText(item, part) };
  },
});
