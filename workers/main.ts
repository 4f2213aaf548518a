import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import type { Encoder } from '../activities/search/port.ts';
import { type EncoderPreset, openEncoder } from '../activities/search/encoder/open.ts';
import { createCorpusActivities } from '../activities/corpus/activities.ts';
import { createPageCache } from '../activities/pages/cache.ts';
import { createStoreIndex } from '../activities/pages/store-index.ts';
import { createPayloadStorage } from '../activities/store/external-storage.ts';
import { openStore } from '../activities/store/open.ts';
import { hostQueue } from '../activities/trainer/step.ts';
import { loadQueues, type QueueConfig } from '../configs/workers-schema.ts';
import { invalidInput, WideseekError } from '../domain/errors.ts';
import { ensureEncoderFiles } from '../infra/local/artifacts.ts';
import { connect, connectionOptions, namespaceOf } from '../infra/local/connect.ts';
import { homePaths, storeUrl, wideseekHome } from '../infra/local/home.ts';
import { EXIT_CONFIG } from '../infra/local/restarts.ts';
import { registerSearchAttributes } from '../infra/local/search-attributes.ts';
import { createActivities } from './activities.ts';
import { workflowBundle } from './bundle.ts';
import { serveHealth } from './health.ts';
import { createProviders } from './providers.ts';
import { createTrainingProviders, trainerHost } from './training.ts';
import { readTelemetry } from './telemetry.ts';
import { startWorkers } from './worker.ts';

/**
 * A worker process. Environment: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, WIDESEEK_HOME, WIDESEEK_STORE,
 * WIDESEEK_QUEUES (comma list; default all of configs/workers.yaml), WIDESEEK_HEALTH_PORT.
 * Ends with 78 when its configuration is wrong, so that a supervisor does not start it again.
 */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const telemetry = readTelemetry(env);
  const plugins = telemetry.tracing ? [telemetry.tracing] : [];
  Runtime.install({ shutdownSignals: [], ...telemetry.runtime });
  const home = wideseekHome(env);
  const paths = homePaths(home);
  await mkdir(paths.index, { recursive: true });

  let states: () => Record<string, string> = () => ({});
  const health = env.WIDESEEK_HEALTH_PORT
    ? await serveHealth(Number(env.WIDESEEK_HEALTH_PORT), () => states())
    : null;
  const [store, encoder, bundle, queues] = await Promise.all([
    openStore(storeUrl(home, env)),
    encoderFor('minilm'),
    workflowBundle(join(home, 'cache'), plugins),
    chosenQueues(env.WIDESEEK_QUEUES).then((chosen) => withHostQueue(chosen, env)),
  ]);
  const pageCache = createPageCache({ blobs: store, index: createStoreIndex(store.documents) });
  const { documents } = store;
  const providers = createProviders({
    indexDir: paths.index,
    encoder,
    encoderFor,
    pageCache,
    documents,
    env,
  });
  const address = env.TEMPORAL_ADDRESS ?? '127.0.0.1:7233';
  const namespace = namespaceOf(env);
  await registerAttributes(address, namespace, env);
  const workers = await startWorkers({
    address,
    connection: connectionOptions(address, env),
    namespace,
    queues,
    activities: {
      ...createActivities(store, { ...providers, training: createTrainingProviders(env) }),
      ...createCorpusActivities({
        indexDir: paths.index,
        dataDir: env.WIDESEEK_DATA ?? join(home, 'data'),
        encoder: encoderFor,
        qdrant: { url: env.QDRANT_URL, apiKey: env.QDRANT_API_KEY },
      }),
    },
    dataConverter: createPayloadStorage(store),
    workflowBundle: bundle,
    plugins,
  });
  states = workers.states;

  const stop = (): void => void workers.stop().catch(() => undefined);
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  await workers.done;
  await providers.close();
  await telemetry.flush();
  await store.close();
  health?.close();
}

/** Workflows set these attributes; a server that does not know them would hold up every workflow task. */
async function registerAttributes(address: string, namespace: string, env: NodeJS.ProcessEnv): Promise<void> {
  const connection = await connect(address, { env, timeoutMs: 30_000 });
  try {
    await registerSearchAttributes(connection, namespace);
  } finally {
    await connection.close();
  }
}

/** Each encoder is loaded once, when the first corpus needs it. */
const encoders = new Map<EncoderPreset, Promise<Encoder>>();
function encoderFor(preset: EncoderPreset): Promise<Encoder> {
  const loading = encoders.get(preset) ?? openEncoder(preset, () => ensureEncoderFiles(), console.warn);
  encoders.set(preset, loading);
  loading.catch(() => encoders.delete(preset));
  return loading;
}

/** Whoever serves `train` can be asked to train, and then serves the queue of this host. */
function withHostQueue(queues: Map<string, QueueConfig>, env: NodeJS.ProcessEnv): Map<string, QueueConfig> {
  const train = queues.get('train');
  return train ? new Map([...queues, [hostQueue(trainerHost(env)), train]]) : queues;
}

async function chosenQueues(names: string | undefined): Promise<Map<string, QueueConfig>> {
  const all = await loadQueues();
  if (!names) return all;
  return new Map(
    names.split(',').map((name) => {
      const queue = all.get(name.trim());
      if (!queue)
        throw invalidInput(
          'WIDESEEK_QUEUES',
          `there is no queue "${name.trim()}"`,
          `Known: ${[...all.keys()].join(', ')}`,
        );
      return [name.trim(), queue] as const;
    }),
  );
}

main(process.env).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof WideseekError ? `${error.type}: ${error.message}` : error);
    const wrong = error instanceof WideseekError && ['ConfigError', 'InvalidInput'].includes(error.type);
    process.exit(wrong ? EXIT_CONFIG : 1);
  },
);
