import { invalidInput } from '../errors.ts';

/**
 * Splits items over `parts` so that token sums are close (longest first, each to the lightest part). `equalCount`: part
 * sizes differ by at most one item. Used for data-parallel ranks and to level micro-batches of known number.
 */
export function balancedPartition(
  lengths: readonly number[],
  parts: number,
  options: { equalCount?: boolean } = {},
): number[][] {
  if (!Number.isInteger(parts) || parts < 1)
    throw invalidInput('parts', `${parts} is not a whole number above 0`);
  const result: number[][] = Array.from({ length: parts }, () => []);
  const sums = new Float64Array(parts);
  const order = byLengthDown(lengths);
  let heap = Array.from({ length: parts }, (_, part) => part);
  const lighter = (a: number, b: number): boolean =>
    (sums[a] ?? 0) < (sums[b] ?? 0) || ((sums[a] ?? 0) === (sums[b] ?? 0) && a < b);
  let round: number[] = [];
  for (const item of order) {
    if (heap.length === 0) {
      heap = [];
      round.forEach((part) => push(heap, part, lighter));
      round = [];
    }
    const part = pop(heap, lighter);
    result[part]?.push(item);
    sums[part] = (sums[part] ?? 0) + (lengths[item] ?? 0);
    if (options.equalCount === true) round.push(part);
    else push(heap, part, lighter);
  }
  return result;
}

/** Indices of the lengths, longest first, ties in the given order. */
export const byLengthDown = (lengths: readonly number[]): number[] =>
  lengths.map((_, index) => index).sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || a - b);

function push(heap: number[], value: number, before: (a: number, b: number) => boolean): void {
  heap.push(value);
  for (let at = heap.length - 1; at > 0;) {
    const parent = (at - 1) >> 1;
    if (!before(heap[at] ?? 0, heap[parent] ?? 0)) break;
    swap(heap, at, parent);
    at = parent;
  }
}

function pop(heap: number[], before: (a: number, b: number) => boolean): number {
  const top = heap[0] ?? 0;
  const last = heap.pop() ?? 0;
  if (heap.length === 0) return top;
  heap[0] = last;
  for (let at = 0; ;) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2])
      if (child < heap.length && before(heap[child] ?? 0, heap[least] ?? 0)) least = child;
    if (least === at) return top;
    swap(heap, at, least);
    at = least;
  }
}

function swap(heap: number[], a: number, b: number): void {
  [heap[a], heap[b]] = [heap[b] ?? 0, heap[a] ?? 0];
}
