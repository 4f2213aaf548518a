import { ENGINES } from '../../domain/rl/engine.ts';
import { createWireEngine } from '../../activities/trainer/wire/engine.ts';
import { openStore } from '../../activities/store/open.ts';
import { trainingWorkers } from '../support/training.ts';

/** Rollouts and a trainer's host in one process: argv is the server's address, the store, the engine and the host's name. */
const [address = '', storeUrl = '', url = '', host] = process.argv.slice(2);
const client = createWireEngine({
  ...{ baseUrl: url, capabilities: ENGINES['local-jax'], baseModel: 'fake-model', vocabSize: 64 },
});
const workers = await trainingWorkers(
  address,
  await openStore(storeUrl),
  { url, client },
  { rollouts: true, host },
);
await workers.done;
