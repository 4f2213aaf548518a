import type { Datum } from '../datum.ts';
import type { EngineCapabilities, EnginePlan } from '../engine.ts';
import { addGradient, bigramLogprobs } from './bigram.ts';
import type { Bigram } from './bigram.ts';

/**
 * Gradient that an engine of these capabilities takes for one optimiser step, written from the wire's description and not
 * from our loss: ratio against the datum's log-probs, clip bounds, then its own reduction.
 */
export function engineGradient(
  model: Bigram,
  calls: readonly (readonly Datum[])[],
  plan: EnginePlan,
  engine: EngineCapabilities,
): Float64Array {
  const total = new Float64Array(model.logits.length);
  const datums = calls.reduce((sum, call) => sum + call.length, 0);
  for (const call of calls) {
    for (const datum of call) {
      const mass = datum.weights.reduce((sum, weight) => sum + weight, 0);
      const share =
        engine.reduction === 'sum' ? 1 : 1 / (mass * (engine.meanOver === 'call' ? call.length : datums));
      const sequence = [...datum.tokens, datum.targets.at(-1) ?? 0];
      const current = bigramLogprobs(model, sequence);
      const slopes = new Float64Array(sequence.length);
      datum.weights.forEach((weight, index) => {
        const advantage = datum.advantages[index] ?? 0;
        const ratio = Math.exp((current[index + 1] ?? 0) - (datum.logprobs[index] ?? 0));
        slopes[index + 1] = share * weight * slope(advantage, ratio, plan);
      });
      addGradient(model, sequence, slopes, total);
    }
  }
  return total;
}

function slope(advantage: number, ratio: number, { lossFn, lossFnConfig }: EnginePlan): number {
  if (lossFn === 'importance_sampling') return -advantage * ratio;
  const low = lossFnConfig['clip_low_threshold'] ?? 0;
  const high = lossFnConfig['clip_high_threshold'] ?? Infinity;
  const outside = (advantage > 0 && ratio > high) || (advantage < 0 && ratio < low);
  const ceiling = lossFnConfig['dual_clip'];
  const held = ceiling !== undefined && advantage < 0 && ratio > ceiling;
  return outside || held ? 0 : -advantage * ratio;
}
