import type { SearchProvider } from '../../activities/search/port.ts';
import type { Behaviour, FakeRequest } from './fake-openai.ts';

/** A page of three parts for each number: the long road's only scenery. */
export const roadSearch: SearchProvider = {
  name: 'road',
  search: async (query) => [
    {
      url: `https://road.example/${/\d+/.exec(query)?.[0] ?? 0}`,
      title: `Milestone of ${query}`,
      text: `Near ${query}.`,
    },
  ],
  access: async (url) => ({
    url,
    title: `Page of ${url}`,
    text: Array.from({ length: 60 }, (_, i) => `Stone ${i} of ${url}: ${'granite '.repeat(12)}`).join('\n'),
  }),
};

export const ROAD_ANSWER = 'the far end';
/** Tokens that each reply claims; 128 turns of it pass 400,000. */
export const ROAD_TOKENS = 3_300;
/** Prompt tokens of the answer to request `n`: every answer is told apart by its usage. */
export const roadPromptTokens = (n: number): number => 9_000 + n;

/**
 * A model on a long road: thinks 12,000 characters a turn, searches something new or opens a page, writes notes on
 * every part, and answers only when it is told to for the second time, in turn 128. Decides by the prompt alone, so any request may be repeated.
 */
export function longRoad(request: FakeRequest, n: number): Behaviour {
  const prompt = request.messages.at(-1)?.content ?? '';
  const turn = Number(/\[Turn (\d+) of \d+[^\]]*\]$/.exec(prompt)?.[1] ?? 0);
  const usage = { prompt_tokens: roadPromptTokens(n), completion_tokens: ROAD_TOKENS };
  const thought = `turn ${turn}: ${'consider '.repeat(1_330)}`;
  const reply = { kind: 'reply', usage, delayMs: 20 } as const;
  if (/: reading\. [^\]]*\]$/.test(prompt))
    return {
      ...reply,
      content: `Noted in turn ${turn}: ${/Stone \d+ of \S+/.exec(prompt)?.[0] ?? 'nothing'}`,
      reasoning: thought,
    };
  // The first time it has to answer it talks on, so that it needs its second chance.
  if (!request.tools?.length && turn < 128)
    return { ...reply, content: 'The road goes on.', reasoning: thought };
  if (!request.tools?.length)
    return { ...reply, content: `<answer>${ROAD_ANSWER}</answer>`, reasoning: thought };
  const call =
    turn % 3 === 0
      ? { name: 'access', arguments: { url: `https://road.example/${turn}`, info_to_extract: 'the way' } }
      : { name: 'search', arguments: { query: `stone ${turn}` } };
  return { ...reply, content: `Turn ${turn}.`, reasoning: thought, calls: [call] };
}
