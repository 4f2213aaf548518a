import { effect, findRate, supervised } from './bench.ts';
import { capability, type Check, passIf, short } from './types.ts';

/** Whether a ratio of effects is nearer to 2 than to 1. */
const doubles = (ratio: number): boolean => Math.log2(ratio) > 0.5;

/** How an engine sums losses: with this wrong, every gradient has the wrong scale and nothing else shows it. */
export const reductionChecks: readonly Check[] = [
  {
    id: 'reduction',
    title: 'sum of w·l, or a mean of means, and over what',
    async run(bench, measured) {
      if (measured.adam !== 'all')
        return {
          status: 'unsupported',
          detail: 'the optimiser hides the scale of gradients: its eps cannot be set',
        };
      const datum = bench.datum();
      const rate = await findRate(bench, supervised([datum]), datum);
      const one = await effect(bench, [supervised([datum])], datum, rate);
      const ratio = async (calls: Parameters<typeof effect>[1]): Promise<number> =>
        (await effect(bench, calls, datum, rate)) / one;
      const repeated = await ratio([supervised([datum, datum])]);
      const calls = await ratio([supervised([datum]), supervised([datum])]);
      const heavy = { ...datum, weights: datum.weights.map((weight) => 2 * weight) };
      const weights = await ratio([supervised([heavy])]);
      const detail =
        `against one datum: repeated in one call ×${short(repeated)}, in two calls ×${short(calls)}, ` +
        `with weights doubled ×${short(weights)}`;
      if (doubles(repeated) && doubles(weights) && doubles(calls)) measured.reduction = 'sum';
      else if (!doubles(repeated) && !doubles(weights)) {
        measured.reduction = 'mean-of-means';
        measured.meanOver = doubles(calls) ? 'call' : 'step';
      } else {
        measured.reduction = null;
        return { status: 'fail', detail: `${detail}: neither a sum nor a mean of means` };
      }
      return capability(detail);
    },
  },
  {
    id: 'advantages-scale',
    title: 'a policy loss scales with its advantages',
    async run(bench, measured) {
      if (measured.adam !== 'all')
        return {
          status: 'unsupported',
          detail: 'the optimiser hides the scale of gradients: its eps cannot be set',
        };
      const plain = bench.datum();
      const model = await bench.model();
      const [old = new Float32Array()] = await model.forward([plain]);
      await bench.drop(model);
      const call = (advantage: number) => ({
        lossFn: 'importance_sampling' as const,
        lossFnConfig: {},
        data: [{ ...bench.datum({ advantage }), logprobs: old }],
      });
      const rate = await findRate(bench, call(1), plain);
      const one = await effect(bench, [call(1)], plain, rate);
      const two = await effect(bench, [call(2)], plain, rate);
      const ratio = two / one;
      return passIf(ratio > 1.7 && ratio < 2.3, `advantages doubled: effect ×${short(ratio)}`);
    },
  },
];
