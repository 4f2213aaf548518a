import type { Entry } from './list-entries.ts';
import { nameKey } from './text.ts';

export function intersect(a: readonly Entry[], b: readonly Entry[]): Entry[] {
  const keys = new Map(b.map((entry) => [nameKey(entry.name), entry]));
  return a.flatMap((entry) => {
    const other = keys.get(nameKey(entry.name));
    return other ? [{ name: entry.name, details: [...entry.details, ...other.details] }] : [];
  });
}

export function unique(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ name }) => {
    const key = nameKey(name);
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
