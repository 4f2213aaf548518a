import { invalidInput } from '../errors.ts';

export interface ShapingConfig {
  bias: number;
  scale: number;
  /** The shaped reward lies in ±limit. */
  limit: number;
}

/** ASearcher 3.5. */
export const ASEARCHER_SHAPING: ShapingConfig = { bias: -0.5, scale: 10, limit: 20 };

/** `clip((R + bias) · scale, ±limit)` (asearcher 3.5). */
export const shapeReward = (reward: number, { bias, scale, limit }: ShapingConfig): number =>
  Math.min(limit, Math.max(-limit, (reward + bias) * scale));

/**
 * Advantages normalised over all loss tokens of the batch (asearcher 3.5): `advantages[i]` stands for `tokens[i]` equal
 * token values; mean 0 and population deviation 1 over tokens. Equal values, or no token, give zeros.
 */
export function normaliseOverTokens(
  advantages: readonly number[],
  tokens: readonly number[],
  epsilon = 1e-5,
): number[] {
  if (advantages.length !== tokens.length)
    throw invalidInput('tokens', `${tokens.length} counts for ${advantages.length} advantages`);
  const total = tokens.reduce((sum, count) => sum + count, 0);
  const weighted = (value: (advantage: number) => number): number =>
    advantages.reduce((sum, advantage, index) => sum + (tokens[index] ?? 0) * value(advantage), 0) / total;
  const live = advantages.filter((_, index) => (tokens[index] ?? 0) > 0);
  if (live.every((advantage) => advantage === live[0])) return advantages.map(() => 0);
  const mean = weighted((advantage) => advantage);
  const deviation = Math.sqrt(weighted((advantage) => (advantage - mean) ** 2));
  return advantages.map((advantage) => (advantage - mean) / (deviation + epsilon));
}
