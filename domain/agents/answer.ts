/** What stands in the last `\boxed{…}` of a text, braces balanced; null if there is none (spec 1.8). */
export function extractBoxed(text: string): string | null {
  const start = text.lastIndexOf('\\boxed{');
  if (start < 0) return null;
  let depth = 0;
  for (let i = start + 6; i < text.length; i++) {
    if (text[i] === '{') depth++;
    if (text[i] === '}' && --depth === 0) return text.slice(start + 7, i).trim();
  }
  return null;
}

/** Everything after the last closing think tag, up to the model's end marker (spec 1.6, 1.8). */
export function visibleText(text: string): string {
  const closing = text.lastIndexOf('</think>');
  const after = closing < 0 ? text : text.slice(closing + '</think>'.length);
  return after.split('<|im_end|>')[0]!.trim();
}
