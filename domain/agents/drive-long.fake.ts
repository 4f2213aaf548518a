import { chunkPage, printChunk } from './chunks.ts';
import { composeMessages } from './compose.ts';
import { agentsSchema, type AgentsConfig, limitsFor } from './limits.ts';
import { earlierResult, noteResults } from './long.ts';
import type { AssistantMessage, Language, Message } from './messages.ts';
import { fallbackAnswer, outcomeOf } from './outcome.ts';
import type { ToolResult } from './plan.ts';
import type { AgentProfile } from './profile.ts';
import { agentOf } from './registry.ts';
import { remarkIn } from './remarks.ts';
import type { ToolRequest } from './requests.ts';
import { afterTools, begin, step } from './step.ts';
import type { StopReason } from '../run.ts';

export interface FakeTurn {
  messages: Message[];
  tools: string[];
  turn: number;
}
export interface Driven {
  reason: StopReason;
  answer: string | null;
  turns: number;
  /** Searches and pages that were really fetched. */
  fetched: string[];
  prompts: FakeTurn[];
  stored: Message[];
}

export interface DriveOptions {
  agents: Parameters<typeof agentsSchema.parse>[0];
  answer?: 'auto' | 'table' | 'boxed';
  language?: Language;
  question?: string;
  /** An agent that is not in the registry; limits and rules are those of `agents`. */
  profile?: AgentProfile;
  reply: (turn: FakeTurn) => AssistantMessage;
  /** Default: two hits whose URLs carry the query. */
  search?: (query: string) => { url: string; title: string; text: string }[];
  page?: (url: string) => string | null;
}

export const say = (content: string): AssistantMessage => ({ role: 'assistant', content });
export const call = (name: string, args: Record<string, unknown>, content = ''): AssistantMessage => ({
  role: 'assistant',
  content,
  toolCalls: [{ id: `c-${JSON.stringify(args).length}`, name, arguments: JSON.stringify(args) }],
});

/** The loop of `workflows/agent.ts` with its effects in memory, for the laws of long-horizon agents. */
export function driveLong(options: DriveOptions): Driven {
  const { answer = 'auto', language = 'en', question = 'Where is the summit?' } = options;
  const agents: AgentsConfig = agentsSchema.parse(options.agents);
  const limits = limitsFor('single', agents);
  const { rules } = limits;
  if (!rules) throw new Error(`${agents.workflow} has no rules`);
  const profile = options.profile ?? agentOf(agents.workflow);
  const text = { language, question, answer, today: '2026-01-02' };
  const stored = profile.opening({ ...text, role: 'single', subtask: null, width: 1, turns: limits.turns });
  let state = begin('single', limits, agents.profile);
  let answered: string | null = null;
  const fetched: string[] = [];
  const prompts: FakeTurn[] = [];

  const fetchOne = (request: ToolRequest): ToolResult & { body: string } => {
    if (request.tool === 'search') {
      fetched.push(`search ${request.query}`);
      const hits = options.search?.(request.query) ?? [
        {
          url: `https://e.example/${request.query.replaceAll(' ', '-')}`,
          title: request.query,
          text: 'A passage.',
        },
      ];
      const lines = hits.map((hit, i) => `[Doc ${i + 1}](${hit.url}): ${hit.title}\n${hit.text}`);
      const body = [`### Search: ${request.query}`, ...lines].join('\n');
      const part = { kind: 'text', text: body } as const;
      return { status: hits.length > 0 ? 'ok' : 'empty', part, body, pages: hits.map((hit) => hit.url) };
    }
    if (request.tool !== 'access') throw new Error('no delegation here');
    fetched.push(`access ${request.url}`);
    const page = options.page ? options.page(request.url) : `Text of ${request.url}`;
    if (page === null) return { status: 'unreadable', part: { kind: 'text', text: 'Error' }, body: 'Error' };
    const parts = chunkPage(page, rules.chunk).length;
    const part = { kind: 'chunk', url: request.url, title: 'T', ref: page, part: 1, parts } as const;
    return { status: 'ok', part, body: '', pages: [request.url] };
  };
  const print = (part: ToolResult['part']): string => {
    if (part.kind === 'text') return remarkIn(part.text, language);
    if (part.kind !== 'chunk') return '';
    return printChunk(
      part.url,
      part.title,
      chunkPage(part.ref, rules.chunk)[part.part - 1]!,
      part.part,
      part.parts,
    );
  };

  for (let inbox: Parameters<typeof composeMessages>[0] = []; ;) {
    const turn = state.turn + 1;
    const reading = state.long!.reading;
    const mustAnswer = state.lastTurn !== null;
    if (turn > 1) {
      const hint = { language, turn, turns: limits.turns, last: mustAnswer, reading };
      stored.push(...composeMessages(inbox, hint, 1_000_000));
    }
    const tools =
      reading || mustAnswer ? [] : profile.tools('single', limits.requests, language).map(({ name }) => name);
    const messages = profile.view(stored, {
      ...{ ...text, turn, turns: limits.turns, reading, mustAnswer, rules, phase: state.long!.phase },
      budget: limits.contextTokens - limits.replyTokens,
    });
    prompts.push({ messages, tools, turn });
    const reply = options.reply(prompts.at(-1)!);
    const outcome = outcomeOf(reply, {
      ...{ role: 'single', turn, max: limits.requests, tools, reading, mustAnswer, answer, topK: rules.topK },
    });
    stored.push(outcome.message);
    answered = outcome.text ?? answered;
    const facts = { ...outcome, truncated: false, contextTokens: 100, generated: reply.content.length };
    const next = step(state, facts, limits, agents.profile);
    state = next.state;
    const { decision } = next;
    if (decision.do === 'stop') {
      const own = decision.reason === 'answered' || state.lastTurn === decision.reason ? answered : null;
      const published = agents.profile === 'reference';
      const last = own ?? fallbackAnswer(stored, answer, { forced: state.lastTurn !== null, published });
      return { reason: decision.reason, answer: last, turns: state.turn, fetched, prompts, stored };
    }
    const problems = 'problems' in decision ? decision.problems : [];
    const corrections: typeof inbox = problems.map((problem) =>
      problem.callId === null
        ? { role: 'user', text: remarkIn(problem.text, language) }
        : {
            role: 'tool',
            callId: problem.callId,
            name: problem.name,
            parts: [{ fixed: problem.text, body: '' }],
          },
    );
    if (decision.do === 'correct') {
      inbox = corrections;
    } else if (decision.do === 'read') {
      inbox = decision.part ? [{ role: 'user', text: print(decision.part) }] : [];
    } else {
      const results = decision.requests.map(
        (request) => earlierResult(state, request, limits) ?? fetchOne(request),
      );
      inbox = decision.requests.map((request, i) => ({
        role: 'tool' as const,
        callId: request.callId,
        name: request.tool,
        parts: [
          { fixed: [results[i]!.note ?? '', print(results[i]!.part)].filter(Boolean).join('\n'), body: '' },
        ],
      }));
      inbox = [...inbox, ...corrections];
      state = afterTools(noteResults(state, decision.requests, results, limits), false, limits).state;
    }
  }
}
