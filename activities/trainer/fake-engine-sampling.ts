import { createHash } from 'node:crypto';
import type { Sampled } from './port.ts';
import { createRandom, type ToyPolicy } from './fake-engine-policy.ts';

/** One request for a sample, as the fake's script sees it. */
export interface FakeSampleRequest {
  /** Counts from 0 over all samples of the engine. */
  n: number;
  prompt: Int32Array;
  path: string | null;
  maxTokens: number;
  temperature: number;
  topP: number;
  seed: number | undefined;
  stop: readonly number[];
}

/**
 * Tokens that a script gives instead of the toy policy; undefined leaves the request to the policy. Log-probs that it does
 * not give are the policy's for these tokens, so that scripted rollouts can be trained on consistently.
 */
export type SampleScript = (
  request: FakeSampleRequest,
) => { tokens: Int32Array; logprobs?: Float32Array; stopReason?: Sampled['stopReason'] } | undefined;

/** A sample of the script or of the policy with these weights. The same seed, prompt and weights give the same tokens. */
export function drawSample(
  request: FakeSampleRequest,
  logits: Float64Array,
  policy: ToyPolicy,
  script: SampleScript | undefined,
): Sampled {
  const scripted = script?.(request);
  if (scripted !== undefined) {
    const { tokens, stopReason = 'stop' } = scripted;
    return { tokens, stopReason, logprobs: scripted.logprobs ?? logprobsOf(request.prompt, tokens) };
  }
  const random = createRandom(request.seed === undefined ? request.n : seedOf(request.seed, request.prompt));
  const tokens: number[] = [];
  let previous = request.prompt.at(-1) ?? 0;
  while (tokens.length < request.maxTokens) {
    previous = policy.draw(logits, previous, request, random);
    tokens.push(previous);
    if (request.stop.includes(previous))
      return {
        tokens: Int32Array.from(tokens),
        logprobs: logprobsOf(request.prompt, tokens),
        stopReason: 'stop',
      };
  }
  return {
    tokens: Int32Array.from(tokens),
    logprobs: logprobsOf(request.prompt, tokens),
    stopReason: 'length',
  };

  function logprobsOf(prompt: Int32Array, reply: ArrayLike<number>): Float32Array {
    return Float32Array.from({ length: reply.length }, (_, i) =>
      policy.logprob(logits, (i === 0 ? prompt.at(-1) : reply[i - 1]) ?? 0, reply[i] ?? 0),
    );
  }
}

/** Log-probs of each prompt token but the first. */
export const promptLogprobsOf = (prompt: Int32Array, logits: Float64Array, policy: ToyPolicy): Float32Array =>
  Float32Array.from({ length: prompt.length - 1 }, (_, i) =>
    policy.logprob(logits, prompt[i] ?? 0, prompt[i + 1] ?? 0),
  );

function seedOf(seed: number, prompt: Int32Array): number {
  const hash = createHash('sha256').update(String(seed));
  return hash
    .update(new Uint8Array(prompt.buffer, prompt.byteOffset, prompt.byteLength))
    .digest()
    .readUInt32LE(0);
}
