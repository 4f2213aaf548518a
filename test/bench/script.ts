import type { Hit } from '../../activities/search/port.ts';
import type { Work } from './workload.ts';

/** What an agent says in one turn: calls of one tool, or its final text. */
export type Move =
  | { tool: 'create_sub_agents'; args: { sub_agents: { prompt: string }[] } }
  | { tool: 'search'; args: { queries: { query: string }[] } }
  | { tool: 'access'; args: { urls: { url: string; info_to_extract: string }[] } }
  | { text: string };

/** The lead delegates `width` new items a turn and submits the merged table at the end. `turn` counts from 0. */
export const leadMove = ({ fanouts, width, salt }: Work, turn: number): Move =>
  turn >= fanouts
    ? { text: 'All reports are in. <merged_table/>' }
    : {
        tool: 'create_sub_agents',
        args: {
          sub_agents: Array.from({ length: width }, (_, index) => ({
            prompt: `Report both facts of item ${salt}-${turn * width + index} as a table`,
          })),
        },
      };

const itemOf = (subtask: string): string => {
  const item = /item (\S+)/.exec(subtask)?.[1];
  if (!item) throw new Error(`not a subtask of the benchmark: ${subtask.slice(0, 80)}`);
  return item;
};

/**
 * A subagent searches and reads in turn, one call a turn, and reports a table of one row in its last turn. Queries and
 * URLs say how long they take (`readQuery`, `readUrl`), because a search engine does not know whose they are.
 */
export const subagentMove = ({ turns, toolMs }: Work, subtask: string, turn: number): Move => {
  const item = itemOf(subtask);
  if (turn >= turns - 1)
    return {
      text: `I read every page.\n\n| item | colour | weight |\n|---|---|---|\n| ${item} | colour of ${item} | weight of ${item} |`,
    };
  return turn % 2 === 0
    ? { tool: 'search', args: { queries: [{ query: `${item} part ${turn} in ${toolMs} ms` }] } }
    : {
        tool: 'access',
        args: { urls: [{ url: pageUrl(item, turn, toolMs), info_to_extract: 'colour' }] },
      };
};

const pageUrl = (item: string, part: string | number, toolMs: number): string =>
  `https://bench.example/${item}/${part}?ms=${toolMs}`;

/** Item, part and duration that a query names. */
export function readQuery(query: string): { item: string; part: string; toolMs: number } {
  const [, item, part, ms] = /^(\S+) part (\S+) in (\S+) ms$/.exec(query) ?? [];
  if (!item || !part) throw new Error(`not a query of the benchmark: ${query}`);
  return { item, part, toolMs: Number(ms) };
}

/** Item, part and duration that a URL names. */
export function readUrl(url: string): { item: string; part: string; toolMs: number } {
  const { pathname, searchParams } = new URL(url);
  const [item = '', part = ''] = pathname.split('/').slice(1);
  return { item, part, toolMs: Number(searchParams.get('ms')) };
}

/** Results of a query, each with a passage of 600 characters. */
export const hitsOf = (item: string, part: string, toolMs: number, topK: number): Hit[] =>
  Array.from({ length: topK }, (_, index) => ({
    url: pageUrl(item, `${part}-${index}`, toolMs),
    title: `${item} ${part}`,
    text: pageText(item, `${part}-${index}`).slice(0, 600),
  }));

const FILLER = 'This sentence stands for the prose of an ordinary page and says nothing about the item. ';

/** Text of the page about `item`: two facts in about 2 KB of prose. */
export const pageText = (item: string, part: string): string =>
  `Page ${part} about ${item}.\n${FILLER.repeat(11)}\nThe colour is: colour of ${item}.\nThe weight is: weight of ${item}.\n${FILLER.repeat(11)}`;
