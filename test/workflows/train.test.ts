import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FakeEngine, startFakeEngine } from '../../activities/trainer/fake-engine.ts';
import { stepDocumentSchema, stepsOf } from '../../activities/trainer/records.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import type { TrainOutcome } from '../../workflows/train.ts';
import { startTestServer, type TestServer } from '../support/engine.ts';
import { startTrainingWorld, type TrainingWorld } from '../support/training.ts';

describe('train on a real Temporal server', { timeout: 60_000 }, () => {
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

  const boot = async (questions = 4): Promise<void> => {
    engine = await startFakeEngine();
    world = await startTrainingWorld(server.address, engine, questions);
  };
  const start = (run: string, set: Record<string, unknown> = {}, input: Record<string, unknown> = {}) =>
    server.client.workflow.start('train', {
      taskQueue: TASK_QUEUE,
      workflowId: `train/${run}`,
      args: [{ config: 'wideseek-r1-4b', set: { ...world.set, ...set }, ...input }],
    });
  const steps = async (run: string) =>
    (await world.store.documents.list(stepsOf(run))).map(({ value }) => stepDocumentSchema.parse(value));

  it('rolls out, trains, publishes and records, step by step', async () => {
    await boot();
    await world.workers({ rollouts: true, host: 'a' });
    const outcome = (await (await start('sync')).result()) as TrainOutcome;
    expect(outcome).toMatchObject({ steps: 2, reason: 'steps', trained: 4 });
    const done = await steps('sync');
    expect(done.map(({ step, staleness }) => [step, Object.keys(staleness)])).toEqual([
      [0, ['0']],
      [1, ['0']],
    ]);
    expect(done[0]!.metrics).toMatchObject({
      'groups/trained': 2,
      'train/actor/ratio': 1,
      'train/actor/lr': 0.5,
    });
  });
});
