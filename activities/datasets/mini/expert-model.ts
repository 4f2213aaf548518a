import type { ChatModel } from '../../model/port.ts';
import { createTokenModel } from '../../model/tokens/model.ts';
import type { ChatTokenizer } from '../../model/tokens/tokenizer.ts';
import type { Sampler } from '../../trainer/port.ts';
import { expertReply } from './expert.ts';
import type { Habits } from './habits.ts';

/** The scripted experts as a sampler: ids in, ids out. Log-probs are all 0, as if there had been no choice. */
export function expertSampler(tokenizer: ChatTokenizer, seed: string, habits?: Habits): Sampler {
  return {
    name: 'scripted expert',
    sample: ({ prompt, maxTokens }) => {
      const ids = tokenizer.encode(expertReply(tokenizer.decode(prompt), seed, habits));
      const tokens = Int32Array.from([...ids, tokenizer.stopIds[0]!]).subarray(0, maxTokens);
      const stopReason = tokens.length > ids.length ? 'stop' : 'length';
      return Promise.resolve({ tokens, logprobs: new Float32Array(tokens.length), stopReason });
    },
    promptLogprobs: (prompt) => Promise.resolve(new Float32Array(prompt.length - 1)),
  };
}

/** The experts behind the same provider of token ids as a trained policy. */
export function expertModel(tokenizer: ChatTokenizer, seed: string, habits?: Habits): ChatModel {
  const sampler = expertSampler(tokenizer, seed, habits);
  return createTokenModel({
    name: 'scripted expert',
    tokenizer: () => Promise.resolve(tokenizer),
    policy: () => Promise.resolve({ version: 0, path: null, url: null }),
    sampler: () => sampler,
    timeoutMs: 60_000,
  });
}
