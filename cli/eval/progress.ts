import { primaryMetric } from '../../domain/scoring/compare.ts';
import type { Output } from '../io.ts';
import { fit } from '../progress/lines.ts';
import type { View } from '../run/follow.ts';
import type { EvalProgress } from './follow.ts';

const ahead = (ms: number): string =>
  ms < 90_000
    ? `${Math.ceil(ms / 1_000)} s`
    : ms < 5_400_000
      ? `${Math.round(ms / 60_000)} min`
      : `${(ms / 3_600_000).toFixed(1)} h`;

/** One line about an evaluation; `etaMs` is what is left, where that can be told. */
export const progressLine = (progress: EvalProgress, etaMs: number | null): string => {
  const { done, total, running, unscored, paused, meanScore } = progress;
  const metric = primaryMetric(Object.keys(meanScore));
  const share = total > 0 ? ` (${Math.floor((100 * done) / total)}%)` : '';
  return [
    `${done}/${total} samples${share}`,
    paused ? 'paused' : `${running} running`,
    ...(unscored > 0 ? [`${unscored} unscored`] : []),
    ...(metric === undefined ? [] : [`${metric} ${(100 * (meanScore[metric] ?? 0)).toFixed(1)}%`]),
    ...(etaMs === null || paused || done >= total ? [] : [`about ${ahead(etaMs)} left`]),
  ].join(' · ');
};

/** Time left, from the speed since the first report; what was done before says nothing about it. */
const createEta = (now: () => number) => {
  let first: { at: number; done: number } | null = null;
  return ({ done, total }: EvalProgress): number | null => {
    first ??= { at: now(), done };
    const made = done - first.done;
    return made > 0 ? ((now() - first.at) / made) * (total - done) : null;
  };
};

const QUIET_MS = 15_000;

/** A line redrawn in place on a terminal; elsewhere a line when a twentieth more is done, or after a while. */
export const createEvalView = (out: Output, now: () => number = Date.now): View<EvalProgress> => {
  const eta = createEta(now);
  let drawn = false;
  let last = { part: -1, at: 0, text: '' };
  const erase = (): void => {
    if (drawn) out.write('\r\u001b[2K');
    drawn = false;
  };
  return {
    progress: (progress) => {
      const text = progressLine(progress, eta(progress));
      if (out.isTTY) {
        erase();
        out.write(fit(text, Math.max(20, out.columns - 1)));
        drawn = true;
        return;
      }
      const part = progress.total > 0 ? Math.floor((20 * progress.done) / progress.total) : -1;
      if (text === last.text || (part === last.part && now() - last.at < QUIET_MS)) return;
      last = { part, at: now(), text };
      out.write(`${text}\n`);
    },
    note: (line) => {
      erase();
      out.write(`${line}\n`);
    },
    end: erase,
  };
};
