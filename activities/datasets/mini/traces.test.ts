import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateTable } from '../../../domain/scoring/evaluate.ts';
import { toQuestion } from './questions.ts';
import {
  openMiniTokenizer,
  type ScriptedRollout,
  scriptedRollouts,
  type TraceKind,
  type TraceRow,
  writeMiniTraces,
} from './traces.ts';
import { miniNames } from './world.ts';

const tokenizer = await openMiniTokenizer();
const collect = async (kind: TraceKind, count: number): Promise<ScriptedRollout[]> => {
  const rollouts: ScriptedRollout[] = [];
  for await (const rollout of scriptedRollouts({ seed: 'test', count, kind }, tokenizer))
    rollouts.push(rollout);
  return rollouts;
};
const rollouts = { mas: await collect('mas', 300), sa: await collect('sa', 300) };

async function itemF1({ group, pair, traces }: ScriptedRollout): Promise<number> {
  const { record, goldCsv } = toQuestion(group, pair, 'train');
  const judge = (): Promise<never> => Promise.reject(new Error('no judge'));
  const { metrics } = await evaluateTable(record, goldCsv, traces[0]!.text, judge);
  return metrics?.f1_by_item ?? 0;
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
const share = (kind: TraceKind, holds: (rollout: ScriptedRollout) => boolean): number =>
  rollouts[kind].filter(holds).length / rollouts[kind].length;
/** How many members a rollout looked into. */
const delegated = ({ traces: [first] }: ScriptedRollout): number => first!.requests[1]?.length ?? 0;
const searched = ({ traces: [first] }: ScriptedRollout): number => first!.requests.slice(1, -1).length;

describe('the scripted experts', () => {
  it.each(['mas', 'sa'] as const)('start from an item F1 with room on both sides (%s)', async (kind) => {
    const scores = await Promise.all(rollouts[kind].map(itemF1));
    expect(mean(scores)).toBeGreaterThan(0.4);
    expect(mean(scores)).toBeLessThan(0.6);
    expect(scores.some((score) => score > 0.85)).toBe(true);
  });

  it('delegate every number of subtasks that a group allows, few ones most often', () => {
    for (const count of [1, 2, 3, 4, 5, 6, 7])
      expect(share('mas', (rollout) => delegated(rollout) === count)).toBeGreaterThan(0);
    expect(share('mas', (rollout) => delegated(rollout) <= 3)).toBeGreaterThan(0.6);
    expect(share('sa', (rollout) => searched(rollout) >= 5)).toBeGreaterThan(0.02);
  });

  it('always keep to the protocol', () => {
    for (const { traces } of [...rollouts.mas, ...rollouts.sa])
      for (const { outcome } of traces) expect(outcome).toBe('answered');
  });

  it('make every kind of mistake and do not always make it', () => {
    const unsearched = rollouts.mas
      .flatMap(({ traces }) => traces.slice(1))
      .filter(({ requests }) => requests.length === 1);
    expect(unsearched.length).toBeGreaterThan(5);
    const one = / (?:colour|material|region|height|weight) of /;
    const tasks = rollouts.mas.flatMap(({ traces }) =>
      (traces[0]!.requests[1] ?? []).flatMap((request) =>
        request.tool === 'delegate' ? [` ${request.prompt}`] : [],
      ),
    );
    const forgetful = tasks.filter((task) => one.test(task) && !task.includes(' and '));
    expect(forgetful.length / tasks.length).toBeGreaterThan(0.06);
    expect(forgetful.length / tasks.length).toBeLessThan(0.2);
  });
});

describe('traces', () => {
  it('fit: nothing is cut, however many members were looked into', () => {
    const longest = (kind: TraceKind): number =>
      Math.max(...rollouts[kind].flatMap(({ traces }) => traces.map(({ tokens }) => tokens.length)));
    expect(longest('mas')).toBeLessThanOrEqual(256);
    expect(longest('sa')).toBeLessThanOrEqual(384);
  });

  it('name nothing of the world that is asked about', () => {
    for (const { traces } of rollouts.mas.slice(0, 60))
      for (const { tokens } of traces) {
        const text = tokenizer.decode(tokens);
        expect([...miniNames()].filter((name) => text.includes(name))).toEqual([]);
      }
  });

  it('decode and encode to the same ids, without an unknown token', () => {
    for (const { traces } of [...rollouts.mas, ...rollouts.sa].slice(0, 100))
      for (const { tokens } of traces) {
        const text = tokenizer.decode(tokens);
        expect(text).not.toContain('<|unk|>');
        expect(tokenizer.encode(text)).toEqual(tokens);
      }
  });

  it('can leave out subagents, never the lead and the one for the list', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mini-traces-'));
    try {
      const rowsOf = async (subagents?: number): Promise<string[]> => {
        const out = join(dir, `${subagents}.jsonl`);
        await writeMiniTraces({ seed: 'test', count: 5, kind: 'mas', out, subagents });
        return (await readFile(out, 'utf8')).trimEnd().split('\n');
      };
      const all = await rowsOf();
      const few = await rowsOf(2);
      expect(few.length).toBeLessThan(all.length);
      expect(few).toHaveLength(15);
      expect(few.every((row) => all.includes(row))).toBe(true);
      const leads = (rows: string[]): string[] =>
        rows.filter((row) => tokenizer.decode((JSON.parse(row) as TraceRow).tokens).includes('Question:'));
      expect(leads(few)).toEqual(leads(all));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });

  it('are written one agent a line, weighted where the agent wrote, the same for the same seed', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mini-traces-'));
    try {
      const out = join(dir, 'below', 'traces.jsonl');
      const counts = await writeMiniTraces({ seed: 'test', count: 5, kind: 'mas', out });
      const text = await readFile(out, 'utf8');
      const rows = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as TraceRow);
      const agents = rollouts.mas.slice(0, 5).flatMap(({ traces }) => traces);
      expect(rows.map(({ tokens }) => tokens)).toEqual(agents.map(({ tokens }) => [...tokens]));
      expect(counts).toEqual({
        rollouts: 5,
        rows: rows.length,
        tokens: rows.reduce((sum, { tokens }) => sum + tokens.length, 0),
        longest: Math.max(...rows.map(({ tokens }) => tokens.length)),
      });
      for (const [index, { tokens, weights }] of rows.entries()) {
        expect(weights).toHaveLength(tokens.length);
        const written = tokenizer.decode(tokens.filter((_, at) => weights[at] === 1));
        expect(written.endsWith(`${agents[index]!.text}<|im_end|>`)).toBe(true);
        expect(written).not.toContain('<|im_start|>');
      }
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
