import { groupAdvantages } from './advantages.ts';
import type { AdvantageConfig } from './advantages.ts';
import { denominatorOf, naturalDenominator } from './denominator.ts';
import type { DenominatorRule } from './denominator.ts';
import { noSignal } from './filter.ts';
import type { FilterConfig, NoSignal } from './filter.ts';
import { mergeTurns, separateTurns } from './merge.ts';
import { normaliseOverTokens, shapeReward } from './shaping.ts';
import type { ShapingConfig } from './shaping.ts';
import { trainableTurns } from './types.ts';
import type { Group, Rollout, Sequence, Turn } from './types.ts';
import { tokenWeights } from './weights.ts';
import type { Weighting } from './weights.ts';

export interface BatchConfig {
  advantage: AdvantageConfig;
  weighting: Weighting;
  /** Null: what makes the loss a mean under the weighting. */
  denominator: DenominatorRule | null;
  filter: FilterConfig;
  /** Applied to the group's advantage, as ASearcher does. Null: off. */
  shaping: ShapingConfig | null;
  /** Normalise advantages over all loss tokens of the batch (ASearcher's simple agent). */
  normaliseOverTokens: boolean;
  /** False: every turn is a sequence of its own. */
  merge: boolean;
}

export interface TrainingBatch {
  sequences: Sequence[];
  denominator: number;
  /** Scored rollouts of the groups that are trained on. */
  rollouts: number;
  filtered: { groupId: string; reason: NoSignal }[];
  excluded: { rolloutId: string; reason: string }[];
  stats: {
    turns: number;
    lossTokens: number;
    /** Tokens the engine would process turn by turn, and those it processes after merging. */
    tokensBefore: number;
    tokensAfter: number;
    /** Turns that did not continue their agent's turn before. */
    prefixMismatches: number;
    /** Agents with a trained turn, and all that were started, over the batch's rollouts. */
    agentsKept: number;
    agentsStarted: number;
  };
}

interface Credited {
  group: Group;
  rollout: Rollout;
  kept: Turn[];
  tokens: number;
  advantage: number;
}

/**
 * From closed groups to the sequences of one optimiser step: filter, advantages, weights, prefix merging, denominator.
 * Pure and independent of the order of groups; near linear in tokens. Unscored and failed rollouts are listed as
 * excluded and enter no statistic; groups without signal are listed as filtered. Sequences without loss tokens are never
 * made.
 */
export function buildBatch(groups: readonly Group[], config: BatchConfig): TrainingBatch {
  const filtered: TrainingBatch['filtered'] = [];
  const excluded: TrainingBatch['excluded'] = [];
  const credited: Credited[] = [];
  for (const group of groups) {
    const members = group.rollouts.flatMap((rollout) => {
      if (rollout.outcome.kind === 'scored') return [{ rollout, reward: rollout.outcome.reward }];
      excluded.push({ rolloutId: rollout.id, reason: `${rollout.outcome.kind}: ${rollout.outcome.reason}` });
      return [];
    });
    const reason = noSignal(
      members.map(({ reward }) => reward),
      config.filter,
    );
    if (reason === null) credited.push(...creditGroup(group, members, config));
    else filtered.push({ groupId: group.id, reason });
  }
  if (config.normaliseOverTokens) normalise(credited);
  const sequences: Sequence[] = [];
  const stats: TrainingBatch['stats'] = {
    turns: 0,
    lossTokens: 0,
    tokensBefore: 0,
    tokensAfter: 0,
    prefixMismatches: 0,
    agentsKept: 0,
    agentsStarted: 0,
  };
  for (const member of credited) {
    const made = sequencesOf(member, config);
    for (const sequence of made.sequences) {
      sequences.push(sequence);
      stats.tokensAfter += sequence.tokens.length;
    }
    stats.prefixMismatches += made.mismatches;
    stats.turns += member.kept.length;
    stats.agentsKept += new Set(member.kept.map(({ agentId }) => agentId)).size;
    stats.agentsStarted += member.rollout.agentsStarted;
    stats.lossTokens += member.tokens;
    for (const { promptTokens, responseTokens } of member.kept)
      stats.tokensBefore += promptTokens.length + responseTokens.length;
  }
  const rule = config.denominator ?? naturalDenominator(config.weighting);
  const denominator = denominatorOf(rule, credited.length, sequences);
  return { sequences, denominator, rollouts: credited.length, filtered, excluded, stats };
}

function creditGroup(
  group: Group,
  members: readonly { rollout: Rollout; reward: number }[],
  { advantage, shaping }: BatchConfig,
): Credited[] {
  const kept = members.map(({ rollout }) =>
    trainableTurns(rollout).filter(({ responseTokens }) => responseTokens.length > 0),
  );
  const values = groupAdvantages(
    members.map(({ reward }, index) => ({ reward, keptTurns: kept[index]?.length ?? 0 })),
    advantage,
  );
  return members.map(({ rollout }, index) => {
    const value = values[index] ?? 0;
    const turns = kept[index] ?? [];
    return {
      group,
      rollout,
      kept: turns,
      tokens: turns.reduce((sum, { responseTokens }) => sum + responseTokens.length, 0),
      advantage: shaping === null ? value : shapeReward(value, shaping),
    };
  });
}

function normalise(credited: Credited[]): void {
  const values = normaliseOverTokens(
    credited.map(({ advantage }) => advantage),
    credited.map(({ tokens }) => tokens),
  );
  credited.forEach((member, index) => {
    member.advantage = values[index] ?? 0;
  });
}

function sequencesOf(
  { group, rollout, kept, advantage }: Credited,
  { weighting, merge }: BatchConfig,
): { sequences: Sequence[]; mismatches: number } {
  const weights = tokenWeights(
    kept.map(({ agentId, responseTokens }) => ({ agentId, tokens: responseTokens.length })),
    rollout.agentsStarted,
    weighting,
  );
  const turns = kept.map((turn, index) => ({ turn, advantage, weight: weights[index] ?? 0 }));
  const ids = { groupId: group.id, rolloutId: rollout.id };
  return merge ? mergeTurns(ids, turns) : { sequences: separateTurns(ids, turns), mismatches: 0 };
}
