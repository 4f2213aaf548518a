/** The usual constant of reciprocal rank fusion (Cormack et al. 2009): how fast a rank's weight falls. */
const RANK_OFFSET = 60;

export interface Fused<T> {
  item: T;
  /** Sum over the lists of 1 / (60 + rank), ranks from 1. */
  score: number;
}

/** Merges ranked lists into one, best first. Items with the same key are one; ties keep the first list's order. */
export const fuseRankings = <T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => unknown,
): Fused<T>[] => {
  const fused = new Map<unknown, Fused<T>>();
  for (const list of lists)
    list.forEach((item, place) => {
      const entry = fused.get(keyOf(item)) ?? { item, score: 0 };
      entry.score += 1 / (RANK_OFFSET + place + 1);
      fused.set(keyOf(item), entry);
    });
  return [...fused.values()].sort((a, b) => b.score - a.score);
};
