import type { ScheduleView } from './schedule.ts';
import { columns } from './text.ts';

const minute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

const lost = ({ missed, skipped }: Pick<ScheduleView, 'missed' | 'skipped'>): string[] => [
  ...(missed > 0 ? [`${missed} missed`] : []),
  ...(skipped > 0 ? [`${skipped} skipped`] : []),
];

/** One line per schedule; lost ticks are said in the line. */
export const scheduleList = (schedules: readonly ScheduleView[]): string =>
  columns([
    ['schedule', 'evaluation', 'at', 'state', 'next', 'last', 'lost ticks'],
    ...schedules.map((schedule) => [
      ...[schedule.name, schedule.config, `${schedule.at} ${schedule.zone}`],
      schedule.paused ? 'paused' : 'active',
      schedule.next[0] ? minute(schedule.next[0]) : '–',
      schedule.recent[0]?.state ?? '–',
      lost(schedule).join(', ') || 'none',
    ]),
  ]);

/** Everything about one schedule. */
export const scheduleText = (
  schedule: ScheduleView,
  pageOf: (workflowId: string) => string | null,
): string => {
  const { name, config, at, zone, paused, note, next, recent, running, taken, missed, skipped } = schedule;
  const { overlap, catchupHours, timeoutHours, input } = schedule;
  return [
    `${name}: evaluation ${config}, every day at ${at} ${zone}${paused ? ' (paused)' : ''}`,
    ...(note ? [`note: ${note}`] : []),
    `overlap ${overlap}, made up within ${catchupHours} h, ended after ${timeoutHours ?? '–'} h`,
    `input: ${JSON.stringify(input)}`,
    `next: ${paused ? 'none while paused' : next.map(minute).join(', ') || 'none'}`,
    `taken: ${taken}${running.length > 0 ? `, ${running.length} running` : ''}`,
    ...(missed > 0
      ? [
          `MISSED: ${missed} ticks came while the server was away and were too old when it was back. Run them: wideseek schedule backfill ${name} --from … --to …`,
        ]
      : ['missed: none']),
    ...(skipped > 0 ? [`SKIPPED: ${skipped} ticks, because one run was open and another waited`] : []),
    ...recent.map(({ scheduledAt, workflowId, state }) => {
      const page = pageOf(workflowId);
      return `${minute(scheduledAt)}  ${state.padEnd(10)} ${workflowId}${page ? `  ${page}` : ''}`;
    }),
  ].join('\n');
};
