import type { Table } from '../../run.ts';
import { readFrame } from './frame.ts';
import { strip } from './text.ts';

/** Section 3 as the reference does it: the answer's table; null where it finds none. Raises where its CSV reader does. */
export function extractReference(answer: string): Table | null {
  const block = fencedBlock(answer) ?? firstPipeRun(answer);
  if (block === null) return null;
  const lines = strip(block).split('\n');
  lines[0] = (lines[0] ?? '').replaceAll(' ', '').toLowerCase();
  const kept = lines
    .map(strip)
    .filter((line) => line.includes('|') && !/^[-| :]*$/.test(line))
    .map((line) => line.split('|').map(strip).join('|'));
  return readFrame(kept.join('\n'), '|');
}

function fencedBlock(answer: string): string | null {
  const open = answer.indexOf('```markdown');
  if (open < 0) return null;
  const close = answer.indexOf('```', open + 11);
  return close < 0 ? null : answer.slice(open + 11, close);
}

/** The first run of lines that begin with a pipe; the run starts at the answer's first pipe. */
function firstPipeRun(answer: string): string | null {
  if (answer.split('|').length - 1 < 4) return null;
  const start = answer.indexOf('|');
  let end = start;
  while (answer[end] === '|') {
    const lineEnd = answer.indexOf('\n', end);
    if (lineEnd < 0) return answer.slice(start);
    end = lineEnd + 1;
  }
  return answer.slice(start, end);
}
