import pLimit from 'p-limit';
import { loadRunConfig } from '../../../configs/load.ts';
import { evaluateTable } from '../../../domain/scoring/evaluate.ts';
import type { ChatModel } from '../../model/port.ts';
import { createMemorySearch } from '../../search/memory.ts';
import { buildMiniCorpus } from './pages.ts';
import { miniQuestions, type MiniSplit } from './questions.ts';
import { type AgentTrace, scriptRollout } from './rollout.ts';
import { runConfigOf, type TraceKind } from './traces.ts';

export interface MiniMeasureOptions {
  kind: TraceKind;
  split: MiniSplit;
  /** Questions asked, from the first of the split. */
  questions: number;
  /** Rollouts of each. */
  samples: number;
  temperature: number;
  /** Rollouts under way at once. */
  concurrency: number;
}

export interface MiniMeasure {
  rollouts: number;
  /** Means over the rollouts. */
  itemF1: number;
  /** Share of rollouts whose answer is a table with the right columns. */
  format: number;
  /** Members looked into: subagents of the second delegation, or searches after the first. */
  members: number;
  agents: number;
  turns: number;
  /** Agents that did not end by answering. */
  failedAgents: number;
  longest: number;
}

/**
 * How well a policy does on the miniature, without workflows and without a store: for choosing a warm start in seconds.
 * What counts in a report is `wideseek eval mini`, which takes the same prompts and scores through the real loop.
 */
export async function measureMini(model: ChatModel, options: MiniMeasureOptions): Promise<MiniMeasure> {
  const { kind, split, questions, samples, temperature, concurrency } = options;
  const { agents } = await loadRunConfig(runConfigOf(kind));
  const pages = buildMiniCorpus();
  const search = createMemorySearch('mini', pages, pages);
  const limit = pLimit(concurrency);
  const asked = miniQuestions(split).slice(0, questions);
  const judge = (): Promise<never> => Promise.reject(new Error('the miniature has no judge'));
  const measured = await Promise.all(
    asked.flatMap(({ question, record, goldCsv }) =>
      Array.from({ length: samples }, () =>
        limit(async () => {
          const traces = await scriptRollout({ question, agents, model, search, temperature });
          const answer = traces[0]!.outcome === 'answered' ? traces[0]!.text : null;
          const options = { onOutage: 'fallback' } as const;
          const { metrics, status } = await evaluateTable(record, goldCsv, answer, judge, options);
          return { traces, itemF1: metrics?.f1_by_item ?? 0, format: Number(status === 'ok') };
        }),
      ),
    ),
  );
  const mean = (pick: (one: (typeof measured)[number]) => number): number =>
    measured.reduce((sum, one) => sum + pick(one), 0) / measured.length;
  return {
    rollouts: measured.length,
    itemF1: mean(({ itemF1 }) => itemF1),
    format: mean(({ format }) => format),
    members: mean(({ traces }) => membersOf(traces[0]!)),
    agents: mean(({ traces }) => traces.length),
    turns: mean(({ traces }) => traces.reduce((sum, { spans }) => sum + spans.length, 0)),
    failedAgents: mean(({ traces }) => traces.filter(({ outcome }) => outcome !== 'answered').length),
    longest: Math.max(...measured.flatMap(({ traces }) => traces.map(({ tokens }) => tokens.length))),
  };
}

/** Subtasks or searches after the one for the list. */
const membersOf = ({ requests }: AgentTrace): number =>
  requests.slice(1).reduce((sum, own) => sum + own.length, 0);
