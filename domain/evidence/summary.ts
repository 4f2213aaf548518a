import type { CellEvidence } from '../run.ts';

export interface Coverage {
  supported: number;
  unsupported: number;
}

/** How many cells have a source, in all and by column, in the order of first appearance. */
export const summariseEvidence = (
  evidence: readonly CellEvidence[],
): Coverage & { byColumn: Record<string, Coverage> } => {
  const byColumn = new Map<string, Coverage>();
  const total: Coverage = { supported: 0, unsupported: 0 };
  for (const { status, column } of evidence) {
    const counts = byColumn.get(column) ?? { supported: 0, unsupported: 0 };
    counts[status] += 1;
    total[status] += 1;
    byColumn.set(column, counts);
  }
  return { ...total, byColumn: Object.fromEntries(byColumn) };
};
