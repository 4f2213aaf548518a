import { invalidInput } from '../errors.ts';
import { klEstimate, klGradient } from './kl.ts';
import type { KlKind } from './kl.ts';
import { NO_AGE_LIMIT, ageWeight, behaviourWeight } from './off-policy.ts';
import type { AgeConfig, DecoupledConfig } from './off-policy.ts';
import { WIDESEEK_CLIP, tokenLoss } from './policy-loss.ts';
import type { ClipConfig } from './policy-loss.ts';
import type { Sequence } from './types.ts';

export interface LossConfig {
  clip: ClipConfig;
  kl: { kind: KlKind; beta: number } | null;
  /** Null: the old log-probs are the sampler's own (plain PPO, wideseek 4.5). */
  decoupled: DecoupledConfig | null;
  age: AgeConfig;
}

/** What the published WideSeek runs really optimise: no KL (4.6), behaviour log-probs as the old ones. */
export const WIDESEEK_LOSS: LossConfig = {
  clip: WIDESEEK_CLIP,
  kl: null,
  decoupled: null,
  age: NO_AGE_LIMIT,
};

/** Log-probs of a sequence, one per position: entry p is the log-prob of token p after the tokens before it. */
export interface SequenceLogprobs {
  current: ArrayLike<number>;
  /** With the trainer's weights just before the update; needed where the loss is decoupled. */
  proximal?: ArrayLike<number>;
  /** Needed where there is a KL term. */
  reference?: ArrayLike<number>;
}

export interface LossStats {
  tokens: number;
  /** Tokens whose update the clip, the dual clip or a mask stopped. */
  clipped: number;
  dualClipped: number;
  masked: number;
  ratioSum: number;
  /** Σ of the ratio held to the clip's band. */
  ratioClippedSum: number;
  /** Σ |ratio − 1|: how far the weights are from those that the ratio is taken against. */
  ratioAbsSum: number;
  /** Σ (old − current log-prob), unclamped: an estimate of KL(old ‖ current). */
  logRatioSum: number;
  /** Σ −current log-prob of the sampled tokens: an estimate of the policy's entropy. */
  entropySum: number;
  /** Σ weight · loss, the KL term included, before the denominator. */
  lossSum: number;
  /** Σ weight · |policy loss|, before the denominator. */
  lossAbsSum: number;
  klSum: number;
}

export interface SequenceLoss {
  /** Σ weight · loss over the sequence's spans, before the denominator. */
  sum: number;
  /** Derivative of `sum` by each position's current log-prob. */
  gradient: Float64Array;
  stats: LossStats;
}

/**
 * Reference implementation of the objective over one sequence (wideseek 4.3, 4.5, 4.6; asearcher 3.5): the engine's
 * gradient must equal this one. `version` is the policy version being trained. Sums over tokens only, so nothing
 * depends on how sequences are batched, ordered or merged.
 */
export function sequenceLoss(
  sequence: Sequence,
  logprobs: SequenceLogprobs,
  config: LossConfig,
  version: number,
): SequenceLoss {
  const gradient = new Float64Array(sequence.tokens.length);
  const stats: LossStats = {
    ...{ tokens: 0, clipped: 0, dualClipped: 0, masked: 0 },
    ...{ ratioSum: 0, ratioClippedSum: 0, ratioAbsSum: 0, logRatioSum: 0, entropySum: 0 },
    ...{ lossSum: 0, lossAbsSum: 0, klSum: 0 },
  };
  for (const span of sequence.spans) {
    for (let j = 0; j < span.length; j += 1) {
      const at = span.start + j;
      const current = read(logprobs.current, at, 'current');
      const behaviour = read(span.logprobs, j, 'behaviour');
      const proximal = config.decoupled === null ? behaviour : read(logprobs.proximal, at, 'proximal');
      const policy = tokenLoss(current, proximal, span.advantage, config.clip);
      let scale = ageWeight(version - (span.versions[j] ?? version), config.age);
      if (config.decoupled !== null) scale *= behaviourWeight(proximal, behaviour, config.decoupled);
      let loss = scale * policy.loss;
      let slope = scale * policy.gradient;
      stats.lossAbsSum += span.weight * Math.abs(loss);
      if (config.kl !== null) {
        const reference = read(logprobs.reference, at, 'reference');
        const estimate = klEstimate(config.kl.kind, current, reference);
        loss += config.kl.beta * estimate;
        slope += config.kl.beta * klGradient(config.kl.kind, current, reference);
        stats.klSum += estimate;
      }
      stats.lossSum += span.weight * loss;
      gradient[at] = span.weight * slope;
      stats.tokens += 1;
      stats.ratioSum += policy.ratio;
      stats.ratioClippedSum += policy.bounded;
      stats.ratioAbsSum += Math.abs(policy.ratio - 1);
      stats.logRatioSum += proximal - current;
      stats.entropySum -= current;
      stats.clipped += Number(policy.clipped);
      stats.dualClipped += Number(policy.dualClipped);
      stats.masked += Number(scale === 0);
    }
  }
  return { sum: stats.lossSum, gradient, stats };
}

/** Loss of a batch: the sequences' sums over one explicit denominator, whatever the micro-batches are (R-07). */
export function batchLoss(
  items: readonly { sequence: Sequence; logprobs: SequenceLogprobs }[],
  config: LossConfig,
  version: number,
  denominator: number,
): { loss: number; gradients: Float64Array[] } {
  if (!(denominator > 0)) throw invalidInput('denominator', `${denominator} is not above 0`);
  let loss = 0;
  const gradients = items.map(({ sequence, logprobs }) => {
    const part = sequenceLoss(sequence, logprobs, config, version);
    loss += part.sum / denominator;
    return part.gradient.map((value) => value / denominator);
  });
  return { loss, gradients };
}

function read(values: ArrayLike<number> | undefined, at: number, name: string): number {
  const value = values?.[at];
  if (value === undefined || !Number.isFinite(value))
    throw invalidInput(`${name} log-probs[${at}]`, `${value === undefined ? 'missing' : value}`);
  return value;
}
