const HEX = /[0-9a-f]{64,}/g;

/** Everything in a text that could be the name of stored content: a mark too many keeps content, one too few loses it. */
export function* refsIn(text: string): Generator<string> {
  for (const [run] of text.matchAll(HEX))
    for (let at = 0; at + 64 <= run.length; at += 1) yield run.slice(at, at + 64);
}

/** Which of the old blobs and messages are still needed. `size` in bytes as stored. */
export interface OldContent {
  blobs: Map<string, number>;
  messages: Map<string, { parent: string | null; size: number }>;
}

/** Marks what texts name, and what a marked conversation continues. Marked blobs wait in `queue` to be read themselves. */
export function createMarks({ blobs, messages }: OldContent) {
  const marked = new Set<string>();
  const queue: string[] = [];

  /** A message and all before it. */
  function markMessage(hash: string | null): void {
    for (let at = hash; at !== null && !marked.has(at); at = messages.get(at)?.parent ?? null) {
      if (!messages.has(at)) return;
      marked.add(at);
    }
  }

  function markText(text: string): void {
    for (const ref of refsIn(text)) {
      if (messages.has(ref)) markMessage(ref);
      if (!blobs.has(ref) || marked.has(ref)) continue;
      marked.add(ref);
      queue.push(ref);
    }
  }

  /** Names of unmarked messages, children before their parents: a parent cannot go before them. */
  function unmarkedMessages(): string[] {
    const depths = new Map<string, number>();
    const depthOf = (hash: string): number => {
      const path: string[] = [];
      let at: string | null = hash;
      while (at !== null && messages.has(at) && !depths.has(at)) {
        path.push(at);
        at = messages.get(at)?.parent ?? null;
      }
      let depth = at === null ? 0 : (depths.get(at) ?? 0);
      for (const one of path.reverse()) depths.set(one, (depth += 1));
      return depths.get(hash) ?? 0;
    };
    const rest = [...messages.keys()].filter((hash) => !marked.has(hash));
    return rest.sort((a, b) => depthOf(b) - depthOf(a));
  }

  return {
    markText,
    markMessage,
    queue,
    unmarkedMessages,
    unmarkedBlobs: (): string[] => [...blobs.keys()].filter((hash) => !marked.has(hash)),
  };
}
