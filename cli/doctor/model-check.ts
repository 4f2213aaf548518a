import { loadRunConfig } from '../../configs/load.ts';
import type { ModelConfig } from '../../configs/schema.ts';
import { type Check, examine, type Finding } from './check.ts';

const ask = async (url: string, key: string | undefined): Promise<Omit<Finding, 'name'>> => {
  const where = new URL(url).origin;
  try {
    const reply = await fetch(`${url.replace(/\/+$/, '')}/models`, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      signal: AbortSignal.timeout(5_000),
    });
    if (reply.ok) return { state: 'ok', detail: `${where} answers` };
    if (reply.status === 401 || reply.status === 403) {
      return {
        state: 'fail',
        detail: `${where} refuses the key (${reply.status})`,
        hint: 'Check WIDESEEK_API_KEY',
      };
    }
    return {
      state: 'warn',
      detail: `${where} answers ${reply.status} to a list of its models`,
      hint: 'Some servers have no such list; ask a question to be sure',
    };
  } catch (error) {
    const reason =
      error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : '';
    return {
      state: 'fail',
      detail: `${where} does not answer: ${reason}`,
      hint: 'Start the model server, or correct WIDESEEK_MODEL_URL',
    };
  }
};

const endpointsOf = ({ provider, baseUrls }: ModelConfig, env: NodeJS.ProcessEnv): string[] => {
  if (provider === 'extractive') return [];
  return baseUrls.length > 0 ? baseUrls : env.WIDESEEK_MODEL_URL ? [env.WIDESEEK_MODEL_URL] : [];
};

/** Asks the endpoint of the default model for its list of models, which costs nothing. */
export const checkModel: Check = (io) =>
  examine('model', async () => {
    const model = (await loadRunConfig('ask')).models.default;
    const [url] = endpointsOf(model, io.env);
    if (!url) {
      return {
        state: 'ok',
        detail: 'the built-in extractive policy',
        hint: 'For a language model set WIDESEEK_MODEL_URL and WIDESEEK_MODEL',
      };
    }
    return ask(url, io.env[model.apiKeyEnv ?? 'WIDESEEK_API_KEY']);
  });
