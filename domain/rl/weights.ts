import { invalidInput } from '../errors.ts';

/**
 * How the tokens of one rollout share its weight.
 * `dual-kept`: 1/(A·Σ|o|), A = agents with a kept turn (the published code, 4.4).
 * `dual-all`: the same with A = all agents started (the paper's N_i; R-13).
 * `rollout-mean`: 1/Σ|o| over the whole rollout. `token-mean`: 1 per token, for the batch's token denominator (DAPO).
 */
export type Weighting = 'dual-kept' | 'dual-all' | 'rollout-mean' | 'token-mean';

export interface KeptTurn {
  agentId: number;
  /** Response tokens, |o_t|. */
  tokens: number;
}

/**
 * Weight of one response token of each kept turn (wideseek 4.3, 4.4). Summed over all kept tokens of the rollout the
 * weights give 1 (`dual-kept`, `rollout-mean`), kept agents / all agents (`dual-all`), the token count (`token-mean`).
 * An agent whose kept turns hold no token does not count as kept. Throws `InvalidInput` where `agentsStarted` is below
 * the number of kept agents.
 */
export function tokenWeights(
  turns: readonly KeptTurn[],
  agentsStarted: number,
  weighting: Weighting,
): Float64Array {
  const perAgent = new Map<number, number>();
  let total = 0;
  for (const { agentId, tokens } of turns) {
    if (tokens === 0) continue;
    perAgent.set(agentId, (perAgent.get(agentId) ?? 0) + tokens);
    total += tokens;
  }
  if (agentsStarted < perAgent.size)
    throw invalidInput('agentsStarted', `${agentsStarted} is below the ${perAgent.size} agents with turns`);
  const weight = (agentId: number): number => {
    if (weighting === 'token-mean') return 1;
    if (weighting === 'rollout-mean') return 1 / total;
    const agents = weighting === 'dual-all' ? agentsStarted : perAgent.size;
    return 1 / (agents * (perAgent.get(agentId) ?? 0));
  };
  return Float64Array.from(turns, ({ agentId, tokens }) => (tokens === 0 ? 0 : weight(agentId)));
}

/** Weight of each turn as a whole: its token weight times its tokens (the vectors of 4.4). */
export function turnWeights(
  turns: readonly KeptTurn[],
  agentsStarted: number,
  weighting: Weighting,
): number[] {
  const perToken = tokenWeights(turns, agentsStarted, weighting);
  return turns.map(({ tokens }, index) => (perToken[index] ?? 0) * tokens);
}
