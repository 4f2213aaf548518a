import type { AgentRole, Message } from '../../../domain/agents/messages.ts';
import { openingMessages, turnHint } from '../../../domain/agents/prompts.ts';
import { detectLanguage } from '../../../domain/agents/text.ts';
import { toolsFor } from '../../../domain/agents/tools.ts';
import type { Encoder, Hit } from '../../search/port.ts';
import { createExtractiveModel } from './index.ts';

export interface FakePage {
  url: string;
  title: string;
  text: string;
}

/** Words and single Han characters; deliberately not the policy's own tokeniser. */
const tokens = (text: string): string[] =>
  (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? []
  ).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word));

/** A lexical search over whole pages (BM25, titles count double); the hit's text is the page's beginning. */
export function createFakeSearch(pages: readonly FakePage[]) {
  const documents = pages.map((page) => {
    const counts = new Map<string, number>();
    const all = [...tokens(page.title), ...tokens(page.title), ...tokens(page.text)];
    for (const token of all) counts.set(token, (counts.get(token) ?? 0) + 1);
    return { page, counts, length: all.length };
  });
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const frequency = new Map<string, number>();
  for (const { counts } of documents)
    for (const token of counts.keys()) frequency.set(token, (frequency.get(token) ?? 0) + 1);
  const byUrl = new Map(pages.map((page) => [page.url, page]));

  return {
    search(query: string, topK: number): Hit[] {
      const wanted = [...new Set(tokens(query))];
      return documents
        .map(({ page, counts, length }) => {
          const score = wanted.reduce((sum, token) => {
            const count = counts.get(token) ?? 0;
            const rarity = Math.log(1 + documents.length / (1 + (frequency.get(token) ?? 0)));
            return sum + (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / mean));
          }, 0);
          return { url: page.url, title: page.title, text: page.text.slice(0, 400), score };
        })
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || (a.url < b.url ? -1 : 1))
        .slice(0, topK);
    },
    access: (url: string): FakePage | null => byUrl.get(url) ?? null,
  };
}

export interface DriveOptions {
  question: string;
  search: ReturnType<typeof createFakeSearch>;
  encoder?: Encoder | null;
  workflow?: 'mas' | 'sa';
  answer?: 'auto' | 'table' | 'boxed';
  turns?: { lead?: number; subagent?: number; single?: number };
  /** Sees every message as it is appended. */
  watch?: (agent: string, message: Message) => void;
}

export interface Driven {
  answer: string;
  agents: number;
  modelCalls: number;
  searches: number;
  pagesRead: number;
}

/** Runs the policy in one process: lead, subagents and tools, without any workflow engine. */
export async function drive(options: DriveOptions): Promise<Driven> {
  const { question, search } = options;
  const model = createExtractiveModel({ encoder: options.encoder ?? null });
  const language = detectLanguage(question);
  const limits = { lead: 10, subagent: 20, single: 50, ...options.turns };
  const stats = { agents: 0, modelCalls: 0, searches: 0, pagesRead: 0 };

  async function agent(role: AgentRole, subtask: string | null, name: string): Promise<string> {
    stats.agents += 1;
    const turns = limits[role];
    const width = role === 'lead' ? 10 : role === 'subagent' ? 5 : 1;
    const tools = toolsFor(role, width, language);
    const opening = {
      role,
      language,
      question,
      subtask,
      answer: options.answer ?? ('auto' as const),
      today: null,
      width,
      turns,
    };
    const messages: Message[] = openingMessages(opening);
    for (let turn = 1; turn <= turns; turn += 1) {
      const last = turn === turns;
      const request = {
        messages: [...messages],
        tools: last ? [] : tools,
        maxTokens: 8000,
        temperature: 0,
        session: name,
      };
      const { message } = await model.complete(request, new AbortController().signal);
      stats.modelCalls += 1;
      messages.push(message);
      options.watch?.(name, message);
      const call = message.toolCalls?.[0];
      if (!call) return message.content;
      const input = JSON.parse(call.arguments) as Record<string, unknown>;
      const results = await perform(call.name, input, name, turn);
      const content = `${results.join('\n\n')}\n\n${turnHint(language, turn + 1, turns, turn + 1 === turns)}`;
      const result: Message = { role: 'tool', toolCallId: call.id, name: call.name, content };
      messages.push(result);
      options.watch?.(name, result);
    }
    throw new Error(`${name} did not answer on its last turn`);
  }

  async function perform(
    tool: string,
    input: Record<string, unknown>,
    name: string,
    turn: number,
  ): Promise<string[]> {
    if (tool === 'create_sub_agents') {
      const prompts = (input['sub_agents'] as { prompt: string }[]).map(({ prompt }) => prompt);
      const reports = await Promise.all(
        prompts.map((prompt, at) => agent('subagent', prompt, `${name}/${turn}.${at + 1}`)),
      );
      return reports.map(
        (report, at) => `### Subagent ${at + 1}: ok\nTask: ${prompts[at]}\nReport:\n${report}`,
      );
    }
    if (tool === 'search') {
      const queries = (input['queries'] ?? [input]) as { query: string; count?: number }[];
      return queries.map(({ query, count }) => {
        stats.searches += 1;
        const hits = search
          .search(query, count ?? 3)
          .map((hit, at) => `[Doc ${at + 1}](${hit.url}): ${hit.title}\n${hit.text}`);
        return [`### Search: ${query}`, hits.length === 0 ? 'No results.' : hits.join('\n\n')].join('\n');
      });
    }
    const urls = (input['urls'] ?? [input]) as { url: string }[];
    return urls.map(({ url }) => {
      stats.pagesRead += 1;
      const page = search.access(url);
      return page
        ? `### Page: ${url}\nTitle: ${page.title}\n<<<\n${page.text}\n>>>`
        : `### Page: ${url}\nError: this page cannot be read (not_found). Use another URL.`;
    });
  }

  const answer = await agent(options.workflow === 'sa' ? 'single' : 'lead', null, 'main');
  return { answer, ...stats };
}
