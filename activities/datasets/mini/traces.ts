import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { loadRunConfig } from '../../../configs/load.ts';
import { type ChatTokenizer, loadTokenizer } from '../../model/tokens/tokenizer.ts';
import { createMemorySearch } from '../../search/memory.ts';
import { expertModel } from './expert-model.ts';
import { HABITS, type Habits } from './habits.ts';
import { storing, writeMiniModelDir } from './model-dir.ts';
import { pagesOf } from './pages.ts';
import { ATTRIBUTE_PAIRS, questionText } from './questions.ts';
import { createRandom } from './random.ts';
import { type AgentTrace, scriptRollout } from './rollout.ts';
import { inventWorld, miniNames, miniWorld, type MiniGroup } from './world.ts';

export type TraceKind = 'mas' | 'sa';

/** One agent's conversation to learn from: `weights[i]` is 1 where the agent wrote `tokens[i]`, else 0. */
export interface TraceRow {
  tokens: number[];
  weights: number[];
}

/** A scripted rollout about an invented group. */
export interface ScriptedRollout {
  group: MiniGroup;
  pair: readonly [string, string];
  traces: AgentTrace[];
}

export interface TraceOptions {
  seed: string;
  /** Rollouts; each gives a row an agent. */
  count: number;
  kind: TraceKind;
  habits?: Habits;
  /**
   * Subagents of a rollout whose rows are written. Their work is alike and makes most of the tokens, while what is hard
   * is the lead's. Default: all.
   */
  subagents?: number;
}

/** Name of the run configuration whose limits scripted rollouts have. */
export const runConfigOf = (kind: TraceKind): string => (kind === 'mas' ? 'mini' : 'mini-sa');

/** The tokenizer of the miniature, read the way every model's is. */
export async function openMiniTokenizer(): Promise<ChatTokenizer> {
  const dir = await mkdtemp(join(tmpdir(), 'wideseek-mini-'));
  try {
    await writeMiniModelDir(dir);
    return await loadTokenizer(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Rollouts that share an invented world, each about a group of its own: no fact is ever met twice. */
const PER_WORLD = 6;

/**
 * Scripted rollouts about freshly invented groups, in worlds as large as the one that is asked about and without any of
 * its names. The same options give the same rollouts.
 */
export async function* scriptedRollouts(
  { seed, count, kind, habits = HABITS }: TraceOptions,
  tokenizer: ChatTokenizer,
): AsyncGenerator<ScriptedRollout> {
  const { agents } = await loadRunConfig(runConfigOf(kind));
  for (let first = 0; first < count; first += PER_WORLD) {
    const world = inventWorld(`${seed}/${kind}/${first}`, {
      groups: miniWorld().groups.length,
      avoid: miniNames(),
    });
    const pages = pagesOf(world);
    const search = createMemorySearch('mini', pages, pages);
    const groups = createRandom(world.seed).shuffle(world.groups);
    for (let index = first; index < Math.min(count, first + PER_WORLD); index++) {
      const group = groups[index - first]!;
      const pair = createRandom(`${seed}/${kind}/${index}`).pick(ATTRIBUTE_PAIRS);
      const model = expertModel(tokenizer, `${seed}/${kind}/${index}`, habits);
      const traces = await scriptRollout({ question: questionText(group.name, pair), agents, model, search });
      yield { group, pair, traces };
    }
  }
}

/** Rows of one rollout, the lead's or single agent's first. */
export const toRows = (traces: readonly AgentTrace[]): TraceRow[] =>
  traces.map(({ tokens, spans }) => {
    const weights = new Array<number>(tokens.length).fill(0);
    for (const { start, length } of spans) weights.fill(1, start, start + length);
    return { tokens: [...tokens], weights };
  });

export interface TraceCounts {
  rollouts: number;
  rows: number;
  tokens: number;
  /** Tokens of the longest row. */
  longest: number;
}

/**
 * Writes the scripted experts' conversations as JSON Lines, one agent a line, in the order of the rollouts. The file
 * appears when it is complete. Throws `StorageFull` or `InvalidInput` when it cannot be written.
 */
export async function writeMiniTraces(options: TraceOptions & { out: string }): Promise<TraceCounts> {
  const { out } = options;
  const { subagents, seed } = options;
  const random = createRandom(`${seed}/rows`);
  const chosen = ([first, list, ...members]: TraceRow[]): TraceRow[] =>
    [first, list, ...(subagents === undefined ? members : random.shuffle(members))]
      .filter((row) => row !== undefined)
      .slice(0, 1 + (subagents ?? Infinity));
  const tokenizer = await openMiniTokenizer();
  const counts: TraceCounts = { rollouts: 0, rows: 0, tokens: 0, longest: 0 };
  await storing(out, async () => {
    await mkdir(dirname(out), { recursive: true });
    const partial = `${out}.partial`;
    const file = createWriteStream(partial);
    for await (const { traces } of scriptedRollouts(options, tokenizer)) {
      counts.rollouts += 1;
      for (const row of chosen(toRows(traces))) {
        counts.rows += 1;
        counts.tokens += row.tokens.length;
        counts.longest = Math.max(counts.longest, row.tokens.length);
        if (!file.write(`${JSON.stringify(row)}\n`))
          await new Promise<void>((resolve) => file.once('drain', () => resolve()));
      }
    }
    file.end();
    await finished(file);
    await rename(partial, out);
  });
  return counts;
}
