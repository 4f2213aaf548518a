import type { Output } from '../io.ts';
import { fit } from '../progress/lines.ts';
import type { View } from '../run/follow.ts';
import type { Shown, TrainProgressReply } from './follow.ts';

/** A time ahead in the unit that fits. */
export const ahead = (seconds: number): string =>
  seconds < 90
    ? `${Math.ceil(seconds)} s`
    : seconds < 5_400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3_600).toFixed(1)} h`;

const number = (name: string, value: number | null): string[] =>
  value === null ? [] : [`${name} ${value.toFixed(3)}`];

const trainLine = (progress: TrainProgressReply): string => {
  const { phase, step, steps, version, rewardMean, scoreMean, running, buffered, etaSeconds, dev } = progress;
  const { failed, filtered, idleShare, note } = progress;
  const left = steps - step;
  return [
    `step ${step}/${steps}`,
    phase,
    `version ${version}`,
    ...number('reward', rewardMean),
    ...number('item F1', scoreMean),
    `groups ${running} running, ${buffered} buffered`,
    ...(filtered > 0 ? [`${filtered} without signal`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(etaSeconds === null || left <= 0
      ? []
      : [`${(etaSeconds / left).toFixed(1)} s a step`, `about ${ahead(etaSeconds)} left`]),
    ...(idleShare === null ? [] : [`trainer idle ${Math.round(100 * idleShare)}%`]),
    ...(dev?.score == null
      ? []
      : [
          `dev ${dev.score.toFixed(3)}${dev.greedy === null ? '' : ` (greedy ${dev.greedy.toFixed(3)})`} at ${dev.step}`,
        ]),
    ...(note === '' ? [] : [`! ${note}`]),
  ].join(' · ');
};

/** One line about a run; `etaMs` is what is left where the run itself cannot tell. */
export const shownLine = (shown: Shown, etaMs: number | null): string => {
  if (shown.kind === 'train') return trainLine(shown.progress);
  const eta = etaMs === null ? [] : [`about ${ahead(etaMs / 1_000)} left`];
  if (shown.kind === 'sft') {
    const { step, steps, loss } = shown.progress;
    return [`step ${step}/${steps}`, ...number('loss', loss), ...eta].join(' · ');
  }
  const { done, groups, running, scored, failed } = shown.progress;
  return [
    `${done}/${groups} groups`,
    `${running} running`,
    `${scored} rollouts scored`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...eta,
  ].join(' · ');
};

const partsOf = (shown: Shown): { done: number; total: number } =>
  shown.kind === 'rollout'
    ? { done: shown.progress.done, total: shown.progress.groups }
    : { done: shown.progress.step, total: shown.progress.steps };

const QUIET_MS = 30_000;

/** A line redrawn in place on a terminal; elsewhere one at every step, and now and then in between. */
export const createTrainView = (out: Output, now: () => number = Date.now): View<Shown> => {
  let first: { at: number; done: number } | null = null;
  let drawn = false;
  let last = { done: -1, at: 0, text: '' };
  const erase = (): void => {
    if (drawn) out.write('\r\u001b[2K');
    drawn = false;
  };
  return {
    progress: (shown) => {
      const { done, total } = partsOf(shown);
      first ??= { at: now(), done };
      const made = done - first.done;
      const text = shownLine(shown, made > 0 ? ((now() - first.at) / made) * (total - done) : null);
      if (out.isTTY) {
        erase();
        out.write(fit(text, Math.max(20, out.columns - 1)));
        drawn = true;
        return;
      }
      if (text === last.text || (done === last.done && now() - last.at < QUIET_MS)) return;
      last = { done, at: now(), text };
      out.write(`${text}\n`);
    },
    note: (line) => {
      erase();
      out.write(`${line}\n`);
    },
    end: erase,
  };
};
