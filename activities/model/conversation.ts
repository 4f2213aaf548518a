import {
  composeMessages,
  type LoadedAppend,
  mergedNote,
  reportHeading,
} from '../../domain/agents/compose.ts';
import type { Message, ToolSchema } from '../../domain/agents/messages.ts';
import type { Append, Part, TurnInput } from '../../domain/agents/plan.ts';
import { openingMessages } from '../../domain/agents/prompts.ts';
import { type PromptStyle, TERSE_NOTHING, terseNote, terseReportHeading } from '../../domain/agents/terse.ts';
import { estimateTokens } from '../../domain/agents/text.ts';
import { toolsFor } from '../../domain/agents/tools.ts';
import type { PlanDocument } from '../run/plan.ts';
import type { Store } from '../store/port.ts';

/** What one model call is made of. */
export interface Prepared {
  /** The stored conversation, this turn's messages included. */
  head: string;
  /** What the model sees. */
  messages: Message[];
  /** Empty: the model must answer in text. */
  tools: ToolSchema[];
  /** Estimated size of messages and tools. */
  promptTokens: number;
}

/** Writes the messages of the coming turn into the stored conversation and says what the model is to see of it. */
export function createConversation(store: Store) {
  async function prepare(input: TurnInput, plan: PlanDocument): Promise<Prepared> {
    const { limits, role, language, turn } = input;
    const past =
      input.head === null
        ? openingMessages({
            role,
            language,
            question: plan.question,
            subtask: input.subtask,
            answer: plan.answer,
            today: plan.today,
            width: limits.requests,
            turns: limits.turns,
            style: plan.config.agents.prompts,
          })
        : await store.conversations.read(input.head);
    const tools = input.mustAnswer ? [] : toolsFor(role, limits.requests, language);
    const toolTokens = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
    const before = toolTokens + past.reduce((sum, message) => sum + messageTokens(message), 0);
    if (input.head === null) {
      const head = await store.conversations.append(null, past);
      return { head, messages: past, tools, promptTokens: before };
    }

    const reserve = Math.min(limits.replyTokens, Math.floor((limits.contextTokens - before) / 2));
    const style = plan.config.agents.prompts;
    const loaded = await Promise.all(input.append.map((append) => loadAppend(append, style)));
    const hint = { language, turn, turns: limits.turns, last: input.mustAnswer, style };
    const fresh = composeMessages(loaded, hint, limits.contextTokens - before - reserve);
    const head = await store.conversations.append(input.head, fresh);
    return {
      head,
      messages: [...past, ...fresh],
      tools,
      promptTokens: before + fresh.reduce((sum, message) => sum + messageTokens(message), 0),
    };
  }

  async function loadAppend(append: Append, style: PromptStyle): Promise<LoadedAppend> {
    const terse = style === 'terse';
    if (append.role === 'user') return terse ? { ...append, text: terseNote(append.text) } : append;
    const load = terse ? loadTersePart : loadPart;
    return { ...append, parts: await Promise.all(append.parts.map(load)) };
  }

  async function loadTersePart(part: Part): Promise<{ fixed: string; body: string }> {
    if (part.kind === 'text') return { fixed: terseNote(part.text), body: '' };
    if (part.kind !== 'report') return loadPart(part);
    const { outcome, reportRef } = part.report;
    const body = reportRef ? await store.get(reportRef) : TERSE_NOTHING;
    return { fixed: terseReportHeading(outcome), body };
  }

  async function loadPart(part: Part): Promise<{ fixed: string; body: string }> {
    if (part.kind === 'text') return { fixed: part.text, body: '' };
    if (part.kind === 'stored') return { fixed: '', body: await store.get(part.ref) };
    if (part.kind === 'merged') return { fixed: mergedNote(part.columns, part.rows), body: '' };
    const { report } = part;
    const fixed =
      reportHeading(part.n, report.outcome, part.prompt) + (report.note ? `\n(${report.note})` : '');
    return { fixed, body: report.reportRef ? await store.get(report.reportRef) : 'No report.' };
  }

  return { prepare };
}

/** Estimated tokens of one message, its calls and the template around it included. */
export function messageTokens(message: Message): number {
  const calls = message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : '';
  return estimateTokens(message.content) + estimateTokens(calls) + 6;
}
