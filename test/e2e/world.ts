import type { Page, SearchProvider } from '../../activities/search/port.ts';
import { type Behaviour, calls, type FakeRequest } from '../support/fake-openai.ts';

/** Ten clubs. Coach and ground of each stand on a page of their own, so that every agent has work and pages of its own. */
export const CLUBS = ['Alba', 'Borea', 'Corvo', 'Delta', 'Elster', 'Falke', 'Grind', 'Havel', 'Iris', 'Jura'];
const coachPage = (club: string): Page => ({
  url: `https://clubs.example/${club}`,
  title: `${club} FC`,
  text: `${club} FC plays in the northern league.\nCoach: Pat ${club}son`,
});
const groundPage = (club: string): Page => ({
  url: `https://clubs.example/${club}/ground`,
  title: `${club} FC`,
  text: `${club} FC plays at home in the north.\nStadium: Park ${club}field`,
});
const PAGES = new Map(
  CLUBS.flatMap((club) => [
    [`${club} FC`, coachPage(club)],
    [`${club} FC ground`, groundPage(club)],
  ]),
);

/** Finds one page by the exact query that belongs to it. */
export const clubSearch: SearchProvider = {
  name: 'clubs',
  search: async (query) => [PAGES.get(query)].filter((page) => page !== undefined),
  access: async (url) =>
    [...PAGES.values()].find((page) => page.url === url) ?? { url, unreadable: 'not_found' },
};

/** The table that a run without any trouble ends with. */
export const TABLE = {
  columns: ['club', 'coach', 'stadium'],
  rows: CLUBS.map((club) => [`${club} FC`, `Pat ${club}son`, `Park ${club}field`]),
};
/** The lead's two turns and five of each subagent. */
export const TURNS = 2 + 5 * CLUBS.length;

/** Prompt tokens of the answer to request `n`: every answer is told apart by its usage. */
export const promptTokensOf = (n: number): number => 1_000 + n;
export const COMPLETION_TOKENS = 7;

/**
 * A lead that delegates one club to each of ten subagents and submits the merged table; subagents that search and
 * read twice and report. Decides by the conversation alone, so any request may be repeated.
 */
export function clubTeam(request: FakeRequest, n: number): Behaviour {
  const behaviour = decide(request);
  if (behaviour.kind !== 'reply') return behaviour;
  const usage = { prompt_tokens: promptTokensOf(n), completion_tokens: COMPLETION_TOKENS };
  return { ...behaviour, usage, delayMs: 100 + ((n * 37) % 100) };
}

const text = (request: FakeRequest, index: number): string => request.messages.at(index)?.content ?? '';
export const isLead = (request: FakeRequest): boolean => !text(request, 1).includes('## Your subtask');
/** The club that a subagent was asked about. */
export const clubOf = (request: FakeRequest): string =>
  /stadium of (\w+) FC/.exec(text(request, 1))?.[1] ?? 'nobody';
export const turnsTaken = (request: FakeRequest): number =>
  request.messages.filter(({ role }) => role === 'assistant').length;

/** The same team without delays, for the first `clubs` clubs. */
export function decide(request: FakeRequest, clubs = CLUBS.length): Behaviour {
  const turn = turnsTaken(request);
  if (isLead(request)) {
    if (turn > 0) return { kind: 'reply', content: '<merged_table/>' };
    const sub_agents = CLUBS.slice(0, clubs).map((club) => ({ prompt: `Coach and stadium of ${club} FC` }));
    return calls({ name: 'create_sub_agents', arguments: { sub_agents } });
  }
  const club = clubOf(request);
  const search = (query: string): Behaviour => calls({ name: 'search', arguments: { queries: [{ query }] } });
  const access = (url: string): Behaviour =>
    calls({ name: 'access', arguments: { urls: [{ url, info_to_extract: 'facts' }] } });
  if (turn === 0) return search(`${club} FC`);
  if (turn === 1) return access(coachPage(club).url);
  if (turn === 2) return search(`${club} FC ground`);
  if (turn === 3) return access(groundPage(club).url);
  const read = request.messages.map((message) => message.content ?? '').join('\n');
  const field = (label: string): string => new RegExp(`^${label}: (.*)$`, 'm').exec(read)?.[1] ?? '';
  return {
    kind: 'reply',
    content: `| club | coach | stadium |\n|---|---|---|\n| ${club} FC | ${field('Coach')} | ${field('Stadium')} |`,
  };
}
