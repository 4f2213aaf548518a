import { afterEach, describe, expect, it } from 'vitest';
import type { WideseekError } from '../../../domain/errors.ts';
import type { SampleRequest } from '../../trainer/port.ts';
import { createSglangSampler, type SglangOptions } from './sampler.ts';
import {
  type FakeAnswer,
  type FakeSglang,
  generated,
  type GenerateBody,
  sglangLogprob,
  startFakeSglang,
} from './server.fake.ts';

const STOP = 99;
const STOPPED = { type: 'stop', matched: STOP };
const LENGTH = { type: 'length', length: 2 };
const ABORT = { type: 'abort', message: 'weights are being updated' };
const signal = new AbortController().signal;
const ask = (change: Partial<SampleRequest> = {}): SampleRequest => ({
  prompt: Int32Array.of(1, 2, 3),
  path: 'tinker://m/7',
  maxTokens: 6,
  temperature: 1,
  stop: [STOP],
  ...change,
});
/** Float32 of the log-probs that the fake gives to ids from a place on. */
const expected = (ids: readonly number[], from: number): number[] =>
  ids.map((id, at) => Math.fround(sglangLogprob(id, from + at)));
/** Scores a prompt as SGLang does: the first position has no log-prob. */
const scored = ({ input_ids: ids, logprob_start_len: start = 0 }: GenerateBody): FakeAnswer =>
  generated(ids, [5], LENGTH, {
    input_token_logprobs: ids
      .slice(start)
      .map((id, at) => [at === 0 ? null : sglangLogprob(id, start + at), id, null]),
  });

describe('createSglangSampler', () => {
  let server: FakeSglang;
  afterEach(() => server.stop());
  const begin = async (
    answer: (body: GenerateBody, n: number) => FakeAnswer,
    options: Partial<SglangOptions> = {},
  ) => {
    server = await startFakeSglang(answer);
    return createSglangSampler({ baseUrl: `${server.url}/`, resumeMs: 1, ...options });
  };
  const failure = async (
    answer: (body: GenerateBody, n: number) => FakeAnswer,
    asked = ask(),
  ): Promise<WideseekError> =>
    (await begin(answer)).sample(asked, signal).then(
      (value) => Promise.reject(new Error(`did not fail: ${JSON.stringify(value)}`)),
      (error: unknown) => error as WideseekError,
    );

  it('sends ids and settings, and returns ids, log-probs and the version of the weights', async () => {
    const sampler = await begin(({ input_ids: ids }) =>
      generated(ids, [7, 8, STOP], STOPPED, { weight_version: '12' }),
    );
    const sampled = await sampler.sample(ask({ topP: 0.9, seed: 4 }), signal);
    expect(server.requests).toEqual([
      {
        input_ids: [1, 2, 3],
        sampling_params: {
          max_new_tokens: 6,
          temperature: 1,
          top_p: 0.9,
          sampling_seed: 4,
          stop_token_ids: [STOP],
          no_stop_trim: true,
          skip_special_tokens: false,
        },
        return_logprob: true,
        stream: false,
      },
    ]);
    expect([...sampled.tokens]).toEqual([7, 8, STOP]);
    expect([...sampled.logprobs]).toEqual(expected([7, 8, STOP], 3));
    expect(sampled.stopReason).toBe('stop');
    expect([...sampled.versions!]).toEqual([12, 12, 12]);
  });

  it.each(['default', '', null])('knows no version where the weights are named %j', async (name) => {
    const sampler = await begin(({ input_ids: ids }) =>
      generated(ids, [7], LENGTH, { weight_version: name }),
    );
    const sampled = await sampler.sample(ask(), signal);
    expect(sampled.versions).toBeUndefined();
    expect(sampled.stopReason).toBe('length');
  });

  it('goes on after an interruption with what it has and what is left, each token with its version', async () => {
    const parts = [[7, 8], [], [9, STOP]];
    const sampler = await begin(({ input_ids: ids }, n) =>
      generated(ids, parts[n]!, n < 2 ? ABORT : STOPPED, { weight_version: n }),
    );
    const sampled = await sampler.sample(ask({ seed: 4 }), signal);
    expect(server.requests.map(({ input_ids: ids }) => ids)).toEqual([
      [1, 2, 3],
      [1, 2, 3, 7, 8],
      [1, 2, 3, 7, 8],
    ]);
    expect(server.requests.map((body) => body.sampling_params.max_new_tokens)).toEqual([6, 4, 4]);
    expect([...sampled.tokens]).toEqual([7, 8, 9, STOP]);
    expect([...sampled.logprobs]).toEqual(expected([7, 8, 9, STOP], 3));
    expect([...sampled.versions!]).toEqual([0, 0, 2, 2]);
  });

  it('ends with the budget where an interruption left none, and takes an abort without any log-probs', async () => {
    const sampler = await begin(({ input_ids: ids }, n) =>
      n === 0
        ? { json: { output_ids: [], meta_info: { finish_reason: ABORT } } }
        : generated(ids, [4, 5, 6, 7, 8, 9], ABORT),
    );
    const sampled = await sampler.sample(ask(), signal);
    expect([sampled.tokens.length, sampled.stopReason, server.requests.length]).toEqual([6, 'length', 2]);
  });

  it('stops waiting for an interrupted request when it is cancelled', async () => {
    const controller = new AbortController();
    const sampler = await begin(
      ({ input_ids: ids }) => {
        setTimeout(() => controller.abort(new DOMException('stop', 'AbortError')), 5);
        return generated(ids, [], ABORT);
      },
      { resumeMs: 60_000 },
    );
    await expect(sampler.sample(ask(), controller.signal)).rejects.toThrow('stop');
  });

  it('scores the reply once more at another temperature, because log-probs are those of temperature 1', async () => {
    const sampler = await begin((body, n) =>
      n === 0 ? generated(body.input_ids, [7, STOP], STOPPED, {}) : scored(body),
    );
    const sampled = await sampler.sample(ask({ temperature: 0.5 }), signal);
    expect(server.requests[1]).toMatchObject({ input_ids: [1, 2, 3, 7, STOP], logprob_start_len: 2 });
    expect([...sampled.logprobs]).toEqual(expected([7, STOP], 3));
  });

  it('gives the log-prob of each prompt token but the first', async () => {
    const sampler = await begin(scored);
    const prompt = Int32Array.of(3, 1, 4, 1, 5);
    expect([...(await sampler.promptLogprobs(prompt, null, signal))]).toEqual(expected([1, 4, 1, 5], 1));
    expect((await sampler.promptLogprobs(Int32Array.of(3), null, signal)).length).toBe(0);
  });

  it.each([
    ['too few', [[null, 3, null]]],
    [
      'for other tokens',
      [
        [null, 3],
        [-1, 9],
        [-1, 4],
      ],
    ],
    [
      'with a hole',
      [
        [null, 3],
        [null, 1],
        [-1, 4],
      ],
    ],
  ])('refuses prompt log-probs that are %s', async (_, input) => {
    const sampler = await begin(({ input_ids: ids }) =>
      generated(ids, [5], LENGTH, { input_token_logprobs: input }),
    );
    await expect(sampler.promptLogprobs(Int32Array.of(3, 1, 4), null, signal)).rejects.toMatchObject({
      type: 'BadReply',
    });
  });

  const good = generated([1, 2, 3], [7, STOP], STOPPED).json;
  const meta = (change: Record<string, unknown>): FakeAnswer => ({
    json: { ...good, meta_info: { ...good.meta_info, ...change } },
  });
  const faults: [string, FakeAnswer, string, RegExp][] = [
    ['a web page', { status: 200, body: '<html>proxy</html>' }, 'BadReply', /web page/],
    ['cut JSON', { status: 200, body: '{"output_ids": [1,' }, 'BadReply', /JSON/],
    ['NaN', { status: 200, body: JSON.stringify(good).replace(/-\d[\d.]*/, 'NaN') }, 'BadReply', /JSON/],
    ['an error object', { json: { error: { message: 'x' } } }, 'BadReply', /meta_info/],
    [
      'fewer log-probs than ids',
      meta({ output_token_logprobs: [[-1, 7, null]] }),
      'BadReply',
      /1 log-probs do not belong to the 2/,
    ],
    [
      'log-probs of other ids',
      meta({
        output_token_logprobs: [
          [-1, 7, null],
          [-1, 8, null],
        ],
      }),
      'BadReply',
      /do not belong/,
    ],
    [
      'a null log-prob',
      meta({
        output_token_logprobs: [
          [-1, 7, null],
          [null, STOP, null],
        ],
      }),
      'BadReply',
      /log-prob 1 is null/,
    ],
    ['no log-probs', meta({ output_token_logprobs: null }), 'BadReply', /no output_token_logprobs/],
    ['an unknown end', meta({ finish_reason: { type: 'tired' } }), 'BadReply', /finish_reason/],
    [
      'more than was asked for',
      generated([1, 2, 3], [1, 2, 3, 4, 5, 6, 7], LENGTH),
      'BadReply',
      /more than were asked/,
    ],
    ['503', { status: 503, body: 'starting', headers: { 'retry-after': '2' } }, 'Overloaded', /HTTP 503/],
    ['429', { status: 429, body: 'slow down' }, 'RateLimited', /HTTP 429/],
    ['400', { status: 400, body: '{"error": {"message": "bad ids"}}' }, 'BadRequest', /bad ids/],
    [
      'a refusal as an abort',
      meta({ finish_reason: { ...ABORT, message: 'bad ids', status_code: 400 } }),
      'BadRequest',
      /bad ids/,
    ],
  ];
  it.each(faults)('reports %s', async (_, answer, type, message) => {
    const error = await failure(() => answer);
    expect(error).toMatchObject({ type, message: expect.stringMatching(message) as string });
    expect(error.message).toMatch(/^SGLang at 127/);
    expect(server.requests).toHaveLength(1);
  });

  it('reports a server that is not there, and a wrong address', async () => {
    const sampler = await begin(() => ({ json: {} }));
    await server.stop();
    await expect(sampler.sample(ask(), signal)).rejects.toMatchObject({ type: 'Overloaded' });
    server = await startFakeSglang(() => ({ json: {} }));
    expect(() => createSglangSampler({ baseUrl: 'here' })).toThrow(/tokens\.url: "here" is no URL/);
  });

  it('takes its key from the environment at the call, and names the variable where there is none', async () => {
    const env: Record<string, string> = {};
    const sampler = await begin(({ input_ids: ids }) => generated(ids, [STOP], STOPPED), {
      apiKeyEnv: 'GEN_KEY',
      env,
    });
    await expect(sampler.sample(ask(), signal)).rejects.toMatchObject({
      type: 'Unauthorized',
      message: expect.stringContaining('GEN_KEY') as string,
    });
    env.GEN_KEY = 'secret';
    await sampler.sample(ask(), signal);
    expect(server.keys).toEqual(['Bearer secret']);
  });
});
