import type { WorkflowHandle } from '@temporalio/client';
import {
  type FakeEngine,
  type FakeEngineOptions,
  startFakeEngine,
} from '../../../activities/trainer/fake-engine.ts';
import { type StepDocument, stepDocumentSchema, stepsOf } from '../../../activities/trainer/records.ts';
import { runIdOf } from '../../../domain/ids.ts';
import { TASK_QUEUE } from '../../../domain/run.ts';
import type { TrainOutcome } from '../../../workflows/train.ts';
import { startTestServer, type TestServer } from '../../support/engine.ts';
import { startTrainingWorld, type TrainingWorld } from '../../support/training.ts';

export type Settings = Record<string, string | number | boolean | null>;

export interface BenchWorld {
  server: TestServer;
  engine: FakeEngine;
  world: TrainingWorld;
  start: (name: string, set: Settings) => Promise<WorkflowHandle>;
  /** Records of the steps of a run, by step. */
  steps: (name: string) => Promise<StepDocument[]>;
}

/** The real workflows with real workers, store and server of their own; the engine and its policy are fakes. */
export async function withBenchWorld<T>(
  options: { engine: FakeEngineOptions; questions: number },
  work: (world: BenchWorld) => Promise<T>,
): Promise<T> {
  const server = await startTestServer();
  const engine = await startFakeEngine(options.engine);
  const world = await startTrainingWorld(server.address, engine, options.questions);
  try {
    await world.workers({ rollouts: true, host: 'bench' });
    return await work({
      ...{ server, engine, world },
      start: (name, set) =>
        server.client.workflow.start('train', {
          taskQueue: TASK_QUEUE,
          workflowId: `train/${name}`,
          args: [{ config: 'wideseek-r1-4b', set: { ...world.set, ...set } }],
        }),
      steps: async (name) =>
        (await world.store.documents.list(stepsOf(runIdOf(`train/${name}`))))
          .map(({ value }) => stepDocumentSchema.parse(value))
          .sort((a, b) => a.step - b.step),
    });
  } finally {
    await world.stop();
    await engine.close();
    await server.stop();
  }
}

export const outcomeOf = (handle: WorkflowHandle): Promise<TrainOutcome> =>
  handle.result() as Promise<TrainOutcome>;
