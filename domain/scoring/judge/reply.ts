/** Section 7 as the reference reads it: the last block tagged `json` that holds an object, parsed strictly. */
export function parseFencedJson(text: string | null): Record<string, unknown> | null {
  const blocks = [...(text ?? '').matchAll(/```json\s*(\{[\s\S]*?\})\s*```/g)];
  return toObject(blocks.at(-1)?.[1] ?? '');
}

/**
 * FIX-13: a reply is the last fenced block of any tag, or as a whole, one JSON object. Thinking before a closing
 * think tag is ignored; an object inside an array is not a reply.
 */
export function parseReplyObject(text: string | null): Record<string, unknown> | null {
  const answer = (text ?? '')
    .slice(((text ?? '').lastIndexOf('</think>') + 8) * Number((text ?? '').includes('</think>')))
    .trim();
  const pieces = answer.split('```');
  if (pieces.length < 3) return toObject(answer);
  const last = pieces.length % 2 === 1 ? pieces.length - 2 : pieces.length - 3;
  return toObject((pieces[last] ?? '').replace(/^[A-Za-z]*/, '').trim());
}

function toObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** FIX-18: 0 or 1, also as boolean or text; null for everything else. */
export function parseBinary(value: unknown): 0 | 1 | null {
  if (value === 1 || value === true || value === '1') return 1;
  if (value === 0 || value === false || value === '0') return 0;
  return null;
}
