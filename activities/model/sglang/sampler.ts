import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request as send } from 'undici';
import { WideseekError } from '../../../domain/errors.ts';
import { rethrowIfCancelled, toWideseekError } from '../../provider-errors.ts';
import { fromHttp } from '../../provider-http.ts';
import type { Sampled, Sampler, SampleRequest } from '../../trainer/port.ts';
import { type Piece, readGenerated } from './reply.ts';

export interface SglangOptions {
  /** Root of an SGLang server or router. */
  baseUrl: string;
  /** Name of the environment variable with the server's key. Absent: none is sent. */
  apiKeyEnv?: string;
  env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds before an interrupted request is sent again (asearcher 3.8). */
  resumeMs?: number;
}

const RESUME_MS = 500;

/**
 * SGLang's native `/generate` as a sampler. A server has one set of weights, changed in place: `path` is not sent, and which
 * version wrote a token is known where the server's `weight_version` is a number. A request that an update of the weights
 * interrupts (finish reason `abort`) goes on with prompt and tokens so far and what is left of the budget, until it
 * stops or the signal aborts; nothing else is tried twice. SGLang's log-probs are those of the scaled distribution, so at a
 * temperature other than 1 the reply is scored once more as a prompt.
 */
export function createSglangSampler(options: SglangOptions): Sampler {
  const root = options.baseUrl.replace(/\/+$/, '');
  if (!URL.canParse(root)) throw new WideseekError('ConfigError', `tokens.url: "${root}" is no URL`);
  const name = `SGLang at ${new URL(root).host}`;
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

  async function generate(body: object, signal: AbortSignal): Promise<Piece> {
    const { apiKeyEnv, env = process.env } = options;
    const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]?.trim();
    if (apiKeyEnv !== undefined && !key)
      throw new WideseekError('Unauthorized', `${name}: no key`, {
        hint: `Set the environment variable ${apiKeyEnv} for the worker`,
      });
    const context = { keyEnv: apiKeyEnv, secrets: key ? [key] : [] };
    try {
      const response = await send(`${root}/generate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
        body: JSON.stringify(body),
        signal,
        dispatcher,
      });
      const text = await response.body.text();
      if (response.statusCode !== 200)
        throw fromHttp({ status: response.statusCode, headers: response.headers, body: text }, name, context);
      return readGenerated(text, name);
    } catch (error) {
      rethrowIfCancelled(signal);
      throw toWideseekError(error, name, context);
    }
  }

  async function sample(asked: SampleRequest, signal: AbortSignal): Promise<Sampled> {
    const tokens: number[] = [];
    const logprobs: number[] = [];
    const versions: (number | undefined)[] = [];
    let finish: Piece['finish'] = 'abort';
    while (finish === 'abort' && tokens.length < asked.maxTokens) {
      const piece = await generate(
        {
          input_ids: [...asked.prompt, ...tokens],
          sampling_params: samplingParams(asked, asked.maxTokens - tokens.length, tokens.length),
          return_logprob: true,
          stream: false,
        },
        signal,
      );
      if (tokens.length + piece.tokens.length > asked.maxTokens)
        throw new WideseekError(
          'BadReply',
          `${name}: ${piece.tokens.length} tokens are more than were asked for`,
        );
      tokens.push(...piece.tokens);
      logprobs.push(...piece.logprobs);
      versions.push(...piece.tokens.map(() => piece.version));
      finish = piece.finish;
      if (finish === 'abort' && tokens.length < asked.maxTokens) await pause(signal);
    }
    const known = versions.flatMap((version) => version ?? []);
    const ids = Int32Array.from(tokens);
    return {
      tokens: ids,
      logprobs:
        asked.temperature === 1 ? Float32Array.from(logprobs) : await rescore(asked.prompt, ids, signal),
      stopReason: finish === 'stop' ? 'stop' : 'length',
      ...(known.length === tokens.length ? { versions: Int32Array.from(known) } : {}),
    };
  }

  const pause = async (signal: AbortSignal): Promise<void> => {
    try {
      await sleep(options.resumeMs ?? RESUME_MS, undefined, { signal });
    } catch (error) {
      rethrowIfCancelled(signal);
      throw toWideseekError(error, name);
    }
  };

  async function rescore(prompt: Int32Array, reply: Int32Array, signal: AbortSignal): Promise<Float32Array> {
    const all = new Int32Array(prompt.length + reply.length);
    all.set(prompt);
    all.set(reply, prompt.length);
    return (await score(all, prompt.length - 1, signal)).slice(-reply.length);
  }

  /** Log-probs of the tokens after position `start`, each given all before it. */
  async function score(all: Int32Array, start: number, signal: AbortSignal): Promise<Float32Array> {
    const { input } = await generate(
      {
        input_ids: [...all],
        sampling_params: { max_new_tokens: 1, temperature: 1, ignore_eos: true },
        return_logprob: true,
        logprob_start_len: start,
        stream: false,
      },
      signal,
    );
    const length = all.length - 1 - start;
    // The first entry is that of position `start`, which nothing predicts in this request.
    const scored = input.slice(-length);
    const wrong = scored.findIndex(({ id, logprob }, at) => id !== all[start + 1 + at] || logprob === null);
    if (scored.length !== length || wrong >= 0)
      throw new WideseekError(
        'BadReply',
        `${name}: input_token_logprobs are not those of the ${length} prompt tokens asked for`,
      );
    return Float32Array.from(scored, ({ logprob }) => logprob ?? NaN);
  }

  return {
    name,
    sample,
    promptLogprobs: async (prompt, _path, signal) =>
      prompt.length < 2 ? new Float32Array(0) : score(prompt, 0, signal),
  };
}

/** A resumed request continues the random sequence with a seed of its own: the same one would repeat its draws. */
const samplingParams = (asked: SampleRequest, left: number, done: number): Record<string, unknown> => ({
  max_new_tokens: left,
  temperature: asked.temperature,
  ...(asked.topP === undefined ? {} : { top_p: asked.topP }),
  ...(asked.seed === undefined ? {} : { sampling_seed: (asked.seed + done) % 2 ** 31 }),
  stop_token_ids: asked.stop,
  // The stop token and its log-prob are part of the reply.
  no_stop_trim: true,
  skip_special_tokens: false,
});
