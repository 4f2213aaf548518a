import { invalidInput } from '../errors.ts';
import { balancedPartition, byLengthDown } from './partition.ts';

export interface Packing {
  /** Indices of the items in each bin. */
  bins: number[][];
  /** Items longer than the budget; each has a bin of its own. */
  oversized: number[];
  /** Tokens packed / (bins · budget), in (0, 1]; 1 for no items. Oversized items count as one full budget. */
  efficiency: number;
}

/**
 * Best-fit decreasing packing of lengths into bins of `budget` tokens (wideseek 4.7). O(n log budget): a tree over the
 * remaining room finds the fullest bin that still fits. Ties keep the given order, so equal input gives equal output.
 */
export function packSequences(lengths: readonly number[], budget: number): Packing {
  if (!Number.isInteger(budget) || budget < 1)
    throw invalidInput('budget', `${budget} is not a whole number above 0`);
  const order = byLengthDown(lengths);
  const bins: number[][] = [];
  const oversized: number[] = [];
  const rooms = roomIndex(budget);
  let tokens = 0;
  for (const item of order) {
    const length = lengths[item] ?? 0;
    tokens += Math.min(length, budget);
    if (length > budget) {
      oversized.push(item);
      bins.push([item]);
      continue;
    }
    const found = rooms.take(length);
    const bin = found?.bin ?? bins.length;
    if (found === null) bins.push([item]);
    else bins[bin]?.push(item);
    rooms.add(bin, (found?.room ?? budget) - length);
  }
  return { bins, oversized, efficiency: bins.length === 0 ? 1 : tokens / (bins.length * budget) };
}

/** Bins of the packing levelled over the same number of micro-batches, or the packing itself where levelling would overflow. */
export function packBalanced(lengths: readonly number[], budget: number): Packing {
  const packing = packSequences(lengths, budget);
  if (packing.bins.length === 0 || packing.oversized.length > 0) return packing;
  const bins = balancedPartition(lengths, packing.bins.length);
  const fits = bins.every((bin) => bin.reduce((sum, item) => sum + (lengths[item] ?? 0), 0) <= budget);
  return fits ? { ...packing, bins } : packing;
}

/** Bins by their remaining room, with the smallest sufficient room found in O(log budget). */
function roomIndex(budget: number) {
  let size = 1;
  while (size <= budget) size *= 2;
  const counts = new Int32Array(2 * size);
  const stacks = new Map<number, number[]>();
  const change = (room: number, by: number): void => {
    for (let node = size + room; node >= 1; node >>= 1) counts[node] = (counts[node] ?? 0) + by;
  };
  /** Smallest room ≥ `least` that some bin has, or −1. */
  const smallestFrom = (least: number): number => {
    let node = size + least;
    if ((counts[node] ?? 0) === 0) {
      while (node > 1 && (node % 2 === 1 || (counts[node + 1] ?? 0) === 0)) node >>= 1;
      if (node <= 1) return -1;
      node += 1;
    }
    while (node < size) node = (counts[2 * node] ?? 0) > 0 ? 2 * node : 2 * node + 1;
    return node - size;
  };
  return {
    add(bin: number, room: number): void {
      const stack = stacks.get(room);
      if (stack === undefined) stacks.set(room, [bin]);
      else stack.push(bin);
      change(room, 1);
    },
    take(least: number): { bin: number; room: number } | null {
      const room = smallestFrom(least);
      const bin = room < 0 ? undefined : stacks.get(room)?.pop();
      if (bin === undefined) return null;
      change(room, -1);
      return { bin, room };
    },
  };
}
