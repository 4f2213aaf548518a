import type { EngineCapabilities } from '../../../domain/rl/engine.ts';
import { tokenLoss } from '../../../domain/rl/policy-loss.ts';
import type { ForwardBackward } from '../port.ts';
import type { PassOutput } from './messages.ts';

/** Far beyond any ratio that a finite float32 log-prob gives, so that nothing is held. */
const NO_LIMIT = { dualClip: null, logRatioLimit: 1e3 };
/** Bounds that engines use when a call names none. */
const DEFAULT_CLIP = { low: 0.8, high: 1.2 };

/**
 * The loss of one call as the engine reduced it. Engines differ in what they report: a metric of the whole call, the
 * weighted loss of every position, or only log-probs, from which it is computed here. A mean over a step's calls cannot
 * be known before the step: then it is the mean of this call.
 */
export function reducedLoss(
  call: ForwardBackward,
  output: PassOutput,
  capabilities: EngineCapabilities,
): number {
  const reported = output.metrics['loss:sum'];
  if (reported !== undefined && capabilities.reduction === 'sum') return reported;
  const perDatum = call.data.map((datum, i) => {
    const elementwise = output.elementwiseLoss?.[i];
    const losses =
      elementwise?.length === datum.tokens.length
        ? elementwise
        : positionLosses(call, i, output.logprobs[i] ?? new Float32Array());
    const sum = sumOf(losses);
    if (capabilities.reduction === 'sum') return sum;
    return sum / sumOf(datum.weights);
  });
  const total = sumOf(perDatum);
  return capabilities.reduction === 'sum' ? total : total / perDatum.length;
}

/** Weighted loss of each position of one datum (wideseek 4.5 with the bounds of the call). */
function positionLosses(call: ForwardBackward, i: number, logprobs: Float32Array): Float64Array {
  const datum = call.data[i];
  const result = new Float64Array(logprobs.length);
  if (datum === undefined) return result;
  const clip = {
    ...NO_LIMIT,
    clipLow:
      call.lossFn === 'ppo' ? 1 - (call.lossFnConfig.clip_low_threshold ?? DEFAULT_CLIP.low) : Infinity,
    clipHigh:
      call.lossFn === 'ppo' ? (call.lossFnConfig.clip_high_threshold ?? DEFAULT_CLIP.high) - 1 : Infinity,
  };
  for (let at = 0; at < logprobs.length; at += 1) {
    const weight = datum.weights[at] ?? 0;
    if (weight === 0) continue;
    const current = logprobs[at] ?? NaN;
    const loss =
      call.lossFn === 'cross_entropy'
        ? -current
        : tokenLoss(current, datum.logprobs[at] ?? NaN, datum.advantages[at] ?? NaN, clip).loss;
    result[at] = weight * loss;
  }
  return result;
}

function sumOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] ?? 0;
  return sum;
}
