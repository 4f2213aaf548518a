/** Answer and private reasoning of a reply; `reasoning` is '' where there is none. */
export interface SplitText {
  content: string;
  reasoning: string;
}

/**
 * Takes `<think>…</think>` out of a reply. Everything before a closing tag without an opening one is reasoning too,
 * because some chat templates write the opening tag into the prompt. A block that never closes is reasoning
 * to its end, because the limit cut it. Content is what lies outside, trimmed (spec 1.8).
 */
export function splitReasoning(text: string): SplitText {
  const reasoning: string[] = [];
  const content: string[] = [];
  let inside = false;
  for (const part of text.split(/(<\/?think>)/)) {
    if (part === '<think>') inside = true;
    else if (part !== '</think>') (inside ? reasoning : content).push(part);
    else {
      if (!inside) reasoning.push(...content.splice(0));
      inside = false;
    }
  }
  return { content: content.join('\n').trim(), reasoning: joinParts(reasoning) };
}

/** Joins pieces of reasoning, dropping empty ones. */
export const joinParts = (parts: readonly (string | null | undefined)[]): string =>
  parts
    .map((part) => part?.trim() ?? '')
    .filter(Boolean)
    .join('\n\n');
