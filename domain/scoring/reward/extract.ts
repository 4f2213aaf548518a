import type { Table } from '../../run.ts';
import { readFrame } from '../reference/frame.ts';
import { strip } from '../reference/text.ts';

/**
 * The published reward's reading of a table (wideseek 1.8): the last fenced block tagged `markdown`; for gold
 * (`lenient`) without a fence the last run of pipe lines. Null where there is none or its CSV reader fails.
 */
export function extractReferenceTable(text: string, lenient: boolean): Table | null {
  const thinking = text.lastIndexOf('</think>');
  const answer = strip(thinking < 0 ? text : text.slice(thinking + '</think>'.length));
  const block = lastFence(answer) ?? (lenient ? lastPipeRun(answer) : null);
  if (block === null) return null;
  const lines = block
    .split('\n')
    .map(strip)
    .filter((line) => line.includes('|') && !/^[-| :]*$/.test(line))
    .map((line) => line.split('|').map(strip).join('|'));
  try {
    const frame = readFrame(lines.join('\n'), '|', 'text');
    const rows = frame.rows.map((row) =>
      row.map((cell) => (cell === '' ? 'nan' : cell.replaceAll('<br>', '\n'))),
    );
    return { columns: frame.columns, rows };
  } catch {
    return null;
  }
}

function lastFence(answer: string): string | null {
  let found: string | null = null;
  let open = answer.indexOf('```markdown');
  while (open >= 0) {
    const close = answer.indexOf('```', open + 11);
    if (close < 0) break;
    found = answer.slice(open + 11, close);
    open = answer.indexOf('```markdown', close + 3);
  }
  return found;
}

function lastPipeRun(answer: string): string | null {
  if (answer.split('|').length - 1 < 4) return null;
  const lines = answer.split('\n');
  let end = lines.length - 1;
  while (end >= 0 && !(lines[end] ?? '').includes('|')) end -= 1;
  let start = end;
  while (start > 0 && (lines[start - 1] ?? '').includes('|')) start -= 1;
  return lines.slice(start, end + 1).join('\n');
}
