import { hashText } from '../seeded.ts';
import type { SampleSplit } from './shape.ts';

const PATTERN: readonly SampleSplit[] = ['train', 'train', 'test', 'train', 'dev'];

/**
 * Gives every topic one split, about 60 : 20 : 20 within each stratum. `fixed` wins over the draw.
 * The draw depends on the topics' own texts, so a new stratum does not move the others.
 */
export function assignSplits(
  topics: readonly { topic: string; stratum: string }[],
  fixed: Readonly<Record<string, SampleSplit>> = {},
): Map<string, SampleSplit> {
  const splits = new Map<string, SampleSplit>(Object.entries(fixed));
  const strata = new Map<string, Set<string>>();
  for (const { topic, stratum } of topics) {
    const members = strata.get(stratum) ?? new Set();
    strata.set(stratum, members.add(topic));
  }
  for (const members of strata.values())
    [...members]
      .filter((topic) => !splits.has(topic))
      .sort((a, b) => hashText(a) - hashText(b) || (a < b ? -1 : 1))
      .forEach((topic, index) => splits.set(topic, PATTERN[index % PATTERN.length] as SampleSplit));
  return splits;
}
