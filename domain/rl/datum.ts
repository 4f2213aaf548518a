import { WideseekError, invalidInput } from '../errors.ts';
import type { EngineCapabilities, EnginePlan } from './engine.ts';
import { sequenceLoss } from './loss.ts';
import type { LossConfig } from './loss.ts';
import { ageWeight } from './off-policy.ts';
import { tokenLoss } from './policy-loss.ts';
import type { Sequence } from './types.ts';

/** One item of the wire, shifted already: position p predicts `targets[p]` from `tokens[0…p]`. All have one length. */
export interface Datum {
  tokens: Int32Array;
  targets: Int32Array;
  /** 1 on loss tokens, 0 elsewhere. */
  weights: Float32Array;
  logprobs: Float32Array;
  advantages: Float32Array;
}

/** A sequence with what forward passes returned for it, one log-prob per position (see `positionLogprobs`). */
export interface TrainItem {
  sequence: Sequence;
  proximal?: ArrayLike<number>;
  reference?: ArrayLike<number>;
}

export interface StepContext {
  loss: LossConfig;
  plan: EnginePlan;
  engine: EngineCapabilities;
  /** Policy version being trained. */
  version: number;
  /** The step's global denominator. */
  denominator: number;
  /** Datums of the whole optimiser step, over all its calls. */
  datumsInStep: number;
}

/**
 * The datums of one forward-backward call, with advantages such that the engine's own reduction yields
 * Σ weight·loss / denominator. The loss is homogeneous in the advantage, so every factor fits in: 1/D for `sum`,
 * N·W/D for `mean-of-means` (N datums in its mean, W loss tokens in this datum). Tokens that a cap or age removes keep
 * engine weight 1 and get advantage 0, so W never moves. Throws `InvalidInput` for missing or non-finite log-probs and
 * for a sequence without loss tokens, which a mean would turn into 0/0.
 */
export function engineCall(items: readonly TrainItem[], context: StepContext): Datum[] {
  const { engine, denominator } = context;
  if (!(denominator > 0)) throw invalidInput('denominator', `${denominator} is not above 0`);
  const inMean = engine.meanOver === 'call' ? items.length : context.datumsInStep;
  return items.map((item) => {
    const tokens = item.sequence.spans.reduce((sum, { length }) => sum + length, 0);
    if (tokens === 0)
      throw invalidInput(`sequence of rollout ${item.sequence.rolloutId}`, 'it has no loss tokens');
    const scale = engine.reduction === 'sum' ? 1 / denominator : (inMean * tokens) / denominator;
    return shifted(item, effectiveAdvantages(item, context), scale, context.plan.oldLogprobs);
  });
}

/**
 * Per position, the advantage whose clipped loss has the intended gradient. Against proximal log-probs the engine's ratio
 * starts at 1 and its gradient is minus the advantage, so minus the reference gradient at the proximal weights is exact.
 * Against behaviour log-probs it is weight · age weight · A, without tokens that the dual clip holds.
 */
export function effectiveAdvantages(item: TrainItem, context: StepContext): Float64Array {
  const { loss, plan, version } = context;
  const { sequence, proximal, reference } = item;
  if (plan.needsProximal && proximal === undefined)
    throw invalidInput('proximal log-probs', 'missing, and the loss needs them');
  if (plan.oldLogprobs === 'proximal' && proximal !== undefined) {
    const logprobs = { current: proximal, proximal, reference };
    return sequenceLoss(sequence, logprobs, loss, version).gradient.map((slope) => -slope);
  }
  const result = new Float64Array(sequence.tokens.length);
  const foldDualClip = plan.folded.includes('dual_clip');
  for (const span of sequence.spans) {
    for (let j = 0; j < span.length; j += 1) {
      const at = span.start + j;
      const old = span.logprobs[j] ?? NaN;
      const held =
        foldDualClip && tokenLoss(proximal?.[at] ?? NaN, old, span.advantage, loss.clip).dualClipped;
      const age = ageWeight(version - (span.versions[j] ?? version), loss.age);
      result[at] = held ? 0 : span.weight * age * span.advantage;
    }
  }
  return result;
}

function shifted(
  { sequence, proximal }: TrainItem,
  advantages: Float64Array,
  scale: number,
  old: 'behaviour' | 'proximal',
): Datum {
  const { tokens } = sequence;
  const length = tokens.length - 1;
  const datum: Datum = {
    tokens: tokens.slice(0, length),
    targets: tokens.slice(1),
    weights: new Float32Array(length),
    logprobs: new Float32Array(length),
    advantages: new Float32Array(length),
  };
  for (const span of sequence.spans) {
    for (let j = 0; j < span.length; j += 1) {
      const at = span.start + j;
      const logprob = (old === 'proximal' ? proximal?.[at] : span.logprobs[j]) ?? NaN;
      const advantage = (advantages[at] ?? NaN) * scale;
      if (!Number.isFinite(logprob) || !Number.isFinite(advantage))
        throw invalidInput(`turn ${span.turnId}, token ${j}`, `log-prob ${logprob}, advantage ${advantage}`);
      datum.weights[at - 1] = 1;
      datum.logprobs[at - 1] = logprob;
      datum.advantages[at - 1] = advantage;
    }
  }
  return datum;
}

/**
 * An engine's forward result (one log-prob per target, tokens − 1 of them) by position, with 0 for the first token.
 * Throws `BadReply` where the length is wrong or a loss token has no finite value: never a wrong gradient.
 */
export function positionLogprobs(sequence: Sequence, targets: ArrayLike<number>): Float64Array {
  const expected = sequence.tokens.length - 1;
  const hint = 'Check that the engine serves the model this run trains';
  if (targets.length !== expected)
    throw new WideseekError('BadReply', `forward pass: ${targets.length} log-probs for ${expected} targets`, {
      hint,
    });
  const result = new Float64Array(expected + 1);
  result.set(targets, 1);
  for (const { start, length, turnId } of sequence.spans)
    for (let at = start; at < start + length; at += 1)
      if (!Number.isFinite(result[at]))
        throw new WideseekError('BadReply', `forward pass: log-prob ${result[at]} in turn ${turnId}`, {
          hint,
        });
  return result;
}
