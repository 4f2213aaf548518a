import { openCorpus, type OpenCorpusOptions } from '../activities/corpus/open.ts';
import { createJudgeModels } from '../activities/judge/models.ts';
import { createExtractiveModel } from '../activities/model/extractive/index.ts';
import { createOpenAiModel } from '../activities/model/openai.ts';
import type { ChatModel } from '../activities/model/port.ts';
import { openTokenModel } from '../activities/model/tokens/open.ts';
import type { PageCache } from '../activities/pages/cache.ts';
import { createExtractor, type Extract } from '../activities/pages/extractor.ts';
import { openRetrievalSearch } from '../activities/search/http-client.ts';
import type { Summariser } from '../activities/search/summary.ts';
import { openWebSearch } from '../activities/search/web/open.ts';
import type { Documents } from '../activities/store/port.ts';
import { loadCorpus } from '../configs/corpus-schema.ts';
import { judgeSchema } from '../configs/judge-schema.ts';
import type { Encoder, SearchProvider } from '../activities/search/port.ts';
import { type ModelConfig, type RunConfig, runConfigSchema } from '../configs/schema.ts';
import { invalidInput } from '../domain/errors.ts';
import type { Providers } from './activities.ts';
import { localEngineUrl } from './training.ts';

export interface ProviderOptions extends OpenCorpusOptions {
  /** The embedded encoder, for the extractive policy; zero dimensions where none can be had. */
  encoder: Encoder;
  /** Pages of the open web that were read before, by any worker. */
  pageCache: PageCache;
  /** Where search results are kept, for every worker of the store. */
  documents: Documents;
  env: NodeJS.ProcessEnv;
}

/** Real models and search, made once per distinct configuration and kept for the life of the process. */
export function createProviders(options: ProviderOptions): Providers & { close: () => Promise<void> } {
  const { encoder, env } = options;
  const models = new Map<string, ChatModel>();
  const searches = new Map<string, Promise<SearchProvider & { close?: () => Promise<void> }>>();
  const extractor = createExtractor();

  const model = (config: ModelConfig): ChatModel => {
    const endpoint = resolveEndpoint(config, env);
    const key = JSON.stringify(endpoint);
    const known = models.get(key);
    if (known) return known;
    const made =
      endpoint === 'extractive'
        ? createExtractiveModel({ encoder: encoder.dimensions > 0 ? encoder : null })
        : 'provider' in endpoint
          ? openTokenModel(endpoint, {
              documents: options.documents,
              env,
              localEngine: () => localEngineUrl(env),
            })
          : createOpenAiModel({ ...endpoint, env });
    models.set(key, made);
    return made;
  };

  const search = (config: RunConfig['search']): Promise<SearchProvider> => {
    // What decides how results are shown is no reason for another client, or for another MCP server.
    const { provider, web, corpus, url } = config;
    const key = JSON.stringify({ provider, web, corpus, url });
    const known = searches.get(key);
    if (known) return known;
    const opening = openSearch(config, options, extractor.extract);
    // A corpus that is built later must be found later: failures are not kept.
    opening.catch(() => searches.delete(key));
    searches.set(key, opening);
    return opening;
  };

  const isLocalModel = (config: ModelConfig): boolean => resolveEndpoint(config, env) === 'extractive';
  // The engine that the environment names judges too; the extractive policy cannot judge.
  const judge = createJudgeModels({
    env,
    policy: () => (env.WIDESEEK_MODEL_URL ? model(runConfigSchema.parse({}).models.default) : null),
  });

  /** The configured summariser, else the environment's judge, else the run's default model; the built-in policy cannot. */
  const summariser = ({
    models: { summariser: own, default: usual },
    queues,
  }: RunConfig): Summariser | null => {
    const judging = own ? null : judge(judgeSchema.parse({}));
    if (judging) {
      const { timeoutSeconds } = judgeSchema.parse({});
      return { model: judging, endpoint: { temperature: 0, timeoutSeconds }, queue: 'judge' };
    }
    const endpoint = own ?? usual;
    if (isLocalModel(endpoint)) return null;
    const byRun = queues.model === 'auto' ? 'model' : queues.model === 'local' ? null : queues.model;
    return { model: model(endpoint), endpoint, queue: endpoint.queue ?? byRun };
  };

  return {
    model,
    isLocalModel,
    search,
    isLocalSearch: (config) => config.provider === 'corpus',
    judge,
    summariser,
    /** Ends the threads that read pages and the servers that were started for searching. */
    close: async () => {
      const opened = await Promise.allSettled(searches.values());
      const closing = opened.map((one) => (one.status === 'fulfilled' ? one.value.close?.() : undefined));
      await Promise.allSettled([extractor.close(), ...closing]);
    },
  };
}

/** `auto` becomes the endpoint that the environment names, else the built-in policy. Throws `InvalidInput`. */
function resolveEndpoint(config: ModelConfig, env: NodeJS.ProcessEnv) {
  const { provider, model, baseUrls, apiKeyEnv, toolFormat, timeoutSeconds, extraBody, prices } = config;
  if (provider === 'tokens') return config;
  const url = baseUrls.length > 0 ? baseUrls : env.WIDESEEK_MODEL_URL ? [env.WIDESEEK_MODEL_URL] : [];
  if (provider === 'extractive' || (provider === 'auto' && url.length === 0)) return 'extractive' as const;
  if (url.length === 0)
    throw invalidInput('models.default.baseUrls', 'is empty', 'Set it, or WIDESEEK_MODEL_URL');
  const name = model || env.WIDESEEK_MODEL;
  if (!name) throw invalidInput('models.default.model', 'is empty', 'Set it, or WIDESEEK_MODEL');
  const keyName = apiKeyEnv ?? (env.WIDESEEK_API_KEY ? 'WIDESEEK_API_KEY' : undefined);
  return {
    model: name,
    baseUrls: url,
    apiKeyEnv: keyName,
    toolFormat,
    timeoutMs: timeoutSeconds * 1000,
    extraBody,
    prices,
  };
}

async function openSearch(
  config: RunConfig['search'],
  options: ProviderOptions,
  extract: Extract,
): Promise<SearchProvider & { close?: () => Promise<void> }> {
  if (config.provider === 'web') {
    if (!config.web)
      throw invalidInput('search.web', 'is missing', 'It names the search engine; see configs/web.yaml');
    const { env, pageCache, documents } = options;
    return openWebSearch(config.web, { env, cache: pageCache, documents, extract });
  }
  if (config.provider === 'server') {
    if (!config.url) throw invalidInput('search.url', 'is missing', 'The server provider needs its address');
    return openRetrievalSearch({ baseUrl: config.url });
  }
  return openCorpus(await loadCorpus(config.corpus), options);
}
