import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import {
  type EvaluationOutcome,
  type SampleRecord,
  samplesCollection,
} from '../../domain/scoring/samples.ts';
import { packageRoot } from '../../infra/local/home.ts';
import { tsxCommand } from '../../infra/local/worker-process.ts';
import { seeded } from './random.ts';
import { type Part, type Stack, startStack } from './stack.ts';
import { TABLE, TURNS } from './world.ts';

const MINUTES = 60_000;
const QUESTIONS = 2;
const SAMPLES = 4;
/** Model calls of an undisturbed evaluation. */
const ALL = QUESTIONS * SAMPLES * TURNS;
const CONCURRENCY = 2;
/** Agents that can have a model call open at once. */
const IN_FLIGHT = CONCURRENCY * TABLE.rows.length;
const KILLS: Part[] = ['worker', 'server', 'worker', 'server'];

/** Questions about the clubs in WideSearch's shape; gold is the table of an undisturbed run. */
function writeDataset(dir: string): string {
  mkdirSync(join(dir, 'gold'));
  const column = { preprocess: ['norm_str'], metric: ['exact_match'] };
  const records = Array.from({ length: QUESTIONS }, (_, i) => ({
    instance_id: `clubs_${i}`,
    query: `Coach and stadium of every club (question ${i})?`,
    language: 'en',
    evaluation: {
      required: TABLE.columns,
      unique_columns: ['club'],
      eval_pipeline: Object.fromEntries(TABLE.columns.map((name) => [name, column])),
    },
  }));
  const gold = [TABLE.columns, ...TABLE.rows].map((row) => row.join(',')).join('\n');
  for (const { instance_id } of records) writeFileSync(join(dir, 'gold', `${instance_id}.csv`), gold);
  writeFileSync(join(dir, 'clubs.jsonl'), records.map((record) => JSON.stringify(record)).join('\n'));
  return join(dir, 'clubs.jsonl');
}

describe('an evaluation whose processes are killed', () => {
  let stack: Stack;
  let store: Store;
  let dir: string;
  const seed = Number(process.env.WIDESEEK_TEST_SEED ?? Date.now() % 1_000_000);
  const random = seeded(seed);
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'wideseek-kill-eval-'));
    stack = await startStack();
    store = await openStore(`sqlite:${stack.storeFile}`);
  }, 5 * MINUTES);
  afterAll(async () => {
    await store?.close();
    await stack?.stop();
    rmSync(dir, { recursive: true, force: true });
  }, MINUTES);

  const requests = (): number => stack.endpoint.log().filter(({ event }) => event === 'received').length;
  const samples = async (run: string): Promise<SampleRecord[]> =>
    (await store.documents.list(samplesCollection(run))).map(({ value }) => value as SampleRecord);
  const start = (run: string, path: string) => {
    const { command, args } = tsxCommand('test/e2e/client-main.ts', [
      stack.address,
      'evaluate',
      `eval/${run}`,
      JSON.stringify({
        config: 'widesearch',
        set: {
          ...stack.set,
          'dataset.name': 'clubs',
          'dataset.path': path,
          'judge.provider': 'none',
          'retry.model.attempts': 20,
          samples: SAMPLES,
          concurrency: CONCURRENCY,
        },
      }),
    ]);
    return spawn(command, args, { cwd: packageRoot, stdio: 'ignore' });
  };
  const outcomeOf = async (run: string): Promise<EvaluationOutcome> =>
    (await stack.client.workflow.getHandle(`eval/${run}`).result()) as EvaluationOutcome;

  it(
    'client, worker and server, five times: the metrics of an undisturbed run, no sample lost or doubled',
    async (context) => {
      context.onTestFailed(() =>
        console.error(`kill evaluation: WIDESEEK_TEST_SEED=${seed} plays this again`),
      );
      const path = writeDataset(dir);
      const client = start('disturbed', path);
      await expect.poll(requests, { timeout: MINUTES }).toBeGreaterThan(5);
      client.kill('SIGKILL');
      for (const part of KILLS) {
        // Never so late that the evaluation may have ended.
        const next = Math.min(requests() + 10 + Math.floor(random() * 40), ALL - 40);
        await expect.poll(requests, { timeout: 2 * MINUTES, interval: 20 }).toBeGreaterThan(next);
        await sleep(random() * 250);
        stack.kill(part);
        await stack.revive(part);
      }
      const outcome = await outcomeOf('disturbed');
      const all = QUESTIONS * SAMPLES;
      expect(outcome).toMatchObject({ complete: true, samples: all, scored: all, unscored: 0 });
      expect(outcome.headline).toMatchObject({ 'score.avg': 1, 'f1_by_item.avg': 1, 'f1_by_row.avg': 1 });
      const records = await samples('disturbed');
      expect(new Set(records.map(({ workflowId }) => workflowId)).size).toBe(all);
      for (const record of records)
        expect(record).toMatchObject({ status: 'ok', turns: TURNS, stopReason: 'answered' });

      const needed = all * TURNS;
      console.log(`kill evaluation, seed ${seed}: ${requests()} model calls, ${needed} needed`);
      expect(requests()).toBeGreaterThanOrEqual(needed);
      // A server that is away can let attempts time out as well: each kill may cost what was in flight, no more.
      expect(requests()).toBeLessThanOrEqual(needed + KILLS.length * IN_FLIGHT);
    },
    8 * MINUTES,
  );
});
