import {
  composeMessages,
  type LoadedAppend,
  mergedNote,
  reportHeading,
} from '../../domain/agents/compose.ts';
import { chunkPage, printChunk } from '../../domain/agents/chunks.ts';
import type { Language, Message, ToolSchema } from '../../domain/agents/messages.ts';
import type { Append, Part, TurnInput } from '../../domain/agents/plan.ts';
import { agentOf } from '../../domain/agents/registry.ts';
import { askTool } from '../../domain/agents/tools.ts';
import { remarkIn } from '../../domain/agents/remarks.ts';
import type { AgentRules } from '../../domain/agents/rules.ts';
import { type PromptStyle, TERSE_NOTHING, terseNote, terseReportHeading } from '../../domain/agents/terse.ts';
import { cutToTokens, estimateTokens, neutralise } from '../../domain/agents/text.ts';
import { sizeOfMessage } from '../../domain/agents/transcript.ts';
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
  /** The messages continue those of the last turn; else this prompt was written anew. */
  grows: boolean;
  /** Estimated size of messages and tools. */
  promptTokens: number;
}

/** Share of the window, beyond the reply, that new results may take where the past is fitted to what is left. */
const FRESH_SHARE = 0.6;

interface Loading {
  style: PromptStyle;
  language: Language;
  rules: AgentRules | null;
  /** Tokens that new results may take together. */
  room: number;
}

/** Writes the messages of the coming turn into the stored conversation and says what the model is to see of it. */
export function createConversation(store: Store) {
  async function prepare(input: TurnInput, plan: PlanDocument): Promise<Prepared> {
    const { limits, role, language, turn, mustAnswer } = input;
    const profile = agentOf(plan.config.agents.workflow);
    const { rules = null } = limits;
    const { reading = false, phase = 'answer' } = input.long ?? {};
    const { question, answer, today } = plan;
    const style = rules ? 'standard' : plan.config.agents.prompts;
    const past =
      input.head === null
        ? profile.opening({
            ...{ role, language, question, answer, today, style },
            subtask: input.subtask,
            width: limits.requests,
            turns: limits.turns,
          })
        : await store.conversations.read(input.head);
    const asking = input.mayAsk && !limits.rules ? [askTool(language)] : [];
    const tools = mustAnswer || reading ? [] : [...profile.tools(role, limits.requests, language), ...asking];
    const toolTokens = tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools));
    const reserve = Math.min(limits.replyTokens, Math.floor(limits.contextTokens / 2));
    const budget = limits.contextTokens - toolTokens - reserve;

    const fresh: Message[] = [];
    if (input.head !== null) {
      const before = toolTokens + sizeOf(past);
      const room = rules?.fitted
        ? Math.floor(budget * FRESH_SHARE)
        : limits.contextTokens - before - Math.min(reserve, Math.floor((limits.contextTokens - before) / 2));
      const context = { style, language, rules, room };
      const loaded = await Promise.all(input.append.map((append) => loadAppend(append, context)));
      const hint = { language, turn, turns: limits.turns, last: mustAnswer, style, reading };
      fresh.push(...composeMessages(loaded, hint, room));
    }
    const head = await store.conversations.append(input.head, input.head === null ? past : fresh);
    const messages = profile.view([...past, ...fresh], {
      ...{ language, question, answer, today, turn, reading, mustAnswer, phase, rules, budget },
      turns: limits.turns,
    });
    const grows = input.head !== null && past.every((message, index) => messages[index] === message);
    return { head, messages, tools, grows, promptTokens: toolTokens + sizeOf(messages) };
  }

  async function loadAppend(append: Append, context: Loading): Promise<LoadedAppend> {
    const terse = context.style === 'terse';
    if (append.role === 'user') {
      const text = remarkIn(terse ? terseNote(append.text) : append.text, context.language);
      if (!append.part) return { role: 'user', text };
      const { body } = await loadPart(append.part, context);
      return { role: 'user', text: [text, cutToTokens(body, context.room)].filter(Boolean).join('\n\n') };
    }
    const load = terse ? loadTersePart : loadPart;
    return { ...append, parts: await Promise.all(append.parts.map((part) => load(part, context))) };
  }

  async function loadTersePart(part: Part, context: Loading): Promise<{ fixed: string; body: string }> {
    if (part.kind === 'text') return { fixed: terseNote(part.text), body: '' };
    if (part.kind !== 'report') return loadPart(part, context);
    const { outcome, reportRef } = part.report;
    const body = reportRef ? neutralise(await store.get(reportRef)) : TERSE_NOTHING;
    return { fixed: terseReportHeading(outcome), body };
  }

  async function loadPart(part: Part, context: Loading): Promise<{ fixed: string; body: string }> {
    if (part.kind === 'text') return { fixed: remarkIn(part.text, context.language), body: '' };
    if (part.kind === 'chunk') return { fixed: '', body: await loadChunk(part, context) };
    if (part.kind === 'stored') return { fixed: '', body: await store.get(part.ref) };
    if (part.kind === 'merged') return { fixed: mergedNote(part.columns, part.rows), body: '' };
    const { report } = part;
    const fixed =
      reportHeading(part.n, report.outcome, part.prompt) + (report.note ? `\n(${report.note})` : '');
    // A report repeats what pages say.
    return { fixed, body: report.reportRef ? neutralise(await store.get(report.reportRef)) : 'No report.' };
  }

  async function loadChunk(
    { url, title, ref, part, parts }: Extract<Part, { kind: 'chunk' }>,
    { rules }: Loading,
  ): Promise<string> {
    const text = await store.get(ref);
    const shown = rules ? (chunkPage(text, rules.chunk)[part - 1] ?? '') : text;
    return printChunk(url, title, shown, part, parts);
  }

  return { prepare };
}

/** Estimated tokens of one message, its calls and the template around it included. */
export const messageTokens = sizeOfMessage;

const sizeOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + sizeOfMessage(message), 0);
