/** FNV-1a over UTF-16 code units; the same text gives the same 32-bit number on every machine. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  // FNV alone leaves the low bits of near-equal texts correlated; this finaliser spreads them.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The option that `seed` selects; `options` must not be empty. */
export function pick<T>(seed: string, options: readonly T[]): T {
  return options[hashText(seed) % options.length] as T;
}

/** A copy in an order that depends only on `seed` and the items' own keys. */
export function shuffle<T>(seed: string, items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort(
    (a, b) => hashText(seed + key(a)) - hashText(seed + key(b)) || key(a).localeCompare(key(b), 'en'),
  );
}
