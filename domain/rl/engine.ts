import { WideseekError } from '../errors.ts';
import type { LossConfig } from './loss.ts';

/**
 * What a training engine's loss can do; everything else travels inside the advantages. The wire has no KL term and no
 * staleness weights, so those are always folded.
 */
export interface EngineCapabilities {
  name: string;
  /** `sum`: Σ w·l. `mean-of-means`: mean over datums of Σ w·l / Σ w, so only advantages scale the loss. */
  reduction: 'sum' | 'mean-of-means';
  /** Over which datums the outer mean of `mean-of-means` goes: one call's, or all of one optimiser step. */
  meanOver: 'call' | 'step';
  /** The policy loss clips the ratio. */
  clip: boolean;
  dualClip: boolean;
  /** A forward pass returns log-probs with the current weights. */
  forward: boolean;
  gradientNormClip: boolean;
  /** Which optimiser settings of a step are obeyed. */
  adam: 'all' | 'learning-rate';
}

const WIRE: Omit<EngineCapabilities, 'name'> = {
  reduction: 'sum',
  meanOver: 'step',
  clip: true,
  dualClip: false,
  forward: true,
  gradientNormClip: false,
  adam: 'all',
};

export type EngineName = 'skyrl-jax' | 'skyrl-fsdp' | 'tinker' | 'local-jax';

/** Declared facts of each engine, measured or read in its code; the conformance suite checks those it can reach. */
export const ENGINES: Readonly<Record<EngineName, EngineCapabilities>> = {
  'skyrl-jax': { ...WIRE, name: 'skyrl-jax', reduction: 'mean-of-means' },
  'skyrl-fsdp': { ...WIRE, name: 'skyrl-fsdp', adam: 'learning-rate' },
  tinker: { ...WIRE, name: 'tinker' },
  'local-jax': { ...WIRE, name: 'local-jax', dualClip: true, gradientNormClip: true },
};

/** How one loss configuration is carried out on one engine. */
export interface EnginePlan {
  lossFn: 'ppo' | 'importance_sampling';
  /** Under the wire's names; the clip keys are bounds of the ratio itself. Empty for `importance_sampling`. */
  lossFnConfig: Record<string, number>;
  /** Which log-probs the engine's ratio is taken against. */
  oldLogprobs: 'behaviour' | 'proximal';
  /** A forward pass before the update must give the proximal log-probs. */
  needsProximal: boolean;
  needsReference: boolean;
  /** Parts evaluated at the weights before the update and sent inside the advantages. */
  folded: Folded[];
}

export type Folded = 'decoupled' | 'clip' | 'dual_clip' | 'kl' | 'age';

/**
 * Plans the loss on an engine. A folded part is exact at the weights before the update, hence for one optimiser step per
 * batch; with more steps it keeps its first value, and parts for which that would be wrong are refused. Throws
 * `ConfigError`: nothing that was configured is dropped silently.
 */
export function planLoss(loss: LossConfig, engine: EngineCapabilities, optimiserSteps: number): EnginePlan {
  const { clip } = loss;
  const plain = loss.decoupled === null;
  const folded: Folded[] = [];
  if (!plain) folded.push('decoupled');
  if (!engine.clip) folded.push('clip');
  if (clip.dualClip !== null && plain && !engine.dualClip) folded.push('dual_clip');
  if (loss.kl !== null) folded.push('kl');
  if (loss.age.maxTokenAge !== null || loss.age.decay !== 1) folded.push('age');

  const atProximal = !plain || folded.includes('clip') || folded.includes('kl');
  const needsProximal = atProximal || folded.includes('dual_clip');
  const refuse = (problem: string, hint: string): never => {
    throw new WideseekError('ConfigError', `engine ${engine.name}: ${problem}`, { hint });
  };
  if (needsProximal && !engine.forward)
    refuse('no forward pass for the proximal log-probs', 'Use plain PPO without dual clip and KL');
  if (optimiserSteps > 1 && folded.includes('clip'))
    refuse('its loss does not clip ratios', 'Take one optimiser step per batch');
  if (optimiserSteps > 1 && plain && folded.includes('kl'))
    refuse('KL with plain PPO holds for one optimiser step', 'Use the decoupled loss, or one step per batch');
  return {
    lossFn: engine.clip ? 'ppo' : 'importance_sampling',
    lossFnConfig: {
      ...(engine.clip && {
        clip_low_threshold: 1 - clip.clipLow,
        clip_high_threshold: 1 + clip.clipHigh,
      }),
      ...(engine.dualClip && clip.dualClip !== null && { dual_clip: clip.dualClip }),
    },
    oldLogprobs: atProximal ? 'proximal' : 'behaviour',
    needsProximal,
    needsReference: loss.kl !== null,
    folded,
  };
}
