import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowFailedError } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFakeJudge } from '../../activities/judge/judge.fake.ts';
import { WideseekError } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import type { EvaluationProgress } from '../../domain/scoring/evaluation-plan.ts';
import {
  type EvaluationOutcome,
  type SampleRecord,
  samplesCollection,
} from '../../domain/scoring/samples.ts';
import { clubModel, clubName, clubSearch } from '../support/clubs.ts';
import {
  type Engine,
  type EngineOptions,
  startEngine,
  startTestServer,
  type TestServer,
} from '../support/engine.ts';

const QUESTIONS = 6;

/** Writes a WideSearch-shaped data set about the clubs: each question's gold is all three of them. */
async function writeDataset(dir: string, coachMetric = 'exact_match'): Promise<string> {
  await mkdir(join(dir, 'gold'));
  const column = { preprocess: ['norm_str'], metric: ['exact_match'] };
  const records = Array.from({ length: QUESTIONS }, (_, i) => ({
    instance_id: `clubs_${i}`,
    query: `Coach and stadium of every club? (${i})`,
    language: 'en',
    evaluation: {
      required: ['club', 'coach', 'stadium'],
      unique_columns: ['club'],
      eval_pipeline: { club: column, coach: { ...column, metric: [coachMetric] }, stadium: column },
    },
  }));
  await writeFile(join(dir, 'clubs.jsonl'), records.map((record) => JSON.stringify(record)).join('\n'));
  const title = coachMetric === 'llm_judge' ? 'Head coach' : 'Coach';
  const gold = [0, 1, 2].map((i) => `${clubName(i)} FC,${title} ${i}son,Park ${i} Arena`);
  for (const { instance_id } of records) {
    await writeFile(join(dir, 'gold', `${instance_id}.csv`), ['club,coach,stadium', ...gold].join('\n'));
  }
  return join(dir, 'clubs.jsonl');
}

describe('evaluate on a real Temporal server', { timeout: 120_000 }, () => {
  let server: TestServer;
  let engine: Engine | undefined;
  let dir: string;
  let path: string;
  beforeAll(async () => {
    server = await startTestServer();
    dir = await mkdtemp(join(tmpdir(), 'wideseek-eval-'));
    path = await writeDataset(dir);
  });
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
  });
  afterAll(async () => {
    await server.stop();
    await rm(dir, { recursive: true });
  });

  const boot = async (options: Partial<EngineOptions> = {}) => {
    engine = await startEngine(server.address, {
      model: clubModel({ clubs: 3 }),
      search: clubSearch(3),
      ...options,
    });
    return engine.store;
  };
  const start = (run: string, input: Record<string, unknown> = {}) =>
    server.client.workflow.start('evaluate', {
      taskQueue: TASK_QUEUE,
      workflowId: `eval/${run}`,
      args: [
        {
          config: 'widesearch',
          ...input,
          set: {
            'dataset.name': 'clubs',
            'dataset.path': path,
            'judge.provider': 'none',
            'retry.model.attempts': 1,
            samples: 2,
            concurrency: 3,
            ...(input.set as object | undefined),
          },
        },
      ],
    });
  const records = async (run: string): Promise<SampleRecord[]> =>
    (await engine!.store.documents.list(samplesCollection(run))).map(({ value }) => value as SampleRecord);
  const failure = async (handle: {
    result: () => Promise<unknown>;
  }): Promise<{ type: string; message: string }> => {
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    let cause: unknown = (error as WorkflowFailedError).cause;
    while ((cause as Error).cause) cause = (cause as Error).cause;
    return cause as { type: string; message: string };
  };

  it('answers, scores and stores every sample, then skips what is done', async () => {
    const model = clubModel({ clubs: 3 });
    await boot({ model });
    const outcome = (await (await start('all')).result()) as EvaluationOutcome;
    expect(outcome).toMatchObject({ complete: true, samples: 12, scored: 12, unscored: 0 });
    expect(outcome.headline).toMatchObject({ 'f1_by_item.avg': 1, 'score.max': 1 });
    const samples = await records('all');
    expect(samples).toHaveLength(12);
    expect(samples[0]).toMatchObject({
      questionId: 'clubs_0',
      status: 'ok',
      agents: 4,
      stopReason: 'answered',
      turnCounts: { lead: { all: 2, turns: 1, subtasks: 3 }, subagent: { all: 9, searches: 3, accesses: 3 } },
    });
    expect(await engine!.store.runs.get('all')).toMatchObject({ kind: 'evaluate', status: 'ok' });

    const calls = model.calls.length;
    expect(await (await start('all', { resume: true })).result()).toEqual(outcome);
    expect(model.calls).toHaveLength(calls);
  });

  it('refuses a name that is taken, and another configuration under one name', async () => {
    await boot();
    await (await start('taken', { limit: 1, set: { samples: 1 } })).result();
    expect(await failure(await start('taken'))).toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(/^resume: run taken exists/) as string,
    });
    const other = await start('taken', { resume: true, set: { 'agents.width': 3 } });
    expect((await failure(other)).message).toMatch(/config: run taken was made with another configuration/);
    const mixed = await start('taken', {
      resume: true,
      mix: true,
      limit: 1,
      set: { 'agents.width': 3, samples: 2 },
    });
    expect(await mixed.result()).toMatchObject({ samples: 2, complete: true });
  });

  it('leaves an outage unscored, says so, and answers those again on resume', async () => {
    let down = true;
    const override = () =>
      down ? Promise.reject(new WideseekError('Unauthorized', 'model: no key')) : undefined;
    await boot({ model: clubModel({ clubs: 3, override }) });
    const outcome = (await (await start('outage', { limit: 2 })).result()) as EvaluationOutcome;
    expect(outcome).toMatchObject({ complete: false, scored: 0, unscored: 4, headline: {} });
    expect((await records('outage'))[0]).toMatchObject({ status: 'unscored', scores: null });
    down = false;
    expect(await (await start('outage', { limit: 2, resume: true })).result()).toMatchObject({
      complete: true,
      scored: 4,
    });
  });

  it('leaves answers unscored while the judge is down, and scores them later without an agent', async () => {
    let down = true;
    const judged = await writeDataset(await mkdtemp(join(dir, 'judged-')), 'llm_judge');
    const model = clubModel({ clubs: 3 });
    const accepted = [0, 1, 2].map((i) => [`coach${i}son`, `headcoach${i}son`] as const);
    const judge = createFakeJudge({
      accepted,
      override: () => {
        if (down) throw new WideseekError('Overloaded', 'judge: connection refused');
        return undefined;
      },
    });
    await boot({ model, judge });
    const set = { 'dataset.path': judged, 'judge.provider': 'policy', 'judge.attempts': 1, samples: 1 };
    const outcome = (await (await start('judged', { limit: 2, set })).result()) as EvaluationOutcome;
    expect(outcome).toMatchObject({ complete: false, samples: 2, scored: 0, unscored: 2, headline: {} });
    expect((await records('judged'))[0]).toMatchObject({
      status: 'unscored',
      scores: null,
      stopReason: 'answered',
    });

    down = false;
    const calls = model.calls.length;
    const later = (await (
      await start('judged', { limit: 2, resume: true, set })
    ).result()) as EvaluationOutcome;
    expect(later).toMatchObject({ complete: true, scored: 2, headline: { 'f1_by_item.avg': 1 } });
    expect(model.calls).toHaveLength(calls);
    expect(judge.requests.length).toBeGreaterThan(0);
  });

  it('pauses and goes on', async () => {
    await boot({
      model: clubModel({
        clubs: 3,
      }),
    });
    const handle = await start('pause', { set: { concurrency: 1 } });
    await handle.executeUpdate('pause');
    const done = async (): Promise<EvaluationProgress> => handle.query('progress');
    await expect.poll(done, { timeout: 60_000 }).toMatchObject({ total: 12, running: 0 });
    const paused = await done();
    expect(paused).toMatchObject({ paused: true, total: 12 });
    expect(paused.done).toBeLessThan(12);
    await handle.executeUpdate('unpause');
    expect(await handle.result()).toMatchObject({ complete: true });
  });

  it('fails a gated run that is worse than the last good one, and tells', async () => {
    let broken = false;
    const override = () =>
      broken
        ? Promise.resolve({
            message: {
              role: 'assistant' as const,
              content: '| club | coach | stadium |\n|---|---|---|\n| Nobody | - | - |',
            },
            finishReason: 'stop' as const,
            usage: { promptTokens: 1, completionTokens: 1 },
          })
        : undefined;
    await boot({ model: clubModel({ clubs: 3, override }) });
    const set = { samples: 1 };
    const gated = (run: string) => start(run, { gate: {}, set });
    expect(await (await gated('night-1')).result()).toMatchObject({ complete: true });
    broken = true;
    const error = await failure(await gated('night-2'));
    expect(error).toMatchObject({ type: 'Regression' });
    expect(error.message).toMatch(/f1_by_item 1\.0000 → 0\.0000 .*against night-1/);
    broken = false;
    expect(await (await gated('night-3')).result()).toMatchObject({ complete: true });
  });
});
