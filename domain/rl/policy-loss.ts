export interface ClipConfig {
  /** The ratio is clipped to [1 − clipLow, 1 + clipHigh]. */
  clipLow: number;
  clipHigh: number;
  /** Dual clip c > 1: for a negative advantage the loss is at most c·|A|. Null: off. */
  dualClip: number | null;
  /** The log ratio is clamped to ± this. */
  logRatioLimit: number;
}

/** Hybrid configuration of the published runs (wideseek 4.5). */
export const WIDESEEK_CLIP: ClipConfig = { clipLow: 0.2, clipHigh: 0.28, dualClip: 10, logRatioLimit: 20 };
/** ASearcher 3.5. */
export const ASEARCHER_CLIP: ClipConfig = { clipLow: 0.4, clipHigh: 0.4, dualClip: null, logRatioLimit: 20 };

export interface TokenLoss {
  loss: number;
  /** Derivative by the new log-prob; 0 where a clip or clamp holds the loss. */
  gradient: number;
  ratio: number;
  /** The ratio held to [1 − clipLow, 1 + clipHigh]. */
  bounded: number;
  clipped: boolean;
  dualClipped: boolean;
}

/**
 * Clipped policy loss of one token (wideseek 4.5): ratio = exp(new − old), loss = max(−A·r, −A·clip(r)), then
 * min(loss, c·|A|) for A < 0. Homogeneous: scaling A by s ≥ 0 scales loss and gradient by s, which is why every weight
 * and denominator can travel inside the advantage.
 */
export function tokenLoss(current: number, old: number, advantage: number, config: ClipConfig): TokenLoss {
  const raw = current - old;
  const ratio = Math.exp(Math.min(config.logRatioLimit, Math.max(-config.logRatioLimit, raw)));
  const bounded = Math.min(1 + config.clipHigh, Math.max(1 - config.clipLow, ratio));
  const free = -advantage * ratio;
  const held = -advantage * bounded;
  const clipped = held > free;
  const loss = Math.max(free, held);
  const ceiling = config.dualClip === null || advantage >= 0 ? Infinity : config.dualClip * -advantage;
  const dualClipped = loss > ceiling;
  const moves = !clipped && !dualClipped && Math.abs(raw) < config.logRatioLimit;
  return { loss: Math.min(loss, ceiling), gradient: moves ? free : 0, ratio, bounded, clipped, dualClipped };
}
