import { z } from 'zod';
import type { AgentRole, AssistantMessage, ToolCall } from './messages.ts';
import type { CallProblem, ToolRequest } from './requests.ts';

export type { ToolRequest };

export interface ParsedCalls {
  requests: ToolRequest[];
  problems: CallProblem[];
}

/** Longest subtask prompt, query and URL that we pass on: bounds the bytes of a turn in workflow history. */
export const MAX_PROMPT_CHARS = 4_000;
const MAX_QUERY_CHARS = 2_000;
/** A question back is one short one. */
const MAX_ASKED_CHARS = 500;

const count = z.coerce.number().int().min(1).max(9).catch(3).default(3);
const query = z.object({ query: z.string().trim().min(1).max(MAX_QUERY_CHARS), count });
const page = z.object({
  url: z.string().trim().min(1).max(MAX_QUERY_CHARS),
  info_to_extract: z.string().nullish(),
  page: z.coerce.number().int().min(1).catch(1).default(1),
});
const subtask = z.object({ prompt: z.string().trim().min(1).max(MAX_PROMPT_CHARS) });

type Reader = (args: unknown, callId: string) => { items: ToolRequest[]; bad: string[] };

/** Reads a list-valued argument element by element, so that one bad element costs only itself. */
const listOf = <T>(
  field: string,
  schema: z.ZodType<T>,
  make: (item: T, callId: string) => ToolRequest,
): Reader => {
  // Made once: zod compiles each schema at its first use, which costs a millisecond.
  const list = z.object({ [field]: z.array(z.unknown()).min(1) });
  return (args, callId) => {
    const outer = list.safeParse(args);
    if (!outer.success) return { items: [], bad: [`"${field}" must be a non-empty array of objects`] };
    const items: ToolRequest[] = [];
    const bad: string[] = [];
    (outer.data[field] ?? []).forEach((element, index) => {
      const parsed = schema.safeParse(element);
      if (parsed.success) items.push(make(parsed.data, callId));
      else bad.push(`"${field}[${index}]": ${firstIssue(parsed.error)}`);
    });
    return { items, bad };
  };
};

const scalar =
  <T>(schema: z.ZodType<T>, make: (item: T, callId: string) => ToolRequest): Reader =>
  (args, callId) => {
    const parsed = schema.safeParse(args);
    return parsed.success
      ? { items: [make(parsed.data, callId)], bad: [] }
      : { items: [], bad: [firstIssue(parsed.error)] };
  };

const toSearch = (item: z.infer<typeof query>, callId: string): ToolRequest => ({
  tool: 'search',
  callId,
  ...item,
});
const toAccess = (item: z.infer<typeof page>, callId: string): ToolRequest => ({
  tool: 'access',
  callId,
  url: item.url,
  intent: (item.info_to_extract ?? '').slice(0, MAX_QUERY_CHARS),
  page: item.page,
});

const READERS: Record<AgentRole, Record<string, Reader>> = {
  lead: {
    create_sub_agents: listOf('sub_agents', subtask, (item, callId) => ({
      tool: 'delegate',
      callId,
      ...item,
    })),
  },
  subagent: { search: listOf('queries', query, toSearch), access: listOf('urls', page, toAccess) },
  single: { search: scalar(query, toSearch), access: scalar(page, toAccess) },
};

/**
 * Reads the tool calls of one assistant message. Never throws. Every call is answered: by its requests, by a
 * problem, or both. More than `max` requests in a turn: the rest is dropped and reported. `mayAsk`: the
 * agent was offered `ask_person`.
 */
export function parseCalls(
  role: AgentRole,
  message: AssistantMessage,
  max: number,
  mayAsk = false,
): ParsedCalls {
  const requests: ToolRequest[] = [];
  const problems: CallProblem[] = [];
  for (const call of message.toolCalls ?? []) {
    const { items, bad } = mayAsk && call.name === 'ask_person' ? readAsk(call) : readCall(role, call);
    const room = Math.max(0, max - requests.length);
    requests.push(...items.slice(0, room));
    if (items.length > room)
      bad.push(`${items.length - room} of ${items.length} items were dropped: at most ${max} per turn`);
    if (bad.length > 0) problems.push({ callId: call.id, name: call.name, text: bad.join('; ') });
  }
  return { requests, problems };
}

const ask = scalar(
  z.object({
    question: z.string().trim().min(1).max(MAX_ASKED_CHARS),
    default: z.string().trim().min(1).max(MAX_ASKED_CHARS),
  }),
  (item, callId): ToolRequest => ({
    tool: 'clarify',
    callId,
    question: item.question,
    fallback: item.default,
  }),
);

const readAsk = (call: ToolCall): ReturnType<Reader> => ask(parseJson(call.arguments), call.id);

/** The published parser (spec 1.4): the first call only, silent truncation before the check of each element, no messages. */
export function parseCallsReference(role: AgentRole, message: AssistantMessage, max: number): ParsedCalls {
  const call = message.toolCalls?.[0];
  if (!call) return { requests: [], problems: [] };
  const cut = cutLists(parseJson(call.arguments), max);
  const { items } = readCall(role, { ...call, arguments: JSON.stringify(cut) });
  return { requests: items, problems: [] };
}

function readCall(role: AgentRole, call: ToolCall): { items: ToolRequest[]; bad: string[] } {
  const readers = READERS[role];
  const reader = Object.hasOwn(readers, call.name) ? readers[call.name] : undefined;
  if (!reader) {
    return {
      items: [],
      bad: [`there is no tool "${call.name.slice(0, 60)}"; you have: ${Object.keys(readers).join(', ')}`],
    };
  }
  const args = parseJson(call.arguments);
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { items: [], bad: ['the arguments are not a JSON object'] };
  }
  return reader(args, call.id);
}

function cutLists(args: unknown, max: number): unknown {
  if (typeof args !== 'object' || args === null) return args;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]: [string, unknown]) => [
      key,
      Array.isArray(value) ? (value as unknown[]).slice(0, max) : value,
    ]),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue ? `${issue.path.join('.') || 'arguments'}: ${issue.message}` : 'invalid';
}
