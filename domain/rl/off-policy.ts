export interface DecoupledConfig {
  /** Largest weight π_prox/π_behav of a token. Null: no cap. */
  cap: number | null;
  /** What happens above the cap: the token leaves the loss (published), or its weight is the cap. */
  action: 'mask' | 'clamp';
}

/** ASearcher 3.5. */
export const ASEARCHER_DECOUPLED: DecoupledConfig = { cap: 5, action: 'mask' };

const LOG_LIMIT = 20;

/**
 * Weight w = π_prox/π_behav of one token, without gradient (asearcher 3.5). Above the cap: 0 (`mask`) or the cap
 * (`clamp`). The batch's denominator counts tokens before the cap, so a masked token simply adds nothing.
 */
export function behaviourWeight(proximal: number, behaviour: number, config: DecoupledConfig): number {
  const weight = Math.exp(Math.min(LOG_LIMIT, Math.max(-LOG_LIMIT, proximal - behaviour)));
  if (config.cap === null || weight <= config.cap) return weight;
  return config.action === 'mask' ? 0 : config.cap;
}

/**
 * Log-linear stand-in for the proximal log-prob that saves a forward pass (asearcher 3.5): log π_b + α(log π_θ − log π_b),
 * α = (v_p − v_b)/(v_θ − v_b) in versions; the behaviour value where the token was sampled at v_θ itself.
 */
export function approximateProximal(
  logprobs: { behaviour: number; current: number },
  versions: { behaviour: number; proximal: number; current: number },
): number {
  const span = versions.current - versions.behaviour;
  const alpha = span === 0 ? 0 : (versions.proximal - versions.behaviour) / span;
  return logprobs.behaviour + alpha * (logprobs.current - logprobs.behaviour);
}

export interface AgeConfig {
  /** Tokens older than this many versions leave the loss. Null: no bound per token (asearcher 3.2: admission only). */
  maxTokenAge: number | null;
  /** Each version of age multiplies a token's weight by this, in (0, 1]. 1: off. */
  decay: number;
}

export const NO_AGE_LIMIT: AgeConfig = { maxTokenAge: null, decay: 1 };

/** Weight of a token by the versions between its sampling and the step that trains it; 0 beyond the bound. */
export function ageWeight(age: number, { maxTokenAge, decay }: AgeConfig): number {
  if (maxTokenAge !== null && age > maxTokenAge) return 0;
  return decay === 1 ? 1 : decay ** Math.max(0, age);
}
