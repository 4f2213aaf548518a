import type { Usage } from './port.ts';

/** US dollars per million tokens. */
export interface Prices {
  promptUsdPerMillion: number;
  completionUsdPerMillion: number;
}

/**
 * Cost of one call in millionths of a US dollar, rounded up so that a sum never falls short of the bill.
 * A price of 1 USD per million tokens is 1 micro-dollar per token; no prices cost nothing.
 */
export function costMicroUsd(usage: Usage, prices: Prices | undefined): number {
  if (!prices) return 0;
  const exact =
    usage.promptTokens * prices.promptUsdPerMillion + usage.completionTokens * prices.completionUsdPerMillion;
  // Nine decimals hide the noise of binary fractions, which would otherwise round 3.0000000000000004 up to 4.
  return Math.ceil(Number(exact.toFixed(9)));
}
