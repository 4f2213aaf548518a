import { WideseekError } from '../../../domain/errors.ts';
import type { Sampler, SampleRequest } from '../../trainer/port.ts';
import { rethrowIfCancelled, toWideseekError } from '../../provider-errors.ts';
import { CONTEXT_OVERFLOW_PREFIX } from '../../provider-http.ts';
import { withDeadline } from '../deadline.ts';
import { parseHermes } from '../hermes.ts';
import type { ChatModel, ModelReply, ModelRequest } from '../port.ts';
import { splitReasoning } from '../reasoning.ts';
import { createPrompter } from './prompt.ts';
import { checkSampled } from './sampled.ts';
import { turnSeed } from './seed.ts';
import type { ChatTokenizer } from './tokenizer.ts';

/** The weights to sample from now. */
export interface CurrentPolicy {
  version: number;
  /** Null: the base model. */
  path: string | null;
  /** Where they are served; null: where the configuration says. */
  url: string | null;
}

export interface TokenModelOptions {
  name: string;
  /** Loaded at the first call; asked again after a failure. */
  tokenizer: () => Promise<ChatTokenizer>;
  /** Asked at every call, so that weights may be published while agents work. */
  policy: () => Promise<CurrentPolicy>;
  sampler: (url: string | null) => Sampler | Promise<Sampler>;
  /** Ids that the engine's model has; undefined where it does not say. Compared with the tokenizer once. */
  engineVocabSize?: (sampler: Sampler) => Promise<number | undefined>;
  topP?: number;
  /** Further variables of the chat template, e.g. `{"enable_thinking": false}`. */
  templateVariables?: Readonly<Record<string, unknown>>;
  /** Milliseconds for one sample. */
  timeoutMs: number;
}

/** Fewer tokens than this are no room for a reply. */
const LEAST_REPLY = 16;

/**
 * A chat model on token ids: prompts continue the ids of the agent's last turn (see `createPrompter`), the reply is what
 * the sampler returned, id for id, in `ModelReply.tokens`. Text, reasoning and Hermes tool calls are read from the decoded
 * ids. A reply without text or calls is the policy's own and is returned as it is. Never retries.
 * Throws as the sampler does; `BadReply` for a malformed sample; `ConfigError`, not retryable, where tokenizer and
 * model do not belong together; the context overflow error where `contextTokens` leaves no room.
 */
export function createTokenModel(options: TokenModelOptions): ChatModel {
  let loading: Promise<{ tokenizer: ChatTokenizer; promptOf: ReturnType<typeof createPrompter> }> | undefined;
  const compared = new WeakMap<Sampler, Promise<void>>();

  const load = async () => {
    loading ??= options.tokenizer().then((tokenizer) => ({
      tokenizer,
      promptOf: createPrompter(tokenizer, options.templateVariables),
    }));
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };

  const compare = async (tokenizer: ChatTokenizer, sampler: Sampler): Promise<void> => {
    const size = await options.engineVocabSize?.(sampler);
    const needed = tokenizer.largestId + 1;
    if (size === undefined || size >= needed) return;
    throw new WideseekError(
      'ConfigError',
      `${sampler.name}: its model has ${size} token ids, the tokenizer of ${options.name} needs ${needed}`,
      { hint: 'models.*.tokens.tokenizer must be the tokenizer of the model that the engine serves' },
    );
  };

  const complete: ChatModel['complete'] = async (request, signal) => {
    rethrowIfCancelled(signal);
    const [{ tokenizer, promptOf }, policy] = await Promise.all([load(), options.policy()]);
    const sampler = await options.sampler(policy.url);
    if (!compared.has(sampler)) compared.set(sampler, compare(tokenizer, sampler));
    await compared.get(sampler)?.catch((error: unknown) => {
      compared.delete(sampler);
      throw error;
    });
    const prompt = promptOf(request);
    const asked = sampleRequest(request, prompt.tokens, policy.path, tokenizer.stopIds, options.topP);
    try {
      const sampled = await withDeadline(signal, options.timeoutMs, (inner) => sampler.sample(asked, inner));
      checkSampled(sampled, asked, tokenizer.vocabSize, sampler.name);
      const { tokens, logprobs, versions } = sampled;
      const ended = tokenizer.stopIds.includes(tokens.at(-1)!);
      const written = tokenizer.decode(ended ? tokens.subarray(0, -1) : tokens);
      return {
        ...readText(prompt.thinks ? `<think>${written}` : written, request, ended),
        usage: { promptTokens: prompt.tokens.length, completionTokens: tokens.length },
        tokens: {
          promptTokens: prompt.tokens,
          responseTokens: tokens,
          logprobs,
          version: policy.version,
          ...(versions ? { versions } : {}),
          mismatch: prompt.mismatch,
        },
      };
    } catch (error) {
      rethrowIfCancelled(signal);
      throw toWideseekError(error, sampler.name);
    }
  };
  return { name: options.name, exactTokens: true, complete };
}

function sampleRequest(
  request: ModelRequest,
  prompt: Int32Array,
  path: string | null,
  stop: readonly number[],
  topP: number | undefined,
): SampleRequest {
  const room = (request.contextTokens ?? Infinity) - prompt.length;
  if (room < LEAST_REPLY)
    throw new WideseekError(
      'BadRequest',
      `${CONTEXT_OVERFLOW_PREFIX}${prompt.length} prompt tokens leave no room for a reply in ${request.contextTokens}`,
    );
  const turn = request.messages.filter(({ role }) => role === 'assistant').length + 1;
  return {
    prompt,
    path,
    maxTokens: Math.min(room, request.maxTokens),
    temperature: request.temperature,
    ...(topP === undefined ? {} : { topP }),
    ...(request.seed === undefined ? {} : { seed: turnSeed(request.seed, request.session, turn) }),
    stop,
  };
}

function readText(
  text: string,
  request: ModelRequest,
  ended: boolean,
): Pick<ModelReply, 'message' | 'finishReason'> {
  const split = splitReasoning(text);
  const turn = request.messages.filter(({ role }) => role === 'assistant').length;
  const { content, calls } = parseHermes(split.content, `call_${turn}`);
  return {
    message: {
      role: 'assistant',
      content,
      ...(split.reasoning ? { reasoning: split.reasoning } : {}),
      ...(calls.length > 0 ? { toolCalls: calls } : {}),
    },
    finishReason: !ended ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
  };
}
