import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatModel, ModelReply, ModelRequest } from '../../activities/model/port.ts';
import { turnSeed } from '../../activities/model/tokens/seed.ts';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import type { TrainingProviders } from '../../activities/trainer/activities.ts';
import type { FakeEngine } from '../../activities/trainer/fake-engine.ts';
import { readPolicy } from '../../activities/trainer/policy.ts';
import type { TrainingEngine } from '../../activities/trainer/port.ts';
import { hostQueue } from '../../activities/trainer/step.ts';
import type { ModelConfig } from '../../configs/schema.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { createActivities } from '../../workers/activities.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { type RunningWorkers, startWorkers } from '../../workers/worker.ts';
import { installRuntime } from './engine.ts';

/** Ids of the toy vocabulary: what ends a reply. */
const STOP = 3;
const REPLY = 6;

/** The answer that a question wants: the first id of the reply is even. */
export const RIGHT = 'even';

/** Hook into the toy model: may throw, or wait, before a reply. */
export type BeforeReply = (request: ModelRequest, run: string, signal: AbortSignal) => Promise<void> | void;

/**
 * A model that answers at once with ids sampled from the policy that a train run publishes: right where the first id is
 * even, so a policy can really learn it. `config.model` is `run` or `run@path`.
 */
export function toyModel(
  config: ModelConfig,
  store: Store,
  engine: (url: string) => TrainingEngine,
  before: BeforeReply,
): ChatModel {
  const [run = '', pinned] = config.model.split('@');
  return {
    name: `toy ${run}`,
    exactTokens: true,
    complete: async (request, signal): Promise<ModelReply> => {
      await before(request, run, signal);
      const policy = await readPolicy(store.documents, run);
      if (!policy) throw new Error('nothing is published');
      const text = request.messages.map(({ content }) => content).join('\n');
      const promptTokens = Int32Array.from({ length: 4 }, (_, i) => 4 + (text.charCodeAt(i) % 60));
      const sampled = await engine(policy.url).sample(
        {
          prompt: promptTokens,
          path: pinned ?? policy.path,
          maxTokens: REPLY,
          temperature: request.temperature,
          seed: turnSeed(request.seed ?? 0, request.session, 1),
          stop: [STOP],
        },
        signal,
      );
      const answer = sampled.tokens[0]! % 2 === 0 ? RIGHT : 'odd';
      return {
        message: { role: 'assistant', content: `\\boxed{${answer}}` },
        finishReason: 'stop',
        usage: { promptTokens: promptTokens.length, completionTokens: sampled.tokens.length },
        tokens: {
          promptTokens,
          responseTokens: sampled.tokens,
          logprobs: sampled.logprobs,
          version: policy.version,
          mismatch: false,
        },
      };
    },
  };
}

export interface WorkersOptions {
  rollouts?: boolean;
  host?: string;
  before?: BeforeReply;
  judge?: ChatModel;
  /** Tokens of a finished rollout, in place of those that were recorded. */
  collect?: TrainingProviders['collect'];
}

/** One process's workers: rollouts and records, or a trainer's host, or both. */
export async function trainingWorkers(
  address: string,
  store: Store,
  engine: { url: string; client: TrainingEngine },
  { rollouts = false, host, before = () => undefined, judge, collect }: WorkersOptions,
): Promise<RunningWorkers> {
  installRuntime();
  const training: TrainingProviders = {
    host: host ?? 'none',
    collect,
    engine: () => ({ engine: engine.client, url: engine.url }),
    sampling: (run, pinned, seed) => ({
      'models.default.model': pinned === null ? run : `${run}@${pinned.path}`,
      'models.default.seed': seed,
    }),
  };
  const activities = createActivities(store, {
    model: (config) => toyModel(config, store, () => engine.client, before),
    isLocalModel: () => true,
    search: () =>
      Promise.resolve({
        name: 'none',
        search: async () => [],
        access: async (url) => ({ url, unreadable: 'not_found' as const }),
      }),
    isLocalSearch: () => true,
    judge: () => judge ?? null,
    training,
  });
  const queues = [
    ...(rollouts ? [TASK_QUEUE, 'judge'] : []),
    ...(host === undefined ? [] : ['train', hostQueue(host)]),
  ];
  return startWorkers({
    address,
    queues: new Map(queues.map((name) => [name, { concurrency: 50 }])),
    activities,
    workflowBundle: await workflowBundle(join(tmpdir(), 'wideseek-test-bundles')),
  });
}

export interface TrainingWorld {
  store: Store;
  dir: string;
  /** Overrides that make `wideseek-r1-4b` small. */
  set: Record<string, string | number | boolean | null>;
  workers: (options: WorkersOptions) => Promise<RunningWorkers>;
  stop: () => Promise<void>;
}

/** A store, questions with one right answer, and workers around a fake engine. */
export async function startTrainingWorld(
  address: string,
  engine: Pick<FakeEngine, 'url' | 'client' | 'baseModel'>,
  questions = 4,
): Promise<TrainingWorld> {
  installRuntime();
  const dir = await mkdtemp(join(tmpdir(), 'wideseek-train-'));
  const path = join(dir, 'questions.jsonl');
  const lines = Array.from({ length: questions }, (_, i) => ({
    id: `q${i}`,
    question: `Even or odd, ${i}?`,
    answer: RIGHT,
  }));
  await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  const store = await openStore(`sqlite:${join(dir, 'store.db')}`);
  const client = engine.client();
  const running: RunningWorkers[] = [];
  return {
    store,
    dir,
    set: {
      'engine.kind': 'local',
      'engine.name': 'local-jax',
      'engine.baseModel': engine.baseModel,
      'data.dataset.name': 'toy',
      'data.dataset.path': path,
      'data.dev.name': 'toy',
      'data.dev.path': path,
      'data.dev.limit': 2,
      'data.epochs': null,
      'policy.set': null,
      'judge.provider': 'none',
      'reward.single': 'em',
      'optimiser.schedule.peak': 0.5,
      'agents.workflow': 'sa',
      'retry.model.attempts': 1,
      evalEvery: null,
      groupSize: 4,
      batchGroups: 2,
      steps: 2,
      retries: 1,
    },
    workers: async (options) => {
      const started = await trainingWorkers(address, store, { url: engine.url, client }, options);
      running.push(started);
      return started;
    },
    stop: async () => {
      await Promise.all(running.map((workers) => workers.stop().catch(() => undefined)));
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
