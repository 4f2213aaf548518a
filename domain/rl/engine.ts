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
  /**
   * Older snapshots can be sampled while training goes on. Where not, sampling one damages the weights that are trained
   * or gives others than were published, so rollouts and steps must strictly alternate.
   */
  severalVersions: boolean;
}

const WIRE: Omit<EngineCapabilities, 'name'> = {
  reduction: 'sum',
  meanOver: 'step',
  clip: true,
  dualClip: false,
  forward: true,
  gradientNormClip: false,
  adam: 'all',
  severalVersions: true,
};

export type EngineName = 'skyrl-jax' | 'skyrl-fsdp' | 'tinker' | 'local-jax';

/** Declared facts of each engine, measured or read in its code; the conformance suite checks those it can reach. */
export const ENGINES: Readonly<Record<EngineName, EngineCapabilities>> = {
  'skyrl-jax': { ...WIRE, name: 'skyrl-jax', reduction: 'mean-of-means', severalVersions: false },
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

/** What of a configuration decides whether weights of one version are sampled while another one is trained. */
export interface VersionUse {
  maxStaleness: number;
  /** A deadline closes batches while rollouts run. */
  batchMinutes: number | null;
  kl: LossConfig['kl'];
  /** Checkpoint that the run starts from: it would be the reference, a snapshot of the model that is trained. */
  init: string | undefined;
}

/**
 * Throws `ConfigError` naming the setting where an engine without `severalVersions` would have to sample one version while
 * it trains another: its gradients would be wrong, and nothing would show it.
 */
export function checkVersions(engine: EngineCapabilities, use: VersionUse): void {
  if (engine.severalVersions) return;
  const refuse = (field: string, because: string, hint: string): never => {
    throw new WideseekError(
      'ConfigError',
      `${field}: ${because}, and engine ${engine.name} cannot sample one version of a model while it trains another`,
      { hint: `${hint}, or use an engine that can` },
    );
  };
  if (use.maxStaleness > 0) refuse('maxStaleness', 'rollouts overlap with steps', 'Set it to 0');
  if (use.batchMinutes !== null)
    refuse('batchMinutes', 'a deadline closes batches while rollouts run', 'Set it to null');
  if (use.kl !== null && use.init !== undefined)
    refuse('algorithm.kl', 'the reference is a snapshot of the trained model', 'Set it to null');
}
