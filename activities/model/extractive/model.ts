import type { Encoder } from '../../search/port.ts';
import type { ChatModel, ModelRequest, ModelReply } from '../port.ts';
import { answerAlone } from './alone.ts';
import type { ChatContext } from './context.ts';
import { leadMove } from './lead.ts';
import { takeNotes } from './notes.ts';
import { remember } from './memory.ts';
import { createRanker } from './ranker.ts';
import { readTurn } from './read-tools.ts';
import { replyOf } from './reply.ts';
import type { Move } from './reply.ts';
import { stanceOf } from './role.ts';
import { subagentMove } from './subagent.ts';
import { taskOf } from './task-mode.ts';

const UNKNOWN_TURNS = 8;

/**
 * A rule-based stand-in for a language model: finds lists, reads pages and lifts values by the form of texts alone. It
 * keeps nothing between calls; the same request gives the same reply. With an encoder it also sees meaning.
 */
export function createExtractiveModel({ encoder }: { encoder: Encoder | null }): ChatModel {
  const ranker = createRanker(encoder);
  return {
    name: 'extractive',
    async complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
      signal.throwIfAborted();
      const { messages, tools, maxTokens } = request;
      const notes = takeNotes(messages, maxTokens);
      if (notes) return replyOf(notes, messages);
      const stance = stanceOf(tools);
      const hint = readTurn(messages);
      const memory = remember(messages);
      const left = hint ? hint.limit - hint.turn + 1 : UNKNOWN_TURNS;
      const budget = { turns: stance.role === 'answer' ? 1 : Math.max(1, left), width: stance.width };
      const context: ChatContext = { task: taskOf(messages), memory, budget, ranker, stance, maxTokens };
      return replyOf(await move(context), messages);
    },
  };
}

async function move(context: ChatContext): Promise<Move> {
  const { stance, task, memory } = context;
  if (stance.role === 'lead') return leadMove(context);
  if (stance.role === 'subagent') return subagentMove(context);
  if (stance.role === 'single') return answerAlone(context, false);
  if (task.subtask !== null) return subagentMove(context);
  return memory.reports.length > 0 || !usedTools(memory) ? leadMove(context) : answerAlone(context, false);
}

const usedTools = (memory: ChatContext['memory']): boolean =>
  memory.searches.length > 0 || memory.pages.length > 0;
