import type { Sampled, Sampler, SampleRequest } from '../../trainer/port.ts';
import type { ChatTokenizer } from './tokenizer.ts';

/** What a fake reply is made of: text, which ends with a stop token, or ids as they are. */
export type FakeReply = string | { ids: readonly number[]; stopReason?: Sampled['stopReason'] };

export interface FakeSampler extends Sampler {
  /** Every call, with what was returned. */
  readonly calls: { request: SampleRequest; sampled: Sampled }[];
}

/** Log-probs that can be recognised: of the id and its place. */
export const fakeLogprob = (id: number, at: number): number =>
  Math.fround(-(1 + (id % 97) / 8 + (at % 13) / 64));

/** A sampler in this process. `reply` sees the prompt as text; what is longer than `maxTokens` is cut, as engines do. */
export function fakeSampler(
  tokenizer: ChatTokenizer,
  reply: (prompt: string, request: SampleRequest, n: number) => FakeReply | Promise<FakeReply>,
): FakeSampler {
  const calls: FakeSampler['calls'] = [];
  return {
    name: 'fake sampler',
    calls,
    sample: async (request, signal) => {
      signal.throwIfAborted();
      const made = await reply(tokenizer.decode(request.prompt), request, calls.length);
      const ids =
        typeof made === 'string' ? [...tokenizer.encode(made), tokenizer.stopIds[0]!] : [...made.ids];
      const cut = ids.slice(0, request.maxTokens);
      const stopped = typeof made === 'string' ? cut.length === ids.length : made.stopReason === 'stop';
      const sampled: Sampled = {
        tokens: Int32Array.from(cut),
        logprobs: Float32Array.from(cut, fakeLogprob),
        stopReason: stopped ? 'stop' : 'length',
      };
      calls.push({ request, sampled });
      return sampled;
    },
    promptLogprobs: async (prompt) => Float32Array.from(prompt.subarray(1), fakeLogprob),
  };
}
