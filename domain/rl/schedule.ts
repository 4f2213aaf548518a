import { invalidInput } from '../errors.ts';

export interface ScheduleConfig {
  kind: 'constant' | 'linear' | 'cosine';
  /** Learning rate after the warm-up. */
  peak: number;
  /** Rate at the last step; `constant` ignores it. */
  floor: number;
  warmupSteps: number;
  /** Steps of the whole run, warm-up included. */
  totalSteps: number;
}

/** Warm-up steps as a share of the run, rounded up, as ASearcher's 0.1 % is meant (3.9). */
export const warmupSteps = (share: number, totalSteps: number): number => Math.ceil(share * totalSteps);

/**
 * Learning rate of step `step`, from 0 (wideseek 4.8 and asearcher 3.9: constant after a warm-up). The warm-up rises
 * linearly and its first step is not 0: (step + 1)/warmupSteps. Afterwards `linear` and `cosine` fall to `floor`, which
 * every step beyond the run keeps. A pure function of the step, so a resumed run continues exactly.
 */
export function learningRate(step: number, config: ScheduleConfig): number {
  const { kind, peak, floor, totalSteps } = config;
  if (!Number.isInteger(step) || step < 0) throw invalidInput('step', `${step} is not a whole number from 0`);
  if (step < config.warmupSteps) return (peak * (step + 1)) / config.warmupSteps;
  if (kind === 'constant') return peak;
  const span = Math.max(1, totalSteps - 1 - config.warmupSteps);
  const done = Math.min(1, (step - config.warmupSteps) / span);
  const left = kind === 'linear' ? 1 - done : (1 + Math.cos(Math.PI * done)) / 2;
  return floor + (peak - floor) * left;
}
