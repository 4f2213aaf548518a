import { largestDifference } from './bench.ts';
import type { SampleRequest } from '../../port.ts';
import { capability, type Check, passIf, short } from './types.ts';

const request = (change: Partial<SampleRequest> = {}): SampleRequest => ({
  prompt: Int32Array.of(3, 5, 8, 13),
  path: null,
  maxTokens: 16,
  temperature: 1,
  seed: 5,
  stop: [],
  ...change,
});

/** Sampling from the base model and from snapshots. */
export const samplingChecks: readonly Check[] = [
  {
    id: 'sampler-agrees',
    title: "the sampler's log-probs are the trainer's",
    async run(bench, measured) {
      const { engine, signal } = bench;
      const model = await bench.model();
      const path = await engine.publish(model.handle, bench.name('agree'), signal);
      const asked = request({ path, temperature: 0.7 });
      const { tokens, logprobs } = await engine.sample(asked, signal);
      const whole = Int32Array.of(...asked.prompt, ...tokens);
      const length = whole.length - 1;
      const [all = new Float32Array()] = await model.forward([
        {
          tokens: whole.slice(0, -1),
          targets: whole.slice(1),
          weights: new Float32Array(length).fill(1),
          logprobs: new Float32Array(length),
          advantages: new Float32Array(length),
        },
      ]);
      const difference = largestDifference(all.slice(asked.prompt.length - 1), logprobs);
      measured.logprobDifference = difference;
      return passIf(
        difference <= (bench.tolerance ?? 1e-3),
        `largest difference over ${tokens.length} tokens sampled at temperature 0.7: ${short(difference)}`,
      );
    },
  },
  {
    id: 'prompt-logprobs',
    title: 'log-probs of a prompt under the base model (the reference policy)',
    async run(bench, measured) {
      const { engine, signal } = bench;
      const asked = request();
      const { tokens, logprobs } = await engine.sample(asked, signal);
      const whole = Int32Array.of(...asked.prompt, ...tokens);
      try {
        const prompt = await engine.promptLogprobs(whole, null, signal);
        const difference = largestDifference(prompt.slice(asked.prompt.length - 1), logprobs);
        measured.promptLogprobs = difference <= (bench.tolerance ?? 1e-3);
        return passIf(
          measured.promptLogprobs,
          `largest difference from the sample's own ${short(difference)}`,
        );
      } catch (error) {
        measured.promptLogprobs = false;
        return capability(`not served: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  },
  {
    id: 'seeds',
    title: 'a seed gives the same tokens again, another seed others',
    async run(bench, measured) {
      const { engine, signal } = bench;
      const sampled = async (seed: number) =>
        [...(await engine.sample(request({ seed }), signal)).tokens].join();
      const [first, again, other] = [await sampled(5), await sampled(5), await sampled(6)];
      measured.seeds = first === again && first !== other;
      return capability(
        `same seed: ${first === again ? 'the same' : 'other'} tokens, other seed: ${first === other ? 'the same' : 'other'} tokens`,
      );
    },
  },
  {
    id: 'stop-ids',
    title: 'a stop id ends the reply and is its last token',
    async run(bench, measured) {
      const { engine, signal, vocabSize } = bench;
      // Half of all ids: with 40 tokens to go, one of them comes up for certain.
      const stop = Array.from({ length: Math.ceil(vocabSize / 2) }, (_, i) => 2 * i).filter(
        (id) => id < vocabSize,
      );
      const { tokens, stopReason } = await engine.sample(request({ stop, maxTokens: 40 }), signal);
      const even = [...tokens].map((id) => id % 2 === 0);
      measured.stopIds = stopReason === 'stop' && even.indexOf(true) === tokens.length - 1;
      return passIf(
        measured.stopIds,
        `${tokens.length} tokens, reason ${stopReason}, last id ${tokens.at(-1)}`,
      );
    },
  },
  {
    id: 'length',
    title: 'without a stop id a reply has as many tokens as were allowed',
    async run({ engine, signal }) {
      const { tokens, stopReason } = await engine.sample(request({ maxTokens: 9 }), signal);
      const full = tokens.length === 9 && stopReason === 'length';
      // An engine may stop at the model's own end token; that is no fault.
      return full || stopReason === 'stop'
        ? passIf(true, `${tokens.length} tokens, reason ${stopReason}`)
        : passIf(false, `${tokens.length} tokens, reason ${stopReason}`);
    },
  },
];
