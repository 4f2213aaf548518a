import type { ChatModel, ModelReply, ModelRequest } from '../../activities/model/port.ts';
import type { Page, SearchProvider } from '../../activities/search/port.ts';

/** A tiny world with a competent team for it: `clubs(n)` have a page each with coach and stadium. */
export const clubName = (index: number): string => `Club${index}`;

export const clubPages = (count: number): Page[] =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://clubs.example/${clubName(index)}`,
    title: `${clubName(index)} FC`,
    text: `${clubName(index)} FC is a club.\nCoach: Coach ${index}son\nStadium: Park ${index} Arena`,
  }));

/** Finds a page by the exact name of its club. Counts what it was asked. */
export function clubSearch(count: number): SearchProvider & { queries: string[] } {
  const pages = new Map(clubPages(count).map((page) => [page.title.split(' ')[0]!, page]));
  const queries: string[] = [];
  return {
    name: 'clubs',
    queries,
    search: async (query) => {
      queries.push(query);
      const page = pages.get(query);
      return page ? [{ url: page.url, title: page.title, text: page.text }] : [];
    },
    access: async (url) => pages.get(url.split('/').at(-1)!) ?? { url, unreadable: 'not_found' },
  };
}

export const reply = (message: ModelReply['message'], completionTokens = 20): ModelReply => ({
  message,
  finishReason: message.toolCalls ? 'tool_calls' : 'stop',
  usage: { promptTokens: 100, completionTokens },
});
export const say = (content: string): ModelReply => reply({ role: 'assistant', content });
export const call = (name: string, args: unknown, id = `c-${name}`): ModelReply =>
  reply({ role: 'assistant', content: '', toolCalls: [{ id, name, arguments: JSON.stringify(args) }] });

const isLead = (request: ModelRequest): boolean => !request.messages[1]!.content.includes('## Your subtask');
export const turnsTaken = (request: ModelRequest): number =>
  request.messages.filter((message) => message.role === 'assistant').length;

export interface ClubModelOptions {
  clubs: number;
  /** Subagents a lead turn starts; each gets one club. */
  perTurn?: number;
  /** Replaces the model's behaviour where it returns something. */
  override?: (request: ModelRequest, signal: AbortSignal, lead: boolean) => Promise<ModelReply> | undefined;
}

/**
 * A stateless lead and its subagents: the lead delegates `perTurn` clubs a turn and submits the merged table at the
 * end; a subagent searches, reads and reports a table of one row.
 */
export function clubModel({
  clubs,
  perTurn = 10,
  override,
}: ClubModelOptions): ChatModel & { calls: ModelRequest[] } {
  const calls: ModelRequest[] = [];
  const lead = (request: ModelRequest): ModelReply => {
    const first = turnsTaken(request) * perTurn;
    if (first >= clubs || request.tools.length === 0) return say('<merged_table/>');
    const names = Array.from({ length: Math.min(perTurn, clubs - first) }, (_, i) => clubName(first + i));
    return call('create_sub_agents', {
      sub_agents: names.map((name) => ({ prompt: `Coach and stadium of ${name} FC` })),
    });
  };
  const subagent = (request: ModelRequest): ModelReply => {
    const name = /of (\w+) FC/.exec(request.messages[1]!.content)![1]!;
    const turns = turnsTaken(request);
    if (turns === 0) return call('search', { queries: [{ query: name }] });
    if (turns === 1)
      return call('access', { urls: [{ url: `https://clubs.example/${name}`, info_to_extract: 'coach' }] });
    const page = request.messages.at(-1)!.content;
    const field = (label: string): string => new RegExp(`${label}: (.*)`).exec(page)?.[1] ?? '';
    return say(
      `| club | coach | stadium |\n|---|---|---|\n| ${name} FC | ${field('Coach')} | ${field('Stadium')} |`,
    );
  };
  return {
    name: 'clubs',
    calls,
    complete: async (request, signal) => {
      calls.push(request);
      return (
        (await override?.(request, signal, isLead(request))) ??
        (isLead(request) ? lead(request) : subagent(request))
      );
    },
  };
}

/** Never answers; ends only when it is cancelled. */
export const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
