import type { ModelConfig } from '../../../configs/schema.ts';
import type { TokensConfig } from '../../../configs/tokens-schema.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { ENGINES } from '../../../domain/rl/engine.ts';
import type { Documents } from '../../store/port.ts';
import { readPolicy } from '../../trainer/policy.ts';
import type { Sampler } from '../../trainer/port.ts';
import { createWireEngine } from '../../trainer/wire/engine.ts';
import type { ChatModel } from '../port.ts';
import { createSglangSampler } from '../sglang/sampler.ts';
import { createTokenModel, type CurrentPolicy } from './model.ts';
import { loadTokenizer } from './tokenizer.ts';

export interface OpenTokenModelOptions {
  /** Where train runs publish their weights. */
  documents: Documents;
  env: Readonly<Record<string, string | undefined>>;
  /** Address of this host's own engine now; a restart may move it. Without it every `wire` needs an address. */
  localEngine?: () => string;
  /** Makes the sampler at an address. Default: the engine that the configuration names. */
  createSampler?: (url: string) => Sampler;
}

/**
 * The model of an endpoint with the provider `tokens`. Files and engine are touched at the first call. It samples where
 * the policy says, else at `tokens.url`, else, with `wire`, at the local engine. Throws `InvalidInput` naming the missing
 * field: `tokens` itself, or `tokens.url` where none of the three is. A call throws it where the policy has published
 * nothing yet and there is neither of the others.
 */
export function openTokenModel(config: ModelConfig, options: OpenTokenModelOptions): ChatModel {
  const { tokens } = config;
  if (!tokens)
    throw invalidInput(
      'models.default.tokens',
      'is missing',
      'The provider "tokens" needs engine and tokenizer',
    );
  const local = tokens.engine === 'wire' ? options.localEngine : undefined;
  if (!tokens.url && !tokens.policy && !local)
    throw invalidInput(
      'models.default.tokens.url',
      'is missing',
      'Set it, or tokens.policy to follow a train run',
    );
  const samplers = new Map<string, Sampler>();
  const create = options.createSampler ?? ((url: string) => createSampler(url, config, tokens, options.env));

  return createTokenModel({
    name: config.model || tokens.policy || tokens.tokenizer,
    tokenizer: () => loadTokenizer(tokens.tokenizer),
    policy: () => currentPolicy(tokens, options.documents),
    sampler: (url) => {
      const address = url ?? tokens.url ?? local?.();
      if (!address)
        throw invalidInput(
          'models.default.tokens.url',
          `is missing, and the train run "${tokens.policy}" has published nothing yet`,
          'Start the run first, or set the address',
        );
      const known = samplers.get(address);
      if (known) return known;
      const made = create(address);
      samplers.set(address, made);
      return made;
    },
    topP: tokens.topP,
    templateVariables: tokens.template,
    timeoutMs: config.timeoutSeconds * 1000,
  });
}

function createSampler(
  baseUrl: string,
  { apiKeyEnv, model, timeoutSeconds }: ModelConfig,
  { engine }: TokensConfig,
  env: OpenTokenModelOptions['env'],
): Sampler {
  if (engine === 'sglang') return createSglangSampler({ baseUrl, apiKeyEnv, env });
  return createWireEngine({
    baseUrl,
    apiKeyEnv,
    env,
    // What an engine can train does not matter to one that only samples.
    capabilities: ENGINES.tinker,
    baseModel: model || undefined,
    deadlines: { sample: timeoutSeconds * 1000 },
  });
}

/** A fixed snapshot goes before a train run's weights. */
async function currentPolicy(tokens: TokensConfig, documents: Documents): Promise<CurrentPolicy> {
  const { policy, path } = tokens;
  const published = policy === undefined ? undefined : await readPolicy(documents, policy);
  if (path !== undefined)
    return { version: published?.version ?? 0, path, url: tokens.url ?? published?.url ?? null };
  return published ?? { version: 0, path: null, url: null };
}
