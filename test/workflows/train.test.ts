import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exportGroups, exportMetrics, groupFates } from '../../activities/trainer/export.ts';
import { type FakeEngine, startFakeEngine } from '../../activities/trainer/fake-engine.ts';
import { readCheckpoints } from '../../activities/trainer/live-model.ts';
import { readPolicy } from '../../activities/trainer/policy.ts';
import { evalsOf, stepDocumentSchema, stepsOf } from '../../activities/trainer/records.ts';
import type { SftResult } from '../../activities/trainer/sft.ts';
import { WideseekError } from '../../domain/errors.ts';
import { readGroup } from '../../domain/rl/record.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import type { RolloutProgress } from '../../workflows/rollout.ts';
import type { TrainOutcome } from '../../workflows/train.ts';
import type { TrainProgress } from '../../workflows/train-state.ts';
import { hang } from '../support/clubs.ts';
import { startTestServer, type TestServer } from '../support/engine.ts';
import { type BeforeReply, startTrainingWorld, type TrainingWorld } from '../support/training.ts';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const groupIn = (session: string): number => Number(/\/g(\d+)\//.exec(session)?.[1]);

describe('train on a real Temporal server', { timeout: 180_000 }, () => {
  let server: TestServer;
  let engine: FakeEngine;
  let world: TrainingWorld;
  beforeAll(async () => {
    server = await startTestServer();
  }, 60_000);
  afterEach(async () => {
    await world.stop();
    await engine.close();
  });
  afterAll(() => server.stop());

  const boot = async (before?: BeforeReply): Promise<void> => {
    engine = await startFakeEngine();
    world = await startTrainingWorld(server.address, engine);
    await world.workers({ rollouts: true, host: 'a', before });
  };
  const start = (run: string, set: Record<string, unknown> = {}, input: Record<string, unknown> = {}) =>
    server.client.workflow.start('train', {
      taskQueue: TASK_QUEUE,
      workflowId: `train/${run}`,
      args: [{ config: 'wideseek-r1-4b', set: { ...world.set, ...set }, ...input }],
    });
  const result = (handle: WorkflowHandle) => handle.result() as Promise<TrainOutcome>;
  const progress = (handle: WorkflowHandle) => handle.query<TrainProgress>('progress');
  const steps = async (run: string) =>
    (await world.store.documents.list(stepsOf(run))).map(({ value }) => stepDocumentSchema.parse(value));
  const fates = async (run: string) => {
    const counts: Record<string, number> = {};
    for (const { fate } of await groupFates(world.store, run))
      counts[fate.kind] = (counts[fate.kind] ?? 0) + 1;
    return counts;
  };
  /** Log-probs of fixed tokens under the published weights: equal only where the weights are. */
  const weights = async (run: string): Promise<number[]> => {
    const policy = await readPolicy(world.store.documents, run);
    const prompt = Int32Array.from({ length: 60 }, (_, i) => (i * 7) % 64);
    const signal = AbortSignal.timeout(10_000);
    return [...(await engine.client().promptLogprobs(prompt, policy?.path ?? null, signal))];
  };

  it('rolls out, trains, publishes, evaluates and records, step by step', async () => {
    const versions = new Map<number, Set<number>>();
    await boot(async ({ session }, run) => {
      const group = groupIn(session);
      const version = (await readPolicy(world.store.documents, run))!.version;
      if (!session.includes('/eval-')) versions.set(group, (versions.get(group) ?? new Set()).add(version));
    });
    const handle = await start('sync', {
      ...{ evalEvery: 1, evalStart: true, checkpointEvery: 1, keepLast: 1, steps: 3 },
    });
    const outcome = await result(handle);
    expect(outcome).toMatchObject({ steps: 3, reason: 'steps', trained: 6, dev: { step: 3, unscored: 0 } });
    const evaluated = await world.store.documents.list(evalsOf('train-sync'));
    expect(evaluated.map(({ key }) => Number(key))).toEqual([0, 1, 2, 3]);
    const done = await steps('train-sync');
    expect(done.map(({ step, staleness }) => [step, Object.keys(staleness)])).toEqual(
      [0, 1, 2].map((step) => [step, ['0']]),
    );
    expect(done[0]!.metrics).toMatchObject({
      'groups/trained': 2,
      'train/actor/ratio': 1,
      'train/actor/lr': 0.5,
      'wideseek_r1/avg_main_agent_turns_per_traj': 1,
    });
    // Synchronous: every rollout of a group has the weights of its own step.
    for (const [group, seen] of versions) expect([group, seen.size]).toEqual([group, 1]);
    expect(await fates('train-sync')).toMatchObject({ trained: 6, kept: 16 });
    const kept = (await readCheckpoints(world.store, 'train-sync')).filter((one) => one.kept);
    expect(kept.map(({ step }) => step)).toEqual(expect.arrayContaining([0, 3]));
    expect(kept.length).toBeLessThanOrEqual(3);

    const lines: string[] = [];
    for await (const line of exportGroups(world.store, 'train-sync')) lines.push(line);
    expect(readGroup(JSON.parse(lines.at(-1)!), 'line').rollouts).toHaveLength(4);
    const metrics: unknown[] = [];
    for await (const line of exportMetrics(world.store, 'train-sync')) metrics.push(JSON.parse(line));
    expect(metrics).toHaveLength(3);
    expect(await world.store.runs.get('train-sync')).toMatchObject({ kind: 'train', status: 'ok' });

    const { events } = await handle.fetchHistory();
    const signals = events!.filter((event) => event.workflowExecutionSignaledEventAttributes);
    expect(signals.length).toBeGreaterThanOrEqual(6);
    for (const signal of signals) expect(JSON.stringify(signal).length).toBeLessThan(2_000);
  });

  it.each([1, 4])('asynchronous with η = %i: nothing older is trained', async (maxStaleness) => {
    await boot(({ session }) => wait((groupIn(session) % 3) * 300));
    const outcome = await result(
      await start(`async-${maxStaleness}`, { maxStaleness, steps: 4, maxConcurrentGroups: 6 }),
    );
    expect(outcome).toMatchObject({ steps: 4, trained: 8 });
    const ages = (await steps(`train-async-${maxStaleness}`)).flatMap(({ staleness }) =>
      Object.keys(staleness).map(Number),
    );
    expect(Math.max(...ages)).toBeLessThanOrEqual(maxStaleness);
    expect(Math.max(...ages)).toBeGreaterThan(0);
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(0);
  });

  it('records a group that broke, replaces it, and leaves broken rollouts out of theirs', async () => {
    await boot(({ session }) => {
      if (groupIn(session) === 0 || session.endsWith('/g00000001/2'))
        throw new WideseekError('Unauthorized', 'model: no key');
    });
    expect(await result(await start('broken', { steps: 1, groupSize: 6 }))).toMatchObject({
      failed: 1,
      trained: 2,
    });
    const all = await groupFates(world.store, 'train-broken');
    expect(all[0]!.fate).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/model_outage/) as string,
    });
    expect(all.filter(({ fate }) => fate.kind === 'trained')).toHaveLength(2);
  });

  it('never takes an unreachable judge for a wrong answer', async () => {
    engine = await startFakeEngine();
    world = await startTrainingWorld(server.address, engine);
    const judge = {
      name: 'judge',
      complete: () => Promise.reject(new WideseekError('Overloaded', 'judge: connection refused')),
    };
    await world.workers({ rollouts: true, host: 'a', judge });
    const set = { 'judge.provider': 'policy', 'reward.single': 'accuracy', barrenGroups: 3, retries: 2 };
    const handle = await start('judgeless', set);
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    expect((error as { cause?: Error }).cause?.message).toMatch(/taught nothing/);
    const all = await groupFates(world.store, 'train-judgeless');
    // Exact matches need no judge; whatever needed one is unscored, and nothing of it was trained.
    expect(all.every(({ fate }) => fate.kind === 'failed' || fate.kind === 'filtered')).toBe(true);
    expect(all.some(({ fate }) => fate.kind === 'failed' && /unscored/.test(fate.reason))).toBe(true);
    expect(engine.done().optim_step ?? 0).toBe(0);
  });

  it('closes a batch at its deadline with what is there', async () => {
    await boot(({ session }, _, signal) =>
      groupIn(session) === 0 && session.endsWith('/0') ? hang(signal) : undefined,
    );
    const set = { steps: 2, batchGroups: 3, minGroups: 1, batchMinutes: 0.06, groupMinutes: 5 };
    const outcome = await result(await start('deadline', set));
    expect(outcome.steps).toBe(2);
    const [first] = await steps('train-deadline');
    expect(first!.groups).not.toContain('g00000000');
  });

  it('pauses, goes on, takes a learning rate and ends early when told so', async () => {
    await boot(() => wait(50));
    const handle = await start('steered', { steps: 50 });
    await expect.poll(async () => (await progress(handle)).step, { timeout: 60_000 }).toBeGreaterThan(0);
    await handle.executeUpdate('pause');
    await expect.poll(async () => (await progress(handle)).running, { timeout: 60_000 }).toBe(0);
    const paused = await progress(handle);
    await wait(500);
    expect((await progress(handle)).step).toBeLessThanOrEqual(paused.step + 1);
    await expect(handle.executeUpdate('setLearningRate', { args: [-1] })).rejects.toThrow();
    await handle.executeUpdate('setLearningRate', { args: [0.25] });
    const { step } = await progress(handle);
    await handle.executeUpdate('stopAfterStep', { args: [step + 2] });
    await handle.executeUpdate('resume');
    expect(await result(handle)).toMatchObject({ steps: step + 2, reason: 'stopped' });
    expect((await steps('train-steered')).at(-1)!.metrics['train/actor/lr']).toBe(0.25);
    // More steps later, under the same name.
    const more = await start('steered', { steps: step + 3 }, { resume: true });
    expect(await result(more)).toMatchObject({ steps: step + 3, reason: 'steps' });
  });

  it('continues as new in the middle of rollouts and loses no group', async () => {
    await boot(({ session }) => wait((groupIn(session) % 4) * 150));
    const set = { maxStaleness: 2, steps: 5, historyEvents: 60 };
    expect(await result(await start('long', set))).toMatchObject({ steps: 5, trained: 10 });
    const runs = async (): Promise<number> => {
      let count = 0;
      for await (const _ of server.client.workflow.list({ query: 'WorkflowId = "train/long"' })) count += 1;
      return count;
    };
    await expect.poll(runs, { timeout: 60_000 }).toBeGreaterThan(1);
    const trained = (await steps('train-long')).flatMap(({ groups }) => groups);
    expect(new Set(trained).size).toBe(10);
    const all = await groupFates(world.store, 'train-long');
    expect(all.map(({ id }) => Number(id.slice(1)))).toEqual(all.map((_, index) => index));
  });

  it('restores a model that the engine lost, on whatever host is there, to the same weights', async () => {
    await boot();
    const set = { steps: 4, checkpointEvery: 2, 'trainer.hostSeconds': 2 };
    await result(await start('same', set));
    const undisturbed = await weights('train-same');
    await world.stop();
    await engine.close();

    // Ids decide seeds, so the second run has the same ones on a server of its own.
    const other = await startTestServer();
    try {
      engine = await startFakeEngine();
      world = await startTrainingWorld(other.address, engine);
      let lost = false;
      const before: BeforeReply = async (_, run) => {
        if (lost || (await readPolicy(world.store.documents, run))!.version !== 3) return;
        lost = true;
        engine.restart();
        void first.stop();
        await world.workers({ host: 'b' });
      };
      await world.workers({ rollouts: true, before });
      const first = await world.workers({ host: 'a' });
      const handle = await other.client.workflow.start('train', {
        taskQueue: TASK_QUEUE,
        workflowId: 'train/same',
        args: [{ config: 'wideseek-r1-4b', set: { ...world.set, ...set } }],
      });
      expect(await result(handle)).toMatchObject({ steps: 4 });
      expect(lost).toBe(true);
      expect(engine.counts().load_weights).toBeGreaterThan(0);
      expect(await weights('train-same')).toEqual(undisturbed);
    } finally {
      await world.stop();
      await other.stop();
      world = { ...world, stop: async () => undefined };
    }
  });

  it('collects groups and trains on nothing', async () => {
    await boot();
    await result(await start('source', { steps: 1 }));
    const names = ['engine', 'batchGroups', 'steps', 'optimiser', 'evalEvery'];
    const set = Object.fromEntries(
      Object.entries(world.set).filter(
        ([key]) => !names.includes(key.split('.')[0]!) && !key.startsWith('data.dev'),
      ),
    );
    const handle = await server.client.workflow.start('rollout', {
      taskQueue: TASK_QUEUE,
      workflowId: 'rollout/some',
      args: [{ config: 'collect', set: { ...set, from: 'train-source', groups: 3 } }],
    });
    expect((await handle.result()) as RolloutProgress).toMatchObject({ groups: 3, done: 3, scored: 12 });
    expect(await fates('rollout-some')).toEqual({ kept: 3 });
  });

  const sft = (run: string, file: string, set: Record<string, unknown> = {}) =>
    server.client.workflow.start('sft', {
      taskQueue: TASK_QUEUE,
      workflowId: `sft/${run}`,
      args: [
        {
          config: 'warm-start',
          set: {
            'engine.baseModel': engine.baseModel,
            'data.file': file,
            'optimiser.schedule.peak': 0.1,
            ...{ steps: 6, batchSize: 4, checkpointEvery: 2, tokenBudget: 8, ...set },
          },
        },
      ],
    });

  it('trains on token sequences, exactly also when the model is lost', async () => {
    await boot();
    const file = join(world.dir, 'sft.jsonl');
    const line = (i: number) => ({ tokens: [5, 6 + (i % 9), 8, 10 + i], weights: [0, 0, 1, 1] });
    await writeFile(file, Array.from({ length: 20 }, (_, i) => JSON.stringify(line(i))).join('\n'));
    const calm = (await (await sft('calm', file)).result()) as SftResult;
    const first = stepDocumentSchema.parse(await world.store.documents.get(stepsOf('sft-calm'), '00000000'));
    expect(calm.loss!).toBeLessThan(first.metrics['train/loss']!);
    const handle = await sft('lossy', file);
    await expect
      .poll(() => world.store.documents.get(stepsOf('sft-lossy'), '00000002'), {
        interval: 5,
        timeout: 60_000,
      })
      .toBeDefined();
    engine.restart();
    const lossy = (await handle.result()) as SftResult;
    expect(lossy).toMatchObject({ step: 6, loss: calm.loss });

    await writeFile(file, '{"tokens":[1,2],"weights":[0]}');
    const error: unknown = await (await sft('bad', file)).result().catch((reason: unknown) => reason);
    expect(JSON.stringify(error, ['cause', 'message'])).toMatch(/sft\.jsonl:1: weights/);
  });

  it('begins with the short sequences where it is told to', async () => {
    await boot();
    const line = (i: number, length: number) =>
      JSON.stringify({
        tokens: Array.from({ length }, (_, at) => 5 + ((i + at * 3) % 40)),
        weights: Array<number>(length).fill(1),
      });
    const short = Array.from({ length: 9 }, (_, i) => line(i, 3));
    const long = Array.from({ length: 9 }, (_, i) => line(i, 7));
    const files = { short: join(world.dir, 'short.jsonl'), mixed: join(world.dir, 'mixed.jsonl') };
    await writeFile(files.short, short.join('\n'));
    await writeFile(files.mixed, [...long, ...short].join('\n'));
    const losses = async (run: string, file: string, set: Record<string, unknown>) => {
      await (await sft(run, file, set)).result();
      return (await steps(`sft-${run}`)).map(({ metrics }) => metrics['train/loss']!);
    };
    const only = await losses('short', files.short, { steps: 4 });
    const both = await losses('both', files.mixed, {
      steps: 4,
      'shortFirst.steps': 2,
      'shortFirst.tokens': 3,
    });
    expect(both.slice(0, 2)).toEqual(only.slice(0, 2));
    expect(both[2]).not.toBeCloseTo(only[2]!, 6);

    const none = (await sft('none', files.mixed, { 'shortFirst.steps': 2, 'shortFirst.tokens': 2 })).result();
    const error: unknown = await none.catch((reason: unknown) => reason);
    expect(JSON.stringify(error, ['cause', 'message'])).toMatch(/shortFirst\.tokens.*no sequence/);
  });
});
