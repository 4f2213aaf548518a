import { hostname } from 'node:os';
import type { TrainingProviders } from '../activities/trainer/activities.ts';
import type { EngineAccess } from '../activities/trainer/live-model.ts';
import { createWireEngine } from '../activities/trainer/wire/engine.ts';
import { WideseekError } from '../domain/errors.ts';
import { ENGINES } from '../domain/rl/engine.ts';
import { recallEngine } from '../infra/local/engine.ts';
import { wideseekHome } from '../infra/local/home.ts';

/** Where our own engine listens unless it is told otherwise. */
const LOCAL_ENGINE = 'http://127.0.0.1:8777';

/** This machine as a trainer: WIDESEEK_TRAINER_HOST, else its host name, in letters that a queue's name may have. */
export const trainerHost = (env: NodeJS.ProcessEnv): string =>
  (env.WIDESEEK_TRAINER_HOST ?? hostname()).replace(/[^\w.-]+/g, '-');

/** Address of this host's engine now: WIDESEEK_ENGINE_URL, else that of the home's own, which a restart may move. */
export const localEngineUrl = (env: NodeJS.ProcessEnv): string =>
  env.WIDESEEK_ENGINE_URL ?? recallEngine(wideseekHome(env)) ?? LOCAL_ENGINE;

/**
 * Engines by configuration, one client each, and what makes agents sample from a training's policy. An engine without an
 * address is the one that WIDESEEK_ENGINE_URL names on this host. Throws `ConfigError` where nothing names one.
 */
export function createTrainingProviders(env: NodeJS.ProcessEnv): TrainingProviders {
  const engines = new Map<string, EngineAccess>();
  return {
    host: trainerHost(env),
    engine: ({ kind, name, url: configured, baseModel }) => {
      const url = configured ?? (kind === 'local' ? localEngineUrl(env) : env.WIDESEEK_ENGINE_URL);
      if (url === undefined)
        throw new WideseekError('ConfigError', 'engine.url: is empty', {
          hint: 'Set it, or WIDESEEK_ENGINE_URL of the host that trains',
        });
      const key = JSON.stringify([url, name, baseModel]);
      const known = engines.get(key);
      if (known) return known;
      const apiKeyEnv = env.WIDESEEK_ENGINE_API_KEY ? 'WIDESEEK_ENGINE_API_KEY' : undefined;
      const engine = createWireEngine({
        ...{ baseUrl: url, capabilities: ENGINES[name], baseModel, env },
        ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
      });
      const made = { engine, url };
      engines.set(key, made);
      return made;
    },
    sampling: (run, pinned, seed) => ({
      'models.default.provider': 'tokens',
      'models.default.seed': seed,
      ...(pinned === null
        ? { 'models.default.tokens.policy': run }
        : {
            'models.default.tokens.url': pinned.url,
            ...(pinned.path === null ? {} : { 'models.default.tokens.path': pinned.path }),
          }),
    }),
  };
}
