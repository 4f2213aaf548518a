import type { JudgeConfig } from '../../configs/judge-schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import { createOpenAiModel } from '../model/openai.ts';
import type { ChatModel } from '../model/port.ts';

export interface JudgeModelOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** The engine that answers the questions, for `provider: policy`; null where it cannot judge. */
  policy?: () => ChatModel | null;
}

/**
 * Judges by configuration, one client per distinct one. `auto` takes WIDESEEK_JUDGE_URL, WIDESEEK_JUDGE_MODEL and
 * WIDESEEK_JUDGE_API_KEY, and is null without the first. Throws `ConfigError` for a configuration that cannot work.
 */
export function createJudgeModels({
  env,
  policy,
}: JudgeModelOptions): (config: JudgeConfig) => ChatModel | null {
  const known = new Map<string, ChatModel>();
  return (config) => {
    if (config.provider === 'none') return null;
    if (config.provider === 'policy') return policyModel(policy);
    const fromEnv = env.WIDESEEK_JUDGE_URL ? [env.WIDESEEK_JUDGE_URL] : [];
    const baseUrls = config.baseUrls.length > 0 ? config.baseUrls : fromEnv;
    if (baseUrls.length === 0 && config.provider === 'auto') return null;
    const model = config.model || env.WIDESEEK_JUDGE_MODEL;
    if (baseUrls.length === 0 || !model) {
      const field = model ? 'baseUrls' : 'model';
      const variable = model ? 'WIDESEEK_JUDGE_URL' : 'WIDESEEK_JUDGE_MODEL';
      throw new WideseekError('ConfigError', `judge.${field}: is empty`, { hint: `Set it, or ${variable}` });
    }
    const apiKeyEnv = config.apiKeyEnv ?? (env.WIDESEEK_JUDGE_API_KEY ? 'WIDESEEK_JUDGE_API_KEY' : undefined);
    const { extraBody, timeoutSeconds } = config;
    const endpoint = { model, baseUrls, apiKeyEnv, extraBody, timeoutMs: timeoutSeconds * 1000 };
    const key = JSON.stringify(endpoint);
    const made = known.get(key) ?? createOpenAiModel({ ...endpoint, toolFormat: 'native', env });
    known.set(key, made);
    return made;
  };
}

function policyModel(policy: JudgeModelOptions['policy']): ChatModel | null {
  if (policy) return policy();
  throw new WideseekError('ConfigError', 'judge.provider: there is no policy to judge with here', {
    hint: 'Name an endpoint: provider openai, baseUrls and model',
  });
}
