import type { Summary } from '../../domain/scoring/aggregate.ts';

/** Order in which metrics are shown; others follow as they come. */
const ORDER = ['score', 'f1_by_row', 'f1_by_item', 'accuracy', 'em', 'f1', 'cem'];

const percent = (value: number): string => (100 * value).toFixed(1).padStart(6);

/** A summary as lines for people; numbers are percentages, brackets a 95% interval over questions. */
export function summaryLines(summary: Summary): string[] {
  const { k, all, byLanguage, byStatus } = summary;
  const names = Object.keys(all.metrics);
  const sorted = [
    ...ORDER.filter((name) => names.includes(name)),
    ...names.filter((name) => !ORDER.includes(name)),
  ];
  const width = Math.max(6, ...sorted.map((name) => name.length));
  const statuses = Object.entries(byStatus).map(([status, count]) => `${status} ${count}`);
  const groups = Object.entries(byLanguage).length > 1 ? Object.entries(byLanguage) : [];
  return [
    `${all.questions} questions, ${all.samples} answers (${statuses.join(', ')})`,
    `${'metric'.padEnd(width)}   avg@${k}            95%   max@${k}  pass@${k}`,
    ...sorted.flatMap((name) => {
      const metric = all.metrics[name];
      if (!metric) return [];
      const { avg, max, pass } = metric;
      const interval = `[${percent(avg.low)},${percent(avg.high)}]`;
      return [
        `${name.padEnd(width)}  ${percent(avg.mean)}  ${interval}  ${percent(max.mean)}  ${percent(pass.mean)}`,
      ];
    }),
    ...groups.map(([language, group]) => {
      const means = sorted
        .slice(0, 3)
        .map((name) => `${name} ${percent(group.metrics[name]?.avg.mean ?? 0).trim()}`);
      return `${language}: ${group.questions} questions, ${means.join(', ')}`;
    }),
  ];
}
