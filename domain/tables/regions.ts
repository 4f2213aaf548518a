/** A stretch of text that may hold tables: the inside of one fenced block, or the lines between fences. */
export interface Region {
  fenced: boolean;
  /** Lower-case first word after the opening fence. */
  tag: string;
  lines: string[];
}

/**
 * Cuts a text at its code fences (backticks or tildes, any tag). An unclosed fence reaches to the end. A fence may
 * open or close at the end of a line of text, which models write.
 */
export function splitRegions(text: string): Region[] {
  const regions: Region[] = [];
  let current: Region = { fenced: false, tag: '', lines: [] };
  let marker = '';
  const close = (next: Region): void => {
    if (current.lines.length > 0) regions.push(current);
    current = next;
  };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const body = unquote(line);
    if (marker !== '') {
      const end = closingPrefix(body, marker);
      if (end === null) {
        current.lines.push(body);
        continue;
      }
      if (end.trim() !== '') current.lines.push(end);
      close({ fenced: false, tag: '', lines: [] });
      marker = '';
      continue;
    }
    const opening = openingFence(body);
    if (opening === null) {
      current.lines.push(body);
      continue;
    }
    marker = opening.marker;
    close({ fenced: true, tag: opening.tag, lines: [] });
  }
  close({ fenced: false, tag: '', lines: [] });
  return regions;
}

/** Block quotes are transparent. */
const unquote = (line: string): string => line.replace(/^\s*(?:>\s?)+/, '');

/** A fence at the start of a line, or backticks with at most a tag after them at its end. */
function openingFence(line: string): { marker: string; tag: string } | null {
  const trimmed = line.trim();
  const start = trimmed.startsWith('~~~') ? 0 : trimmed.indexOf('```');
  if (start < 0 || trimmed.slice(0, start).includes('|')) return null;
  const char = trimmed[start] ?? '';
  let end = start;
  while (trimmed[end] === char) end += 1;
  const info = trimmed.slice(end).trim();
  if (info.includes('`') || (start > 0 && !/^[A-Za-z]*$/.test(info))) return null;
  return { marker: char.repeat(end - start), tag: (info.split(/\s/, 1)[0] ?? '').toLowerCase() };
}

/** What stands before the closing fence on this line; null where the line does not close it. */
function closingPrefix(line: string, marker: string): string | null {
  const trimmed = line.trimEnd();
  if (!trimmed.endsWith(marker)) return null;
  const char = marker[0] ?? '';
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === char) end -= 1;
  return trimmed.slice(0, end);
}
