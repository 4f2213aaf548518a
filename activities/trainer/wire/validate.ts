import { invalidInput, WideseekError } from '../../../domain/errors.ts';
import type { Datum } from '../../../domain/rl/datum.ts';
import type { AdamParams, Sampled, SampleRequest } from '../port.ts';

/** Rounding of half-precision engines may lift a log-prob a little above 0. */
const LOGPROB_SLACK = 0.05;
const MAX_SEED = 2 ** 31 - 1;

/** Throws `InvalidInput` where a token id cannot be one of the model's; `what` names the array. */
export function checkTokens(what: string, tokens: Int32Array, vocabSize: number | undefined): void {
  const limit = vocabSize ?? Infinity;
  const bad = tokens.findIndex((id) => id < 0 || id >= limit);
  if (bad >= 0) throw invalidInput(`${what}[${bad}]`, `token id ${tokens[bad]} is outside 0 to ${limit - 1}`);
}

/**
 * Throws `InvalidInput` for data that engines accept in silence and then train wrongly on: arrays of different lengths
 * (they pad with zeros), numbers that are not finite, negative weights and, where a
 * loss is taken, datums without a loss token.
 */
export function checkData(
  data: readonly Datum[],
  vocabSize: number | undefined,
  { loss }: { loss: boolean },
): void {
  if (data.length === 0) throw invalidInput('data', 'there is no datum');
  data.forEach((datum, i) => {
    const { tokens, targets, weights, logprobs, advantages } = datum;
    const length = tokens.length;
    if (length === 0) throw invalidInput(`data[${i}]`, 'it has no tokens');
    for (const [name, array] of Object.entries({ targets, weights, logprobs, advantages }))
      if (array.length !== length)
        throw invalidInput(`data[${i}].${name}`, `${array.length} values for ${length} tokens`);
    for (const [name, array] of Object.entries({ weights, logprobs, advantages })) {
      const bad = array.findIndex((value) => !Number.isFinite(value));
      if (bad >= 0) throw invalidInput(`data[${i}].${name}[${bad}]`, `${array[bad]} is not finite`);
    }
    if (weights.some((weight) => weight < 0))
      throw invalidInput(`data[${i}].weights`, 'a weight is negative');
    if (loss && !weights.some((weight) => weight > 0)) throw invalidInput(`data[${i}].weights`, 'all are 0');
    checkTokens(`data[${i}].tokens`, tokens, vocabSize);
    checkTokens(`data[${i}].targets`, targets, vocabSize);
  });
}

/** Sequence numbers count from 1: engines read 0 as "none". */
export function checkSequenceNumber(seqId: number): void {
  if (!Number.isInteger(seqId) || seqId < 1 || seqId > MAX_SEED)
    throw invalidInput('seqId', `${seqId} is no whole number from 1`);
}

/** Throws `InvalidInput` for optimiser settings outside their ranges. */
export function checkAdam(adam: AdamParams): void {
  const ranges: Record<string, [number, boolean]> = {
    learningRate: [adam.learningRate, adam.learningRate >= 0],
    beta1: [adam.beta1, adam.beta1 >= 0 && adam.beta1 < 1],
    beta2: [adam.beta2, adam.beta2 >= 0 && adam.beta2 < 1],
    eps: [adam.eps, adam.eps > 0],
    weightDecay: [adam.weightDecay, adam.weightDecay >= 0],
    gradClipNorm: [adam.gradClipNorm ?? 1, (adam.gradClipNorm ?? 1) > 0],
  };
  for (const [name, [value, inside]] of Object.entries(ranges))
    if (!inside || !Number.isFinite(value)) throw invalidInput(name, `${value} is out of range`);
}

/** Throws `InvalidInput` for a sampling request that an engine would misread. */
export function checkSampleRequest(request: SampleRequest, vocabSize: number | undefined): void {
  const { prompt, maxTokens, temperature, topP, seed, stop } = request;
  if (prompt.length === 0) throw invalidInput('prompt', 'it has no tokens');
  checkTokens('prompt', prompt, vocabSize);
  checkTokens('stop', Int32Array.from(stop), vocabSize);
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw invalidInput('maxTokens', `${maxTokens} is below 1`);
  if (!(temperature >= 0) || !Number.isFinite(temperature))
    throw invalidInput('temperature', `${temperature} is below 0`);
  if (topP !== undefined && !(topP > 0 && topP <= 1)) throw invalidInput('topP', `${topP} is outside 0 to 1`);
  if (seed !== undefined && !(Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED))
    throw invalidInput('seed', `${seed} is no whole number from 0 to ${MAX_SEED}`);
}

/** Throws `BadReply` where a sample cannot be trained on. */
export function checkSampled(
  sampled: Sampled,
  request: SampleRequest,
  vocabSize: number | undefined,
): Sampled {
  const { tokens, logprobs } = sampled;
  if (tokens.length === 0) throw badReply('asample: the reply has no tokens');
  if (tokens.length > request.maxTokens)
    throw badReply(`asample: ${tokens.length} tokens where ${request.maxTokens} were allowed`);
  if (logprobs.length !== tokens.length)
    throw badReply(`asample: ${logprobs.length} log-probs for ${tokens.length} tokens`);
  checkLogprobs('asample', logprobs);
  const limit = vocabSize ?? Infinity;
  const bad = tokens.find((id) => id < 0 || id >= limit);
  if (bad !== undefined) throw badReply(`asample: token id ${bad} is not one of the model's`);
  return sampled;
}

/** Throws `BadReply` unless there is one array per datum, as long as the datum, of log-probs. */
export function checkPass(call: string, logprobs: readonly Float32Array[], data: readonly Datum[]): void {
  if (logprobs.length !== data.length)
    throw badReply(`${call}: log-probs of ${logprobs.length} datums for ${data.length}`);
  logprobs.forEach((values, i) => {
    const expected = data[i]?.tokens.length ?? 0;
    if (values.length !== expected)
      throw badReply(`${call}: ${values.length} log-probs for the ${expected} targets of datum ${i}`);
    checkLogprobs(`${call}, datum ${i}`, values);
  });
}

/** Throws `BadReply` where a value is no log-prob. */
export function checkLogprobs(what: string, values: Float32Array): void {
  const bad = values.findIndex((value) => !Number.isFinite(value) || value > LOGPROB_SLACK);
  if (bad >= 0)
    throw badReply(
      `${what}: log-prob ${values[bad]} at position ${bad}`,
      'The weights may have diverged: go back to the last checkpoint and lower the learning rate',
    );
}

/** Prompt log-probs without the first token's: engines return one value per token, or all but the first. */
export function promptLogprobs(values: Float32Array | undefined, prompt: Int32Array): Float32Array {
  const expected = prompt.length - 1;
  if (values === undefined) throw badReply('asample: the reply has no prompt log-probs');
  if (values.length !== expected && values.length !== prompt.length)
    throw badReply(`asample: ${values.length} prompt log-probs for ${prompt.length} tokens`);
  const result = values.slice(values.length - expected);
  checkLogprobs('asample, prompt', result);
  return result;
}

const badReply = (message: string, hint?: string): WideseekError =>
  new WideseekError('BadReply', message, { hint });
