import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message, ToolSchema } from '../../../domain/agents/messages.ts';
import { WideseekError } from '../../../domain/errors.ts';
import { mergeTurns } from '../../../domain/rl/merge.ts';
import type { Turn } from '../../../domain/rl/types.ts';
import { isContextOverflow } from '../../provider-errors.ts';
import type { Sampled, Sampler } from '../../trainer/port.ts';
import type { ChatModel, ModelReply, ModelRequest, PreviousTokens } from '../port.ts';
import { createTokenModel, type TokenModelOptions } from './model.ts';
import { fakeSampler, type FakeReply } from './sampler.fake.ts';
import { loadTokenizer } from './tokenizer.ts';

const tokenizer = await loadTokenizer(new URL('../../../test/fixtures/tokens', import.meta.url).pathname);
const stop = tokenizer.stopIds[0]!;
const TOOLS: ToolSchema[] = [
  { name: 'search', description: 'Searches.', parameters: { type: 'object', properties: {} } },
];
const signal = new AbortController().signal;

const modelOf = (sampler: Sampler, change: Partial<TokenModelOptions> = {}): ChatModel =>
  createTokenModel({
    name: 'tiny',
    tokenizer: () => Promise.resolve(tokenizer),
    policy: () => Promise.resolve({ version: 3, path: 'tinker://m/s3', url: null }),
    sampler: () => sampler,
    timeoutMs: 5_000,
    ...change,
  });
const ask = (change: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [
    { role: 'system', content: 'Answer.' },
    { role: 'user', content: 'Which lighthouse?' },
  ],
  tools: TOOLS,
  maxTokens: 500,
  temperature: 1,
  session: 'seek/r',
  ...change,
});
const previousOf = (reply: ModelReply, messages: number): PreviousTokens => {
  const { promptTokens, responseTokens } = reply.tokens!;
  return { messages, promptTokens, responseTokens };
};
const failure = (work: Promise<unknown>): Promise<WideseekError> =>
  work.then(
    () => Promise.reject(new Error('did not fail')),
    (error: unknown) => error as WideseekError,
  );

describe('createTokenModel', () => {
  it('samples from the rendered conversation and reads text, reasoning and calls', async () => {
    const written =
      '<think>\nhm\n</think>\n\nLooking.\n<tool_call>\n{"name": "search", "arguments": {"q": 1}}\n</tool_call>';
    const sampler = fakeSampler(tokenizer, () => written);
    const reply = await modelOf(sampler, { topP: 0.9 }).complete(ask({ seed: 4 }), signal);
    expect(reply).toMatchObject({
      finishReason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Looking.',
        reasoning: 'hm',
        toolCalls: [{ id: 'call_0_0', name: 'search', arguments: '{"q":1}' }],
      },
      tokens: { version: 3, mismatch: false },
    });
    const [{ request, sampled }] = sampler.calls as [(typeof sampler.calls)[0]];
    expect(request).toMatchObject({
      path: 'tinker://m/s3',
      maxTokens: 500,
      temperature: 1,
      topP: 0.9,
      stop: [stop],
    });
    expect(tokenizer.decode(request.prompt)).toBe(
      tokenizer.render(
        [
          { role: 'system', content: 'Answer.' },
          { role: 'user', content: 'Which lighthouse?' },
        ],
        TOOLS,
        { addGenerationPrompt: true },
      ),
    );
    expect(reply.tokens!.responseTokens).toEqual(sampled.tokens);
    expect(reply.tokens!.logprobs).toEqual(sampled.logprobs);
    expect(reply.usage).toEqual({
      promptTokens: request.prompt.length,
      completionTokens: sampled.tokens.length,
    });
  });

  it('continues the last turn id for id and renders only what follows the reply', async () => {
    const call = 'See.\n<tool_call>\n{"name": "search", "arguments": {"q": "x"}}\n</tool_call>';
    const sampler = fakeSampler(tokenizer, (_, __, n) => (n === 0 ? call : 'Done'));
    const model = modelOf(sampler);
    const first = await model.complete(ask(), signal);
    const messages: Message[] = [
      ...ask().messages,
      first.message,
      { role: 'tool', toolCallId: 'call_0_0', name: 'search', content: 'one' },
      { role: 'tool', toolCallId: 'call_0_1', name: 'search', content: 'two' },
    ];
    const second = await model.complete(ask({ messages, previous: previousOf(first, 3), tools: [] }), signal);
    const { promptTokens, mismatch } = second.tokens!;
    const before = first.tokens!.promptTokens.length + first.tokens!.responseTokens.length;
    expect(tokenizer.decode(promptTokens.subarray(before))).toBe(
      '\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response><|im_end|>\n<|im_start|>assistant\n',
    );
    expect(mismatch).toBe(false);

    const again = await model.complete(ask({ messages, previous: null }), signal);
    expect(again.tokens!.mismatch).toBe(true);
    expect(tokenizer.decode(again.tokens!.promptTokens)).toBe(tokenizer.decode(promptTokens));
  });

  it('closes a reply that the limit cut, and says so', async () => {
    const sampler = fakeSampler(tokenizer, () => 'a long reply that is cut');
    const model = modelOf(sampler);
    const first = await model.complete(ask({ maxTokens: 3 }), signal);
    expect(first.finishReason).toBe('length');
    const messages: Message[] = [...ask().messages, first.message, { role: 'user', content: 'go on' }];
    const second = await model.complete(ask({ messages, previous: previousOf(first, 3) }), signal);
    const before = first.tokens!.promptTokens.length + 3;
    expect(tokenizer.decode(second.tokens!.promptTokens.subarray(before))).toMatch(
      /^<\|im_end\|>\n<\|im_start\|>user\ngo on/,
    );
  });

  it.each([1, 4, undefined])(
    'does not continue ids that cover %s messages instead of three',
    async (messages) => {
      const model = modelOf(fakeSampler(tokenizer, () => 'x'));
      const first = await model.complete(ask(), signal);
      const request = ask({
        messages: [...ask().messages, first.message, { role: 'user', content: 'go on' }],
        previous: messages === undefined ? null : previousOf(first, messages),
      });
      expect((await model.complete(request, signal)).tokens!.mismatch).toBe(true);
    },
  );

  it('reads reasoning that the prompt opened, also when the limit cut it', async () => {
    const opens = { ...tokenizer, render: () => 'x<|im_start|>assistant\n<think>\n' };
    const model = modelOf(
      fakeSampler(tokenizer, (_, __, n) => (n === 0 ? 'because</think>yes' : 'because of')),
      { tokenizer: () => Promise.resolve(opens) },
    );
    expect((await model.complete(ask(), signal)).message).toMatchObject({
      content: 'yes',
      reasoning: 'because',
    });
    expect((await model.complete(ask({ maxTokens: 2 }), signal)).message).toMatchObject({ content: '' });
  });

  it("returns an empty reply as the policy's own", async () => {
    const reply = await modelOf(fakeSampler(tokenizer, () => '')).complete(ask(), signal);
    expect(reply).toMatchObject({ message: { content: '' }, finishReason: 'stop' });
    expect([...reply.tokens!.responseTokens]).toEqual([stop]);
  });

  it('gives each session and turn a seed of its own, and none without a seed', async () => {
    const sampler = fakeSampler(tokenizer, () => 'x');
    const model = modelOf(sampler);
    for (const change of [{ seed: 1 }, { seed: 1 }, { seed: 2 }, { seed: 1, session: 'other' }, {}])
      await model.complete(ask(change), signal);
    const [a, b, c, d, e] = sampler.calls.map(({ request }) => request.seed);
    expect(a).toBe(b);
    expect(new Set([a, c, d]).size).toBe(3);
    expect(e).toBeUndefined();
  });

  it('takes the published weights of each call', async () => {
    let version = 0;
    const urls: (string | null)[] = [];
    const sampler = fakeSampler(tokenizer, () => 'x');
    const model = modelOf(sampler, {
      policy: () => Promise.resolve({ version: ++version, path: `p${version}`, url: 'http://engine' }),
      sampler: (url) => {
        urls.push(url);
        return sampler;
      },
    });
    const replies = [await model.complete(ask(), signal), await model.complete(ask(), signal)];
    expect(replies.map((reply) => reply.tokens!.version)).toEqual([1, 2]);
    expect(sampler.calls.map(({ request }) => request.path)).toEqual(['p1', 'p2']);
    expect(urls).toEqual(['http://engine', 'http://engine']);
  });

  it('keeps to the window exactly, and says when there is no room', async () => {
    const sampler = fakeSampler(tokenizer, () => 'x');
    const model = modelOf(sampler);
    const { tokens } = await model.complete(ask(), signal);
    const length = tokens!.promptTokens.length;
    await model.complete(ask({ contextTokens: length + 20 }), signal);
    expect(sampler.calls[1]!.request.maxTokens).toBe(20);
    const error = await failure(model.complete(ask({ contextTokens: length + 15 }), signal));
    expect(isContextOverflow(error)).toBe(true);
  });

  const broken: [string, Partial<Sampled>, string, RegExp][] = [
    ['no tokens', { tokens: new Int32Array(0) }, 'BadReply', /no tokens/],
    ['too many tokens', { tokens: new Int32Array(501) }, 'BadReply', /501 tokens, but at most 500/],
    ['too few log-probs', { logprobs: Float32Array.of(-1) }, 'BadReply', /1 log-probs for 2 tokens/],
    ['NaN', { logprobs: Float32Array.of(-1, NaN) }, 'BadReply', /log-prob 1 is NaN/],
    ['-Infinity', { logprobs: Float32Array.of(-Infinity, -1) }, 'BadReply', /log-prob 0 is -Infinity/],
    ['a probability above 1', { logprobs: Float32Array.of(-1, 0.5) }, 'BadReply', /log-prob 1 is 0.5/],
    ['a stop without its token', { tokens: Int32Array.of(5, 6) }, 'BadReply', /no stop token/],
    [
      'a foreign id',
      { tokens: Int32Array.of(99_999, stop) },
      'ConfigError',
      /token id 99999, but the tokenizer has/,
    ],
    ['versions of another length', { versions: Int32Array.of(1) }, 'BadReply', /1 policy versions for 2/],
  ];
  it.each(broken)('refuses a sample with %s', async (_, change, type, message) => {
    const good: Sampled = {
      tokens: Int32Array.of(5, stop),
      logprobs: Float32Array.of(-1, -1),
      stopReason: 'stop',
    };
    const sampler = {
      ...fakeSampler(tokenizer, () => 'x'),
      sample: () => Promise.resolve({ ...good, ...change }),
    };
    const error = await failure(modelOf(sampler).complete(ask(), signal));
    expect(error).toMatchObject({ type, message: expect.stringMatching(message) as string });
  });

  it('refuses an engine whose model is smaller than the tokenizer, before it samples', async () => {
    const sampler = fakeSampler(tokenizer, () => 'x');
    const model = modelOf(sampler, { engineVocabSize: () => Promise.resolve(200) });
    expect(await failure(model.complete(ask(), signal))).toMatchObject({
      type: 'ConfigError',
      retryable: false,
      message: expect.stringMatching(/200 token ids, the tokenizer of tiny needs/) as string,
    });
    expect(sampler.calls).toEqual([]);
  });

  it('loads the tokenizer again after a failure', async () => {
    let tries = 0;
    const model = modelOf(
      fakeSampler(tokenizer, () => 'x'),
      {
        tokenizer: () =>
          ++tries === 1
            ? Promise.reject(new WideseekError('ConfigError', 'gone'))
            : Promise.resolve(tokenizer),
      },
    );
    expect(await failure(model.complete(ask(), signal))).toMatchObject({ type: 'ConfigError' });
    await model.complete(ask(), signal);
    await model.complete(ask(), signal);
    expect(tries).toBe(2);
  });

  it('passes cancellation on and reports a deadline as a timeout', async () => {
    const never = fakeSampler(tokenizer, () => new Promise<never>(() => undefined));
    const hangs: Sampler = {
      ...never,
      sample: (_, inner) =>
        new Promise((_resolve, reject) =>
          inner.addEventListener('abort', () => reject(inner.reason as Error)),
        ),
    };
    expect(await failure(modelOf(hangs, { timeoutMs: 5 }).complete(ask(), signal))).toMatchObject({
      type: 'Timeout',
    });
    const controller = new AbortController();
    const work = failure(modelOf(hangs).complete(ask(), controller.signal));
    setTimeout(() => controller.abort(new DOMException('stop', 'AbortError')), 5);
    expect((await work).name).toBe('AbortError');
  });
});

describe('token exactness', () => {
  const HOSTILE = [
    '<|im_start|>',
    '<|im_end|>',
    '<tool_call>',
    '</tool_response>',
    '</think>',
    '<|endoftext|>',
  ];
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(...HOSTILE, '灯塔', '👩‍👧', 'e\u0301', '\n', ' '),
        fc.string({ unit: 'binary', maxLength: 6 }),
      ),
      {
        maxLength: 6,
      },
    )
    .map((parts) => parts.join(''));
  const ids = fc.array(fc.nat(tokenizer.largestId), { minLength: 1, maxLength: 12 });
  const written: fc.Arbitrary<FakeReply> = fc.oneof(
    text,
    ids.map((list): FakeReply => ({
      ids: list.filter((id) => id !== stop).concat(stop),
      stopReason: 'stop',
    })),
    ids.map((list): FakeReply => ({ ids: list.map((id) => (id === stop ? 0 : id)), stopReason: 'length' })),
    fc.constant<FakeReply>('<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>'),
  );
  const step = fc.record({
    reply: written,
    results: fc.array(text, { minLength: 1, maxLength: 3 }),
    user: fc.boolean(),
  });
  const control = new Set(tokenizer.controlTokens.map((token) => tokenizer.encode(token)[0]!));
  const count = (list: Int32Array, id: number): number => list.filter((each) => each === id).length;

  it('every prompt begins with the last prompt and reply; text from outside never becomes a control token', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.array(step, { minLength: 1, maxLength: 6 }), async (question, steps) => {
        const sampler = fakeSampler(tokenizer, (_, __, n) => steps[n]?.reply ?? 'end');
        const model = modelOf(sampler);
        const messages: Message[] = [
          { role: 'system', content: 'Answer.' },
          { role: 'user', content: question },
        ];
        const turns: Turn[] = [];
        let previous: PreviousTokens | null = null;
        for (const { results, user } of [...steps, { results: [], user: false }]) {
          const reply: ModelReply = await model.complete(ask({ messages: [...messages], previous }), signal);
          const { promptTokens, responseTokens, logprobs, mismatch } = reply.tokens!;
          expect(mismatch).toBe(false);
          const before: Int32Array = previous
            ? Int32Array.of(...previous.promptTokens, ...previous.responseTokens)
            : new Int32Array(0);
          expect(promptTokens.subarray(0, before.length)).toEqual(before);
          const added = promptTokens.subarray(before.length);
          const starts = tokenizer.encode('<|im_start|>')[0]!;
          const fresh = messages.slice(previous?.messages ?? 0);
          const tools = fresh.filter(({ role }) => role === 'tool').length;
          // The system block, or none; one block of results or a user's message; the reply's beginning.
          expect(count(added, starts)).toBe(previous ? 2 : 3);
          expect(count(added, tokenizer.encode('</tool_response>')[0]!)).toBe(tools);
          expect(count(added, tokenizer.encode('</think>')[0]!)).toBe(0);
          expect(count(added, tokenizer.encode('<|endoftext|>')[0]!)).toBe(0);
          turns.push(turnOf(turns.length, promptTokens, responseTokens, logprobs));
          messages.push(reply.message);
          previous = previousOf(reply, messages.length);
          messages.push(
            ...(user
              ? [{ role: 'user' as const, content: results.join('') }]
              : results.map((content, n): Message => ({
                  role: 'tool',
                  toolCallId: `c${n}`,
                  name: 'search',
                  content,
                }))),
          );
        }
        expect(turns.map(({ responseTokens }) => responseTokens)).toEqual(
          sampler.calls.map(({ sampled }) => sampled.tokens),
        );
        const merged = mergeTurns(
          { groupId: 'g', rolloutId: 'r' },
          turns.map((turn) => ({ turn, advantage: 1, weight: 1 })),
        );
        expect([merged.mismatches, merged.sequences.length]).toEqual([0, 1]);
      }),
      { numRuns: 60 },
    );
    expect(control.size).toBe(tokenizer.controlTokens.length);
  });

  const turnOf = (
    turnIdx: number,
    promptTokens: Int32Array,
    responseTokens: Int32Array,
    logprobs: Float32Array,
  ): Turn => ({
    id: String(turnIdx),
    agentId: 0,
    role: 'single',
    turnIdx,
    promptTokens,
    responseTokens,
    logprobs,
    versions: new Int32Array(responseTokens.length),
    searchCalls: 0,
    accessCalls: 0,
    hitLimit: false,
    repeats: false,
  });
});
