import { WideseekError } from '../../../domain/errors.ts';
import type { Sampled, SampleRequest } from '../../trainer/port.ts';

/** Float32 noise may push a certain token's log-prob slightly above 0; stored turns have the same bound. */
const LARGEST_LOGPROB = 1e-3;

/**
 * Checks what a sampler returned, in one loop. Throws `BadReply` for no tokens, more than were asked for, log-probs
 * that are not one per token or no log-probs, and a `stop` without a stop token; `ConfigError` for ids outside the
 * tokenizer, which sampling again cannot cure.
 */
export function checkSampled(
  sampled: Sampled,
  request: SampleRequest,
  vocabSize: number,
  service: string,
): void {
  const { tokens, logprobs, stopReason, versions } = sampled;
  const bad = (problem: string): WideseekError => new WideseekError('BadReply', `${service}: ${problem}`);
  if (tokens.length === 0) throw bad('a reply of no tokens');
  if (tokens.length > request.maxTokens)
    throw bad(`${tokens.length} tokens, but at most ${request.maxTokens} were asked for`);
  if (logprobs.length !== tokens.length)
    throw bad(`${logprobs.length} log-probs for ${tokens.length} tokens`);
  if (versions && versions.length !== tokens.length)
    throw bad(`${versions.length} policy versions for ${tokens.length} tokens`);
  for (let at = 0; at < tokens.length; at += 1) {
    const logprob = logprobs[at]!;
    if (!(logprob <= LARGEST_LOGPROB) || logprob === -Infinity) throw bad(`log-prob ${at} is ${logprob}`);
    const id = tokens[at]!;
    if (id < 0 || id >= vocabSize)
      throw new WideseekError(
        'ConfigError',
        `${service}: token id ${id}, but the tokenizer has ${vocabSize}`,
        {
          hint: 'models.*.tokens.tokenizer must be the tokenizer of the model that the engine serves',
        },
      );
  }
  if (stopReason === 'stop' && !request.stop.includes(tokens.at(-1)!))
    throw bad('the reply stopped, but its last token is no stop token');
}
