import type { GarbageReport } from '../../activities/retention/collect.ts';
import { invalidInput } from '../../domain/errors.ts';

const UNITS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** `30d`, `12h` or `4w` in milliseconds. Throws `InvalidInput`. */
export const parseAge = (text: string): number => {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text.trim()) ?? [];
  if (count !== undefined && unit !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw invalidInput('--older-than', `"${text}" is no age`, 'Write for example 30d, 12h or 4w');
};

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB'];

export const printSize = (bytes: number): string => {
  let [rest, unit] = [bytes, 0];
  for (; rest >= 1000 && unit < SIZES.length - 1; unit += 1) rest /= 1000;
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${SIZES[unit]}`;
};

/** What went, or would go, a line each. */
export const garbageLines = (report: GarbageReport, olderThan: string, dryRun: boolean): string[] => {
  const { runs, rows, documents, messages, content, weights, needed, unreachable } = report;
  const lines: [string, { rows: number; bytes: number }][] = [
    [`rows of ${runs} runs that ended more than ${olderThan} ago`, rows],
    ['expired documents', documents],
    ['messages of conversations', messages],
    ['pages, results and other contents', content],
    ['checkpoints and published weights', weights],
  ];
  return [
    dryRun ? 'Would remove:' : 'Removed:',
    ...lines.map(([what, amount]) => `  ${amount.rows} ${what}, ${printSize(amount.bytes)}`),
    ...(needed.length > 0 ? [`Needed by runs that stay: ${needed.join(', ')}`] : []),
    ...(unreachable.length > 0
      ? [`Stay because their engine does not answer: ${unreachable.join(', ')}`]
      : []),
  ];
};
