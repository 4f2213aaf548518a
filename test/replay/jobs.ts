import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createCorpusActivities } from '../../activities/corpus/activities.ts';
import { createWordEncoder } from '../../activities/search/word-encoder.fake.ts';
import { startFakeEngine } from '../../activities/trainer/fake-engine.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { clubModel, clubName, clubSearch } from '../support/clubs.ts';
import { startEngine, type TestServer } from '../support/engine.ts';
import { startTrainingWorld, type TrainingWorld } from '../support/training.ts';

/** Keeps the histories of a workflow's runs; of a chain the last goes under the plain name, those before it are numbered. */
export type Keep = (name: string, workflowId: string) => Promise<void>;
export type Job = (server: TestServer, keep: Keep) => Promise<void>;

const start = (
  server: TestServer,
  type: string,
  workflowId: string,
  args: unknown[],
  taskQueue = TASK_QUEUE,
) => server.client.workflow.start(type, { taskQueue, workflowId, args });

async function withTraining(server: TestServer, use: (world: TrainingWorld) => Promise<void>): Promise<void> {
  const engine = await startFakeEngine();
  const world = await startTrainingWorld(server.address, engine);
  try {
    await world.workers({ rollouts: true, host: 'a' });
    await use(world);
  } finally {
    await world.stop();
    await engine.close();
  }
}

const training = (world: TrainingWorld, set: Record<string, unknown>) => [
  { config: 'wideseek-r1-4b', set: { ...world.set, ...set } },
];

/** Runs besides questions whose histories are kept. */
export const JOBS: Record<string, Job> = {
  /** Steered, evaluated, with overlap of rollouts and steps. */
  train: (server, keep) =>
    withTraining(server, async (world) => {
      const set = { steps: 2, maxStaleness: 1, evalEvery: 2, 'evaluation.samples': 2 };
      const handle = await start(server, 'train', 'train/train', training(world, set));
      while ((await handle.query('progress').catch(() => null)) === null) await sleep(100);
      await handle.executeUpdate('setLearningRate', { args: [0.25] });
      await handle.executeUpdate('closeBatchNow');
      await handle.result();
      await keep('train', 'train/train');
      await keep('rollout-group', 'train/train/g00000000');
      await keep('evaluate-policy', 'train/train/eval-2');
    }),
  'train-continued': (server, keep) =>
    withTraining(server, async (world) => {
      const args = training(world, { steps: 3, historyEvents: 50 });
      await (await start(server, 'train', 'train/train-continued', args)).result();
      await keep('train-continued', 'train/train-continued');
    }),
  rollout: (server, keep) =>
    withTraining(server, async (world) => {
      await (await start(server, 'train', 'train/source', training(world, { steps: 1 }))).result();
      const ofTraining = /^(engine|batchGroups|steps|optimiser|evalEvery|data\.dev)/;
      const set = Object.fromEntries(Object.entries(world.set).filter(([key]) => !ofTraining.test(key)));
      const args = [{ config: 'collect', set: { ...set, from: 'train-source', groups: 2 } }];
      await (await start(server, 'rollout', 'rollout/rollout', args)).result();
      await keep('rollout', 'rollout/rollout');
    }),
  sft: (server, keep) =>
    withTraining(server, async (world) => {
      const file = join(world.dir, 'sft.jsonl');
      const line = (i: number): string => JSON.stringify({ tokens: [5, 6 + i, 7], weights: [0, 0, 1] });
      await writeFile(file, Array.from({ length: 8 }, (_, i) => line(i)).join('\n'));
      const own = { 'engine.baseModel': world.set['engine.baseModel'], 'data.file': file };
      const set = { ...own, steps: 4, batchSize: 4, checkpointEvery: 2 };
      await (await start(server, 'sft', 'sft/sft', [{ config: 'warm-start', set }])).result();
      await keep('sft', 'sft/sft');
    }),
  evaluate: async (server, keep) => {
    const dir = await mkdtemp(join(tmpdir(), 'wideseek-record-'));
    const path = join(dir, 'clubs.jsonl');
    const lines = [0, 1].map((i) => ({
      ...{ id: `q${i}`, question: `Who is the coach of ${clubName(i)}? (${i})`, answer: `Coach ${i}son` },
    }));
    await writeFile(path, lines.map((one) => JSON.stringify(one)).join('\n'));
    const engine = await startEngine(server.address, {
      model: clubModel({ clubs: 1 }),
      search: clubSearch(2),
    });
    try {
      const dataset = { 'dataset.name': 'toy', 'dataset.path': path, 'judge.provider': 'none' };
      const args = [{ config: 'widesearch', set: { ...dataset, samples: 2, concurrency: 2 } }];
      await (await start(server, 'evaluate', 'eval/evaluate', args)).result();
      await keep('evaluate', 'eval/evaluate');
    } finally {
      await engine.stop();
      await rm(dir, { recursive: true, force: true });
    }
  },
  'index-corpus': async (server, keep) => {
    const dir = await mkdtemp(join(tmpdir(), 'wideseek-record-'));
    const connection = await NativeConnection.connect({ address: server.address });
    try {
      const page = (n: number) => ({ url: `https://a.org/${n}`, title: `Page ${n}`, contents: `number${n}` });
      const pages = Array.from({ length: 6 }, (_, n) => `${JSON.stringify(page(n))}\n`).join('');
      await writeFile(join(dir, 'pages.jsonl'), pages);
      const encoder = createWordEncoder();
      const worker = await Worker.create({
        ...{ connection, taskQueue: 'corpus' },
        workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
        activities: createCorpusActivities({ indexDir: dir, dataDir: dir, encoder: async () => encoder }),
      });
      const corpus = { name: 'small', sources: [{ kind: 'pages', path: 'pages.jsonl' }], batch: 3 };
      await worker.runUntil(async () => {
        await (await start(server, 'indexCorpus', 'index/small', [{ corpus }], 'corpus')).result();
      });
      await keep('index-corpus', 'index/small');
    } finally {
      await connection.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};
