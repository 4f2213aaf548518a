import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { EvalDocument } from './data.ts';
import type { StepDocument } from '../../../activities/trainer/records.ts';
import { type Html, html, trusted } from '../../eval/report/html.ts';

const SIZE = { width: 460, height: 230, marginLeft: 56 };

/** One value of one curve; `x` is the number of steps that the weights had seen or, for a step, its end. */
export interface Mark {
  x: number;
  y: number;
  series: string;
}

export interface Chart {
  title: string;
  y: string;
  /** `area` stacks the series. */
  kind: 'line' | 'area';
  marks: Mark[];
  /** The axis shows all of [0, 1]. */
  share?: boolean;
}

/** A drawn chart; curves of several series are named above it. */
export const draw = ({ title, y, kind, marks, share }: Chart): Html => {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const names = [...new Set(marks.map(({ series }) => series))];
  const channels = { x: 'x', y: 'y', z: 'series' } as const;
  // A curve of one value has no extent of its own to show.
  const flat = new Set(marks.map((mark) => mark.y)).size === 1;
  const drawn = Plot.plot({
    document,
    ...SIZE,
    x: { label: 'steps', ticks: 6, tickFormat: 'd' },
    y: {
      label: y,
      grid: true,
      ...(share ? { domain: [0, 1] } : { nice: true, zero: flat }),
      tickFormat: (value: number) => String(Number(value.toPrecision(3))),
    },
    color: { domain: names, legend: names.length > 1 },
    marks: [
      kind === 'area'
        ? Plot.areaY(marks, { ...channels, fill: 'series' })
        : Plot.lineY(marks, { ...channels, stroke: 'series', marker: marks.length > 300 ? false : 'dot' }),
      ...(kind === 'area' ? [Plot.ruleY([0])] : []),
    ],
  }) as unknown as { outerHTML: string };
  return html`<figure>
    <figcaption>${title}</figcaption>
    ${trusted(drawn.outerHTML)}
  </figure>`;
};

type Curves = Record<string, string>;

const ofSteps = (steps: readonly StepDocument[], curves: Curves): Mark[] =>
  steps.flatMap(({ step, metrics }) =>
    Object.entries(curves).flatMap(([series, name]) => {
      const y = metrics[name];
      return y === undefined ? [] : [{ x: step + 1, y, series }];
    }),
  );

const line = (
  steps: readonly StepDocument[],
  title: string,
  y: string,
  curves: Curves,
  share = false,
): Chart => ({
  ...{ title, y, kind: 'line', share },
  marks: ofSteps(steps, curves),
});

/** Item F1 of the trained rollouts, and both curves of the dev questions: sampled and greedy belong together. */
const scores = (steps: readonly StepDocument[], evals: readonly EvalDocument[]): Chart => ({
  ...{ title: 'Item F1', y: 'item F1', kind: 'line', share: true },
  marks: [
    ...ofSteps(steps, { 'training, sampled': 'rollout/score' }),
    ...evals.flatMap(({ step, score, greedy }) => [
      ...(score === null ? [] : [{ x: step, y: score, series: 'dev, temperature 1' }]),
      ...(greedy === null ? [] : [{ x: step, y: greedy, series: 'dev, greedy' }]),
    ]),
  ],
});

/** Counts by name in each step as shares of the step's total, stacked. */
const shares = (
  title: string,
  label: string,
  steps: readonly StepDocument[],
  pick: (step: StepDocument) => Readonly<Record<string, number>>,
): Chart => {
  const names = [...new Set(steps.flatMap((step) => Object.keys(pick(step))))].sort();
  return {
    ...{ title, y: label, kind: 'area', share: true },
    marks: steps.flatMap((step) => {
      const counts = pick(step);
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return total === 0
        ? []
        : names.map((series) => ({ x: step.step + 1, y: (counts[series] ?? 0) / total, series }));
    }),
  };
};

const TIMES: Curves = {
  'waiting for rollouts': 'time/rollout',
  'preparing data': 'time/prepare_data',
  'reference log-probs': 'time/reference',
  'forward (proximal)': 'time/forward',
  'forward-backward': 'time/backward',
  optimiser: 'time/optimiser',
  'publishing weights': 'time/sync_weights',
};

/** All charts of a run, those without a single value left out. */
export const chartsOf = (steps: readonly StepDocument[], evals: readonly EvalDocument[]): Chart[] => {
  const of = (title: string, y: string, curves: Curves, share?: boolean): Chart =>
    line(steps, title, y, curves, share);
  const ages = (step: StepDocument): Record<string, number> =>
    Object.fromEntries(Object.entries(step.staleness).map(([age, tokens]) => [`${age} versions`, tokens]));
  return [
    of('Reward', 'mean reward', { reward: 'rollout/reward_scores_traj' }),
    scores(steps, evals),
    of('Answers in their form', 'share', { rate: 'wideseek_r1/traj/mean/final_answer_format' }, true),
    of('Loss of supervised training', 'cross-entropy', { loss: 'train/loss' }),
    of('Turns per rollout', 'turns', {
      lead: 'wideseek_r1/avg_main_agent_turns_per_traj',
      subagents: 'wideseek_r1/avg_subagent_turns_per_traj',
    }),
    of('Subagents per rollout', 'subagents', { subagents: 'wideseek_r1/avg_num_subagents_per_traj' }),
    of('Tool calls per rollout', 'calls', {
      subtasks: 'wideseek_r1/traj/mean/subtask',
      searches: 'wideseek_r1/traj/mean/search',
      pages: 'wideseek_r1/traj/mean/access',
    }),
    of('Tokens of a turn', 'tokens', {
      'prompt, mean': 'rollout/prompt_length',
      'response, mean': 'rollout/response_length',
      'response, longest': 'rollout/max_response_length',
    }),
    of('Clipped tokens', 'share', {
      clipped: 'train/actor/clip_fraction',
      'dual clip': 'train/actor/dual_cliped_ratio',
      masked: 'train/actor/masked_fraction',
    }),
    of('Policy ratio', 'mean over tokens', {
      '|ratio − 1|': 'train/actor/ratio_abs',
      'approximate KL': 'train/actor/approx_kl',
    }),
    of('Entropy', 'nats a sampled token', { entropy: 'train/actor/entropy_loss' }),
    of('KL to the reference', 'mean over tokens', { KL: 'train/actor/kl_loss' }),
    of('Gradient norm', 'norm', { norm: 'train/actor/grad_norm' }),
    shares('Staleness of trained tokens', 'share of tokens', steps, ages),
    shares('How agents’ runs ended', 'share of rollouts', steps, ({ stopReasons }) => stopReasons),
    of('Groups per step', 'groups', {
      trained: 'groups/trained',
      'without signal, in the batch': 'groups/filtered',
      expired: 'groups/expired',
    }),
    { title: 'Where a step’s time goes', y: 'seconds', kind: 'area' as const, marks: stacked(steps, TIMES) },
    of('Trainer idle', 'share of a step', { idle: 'trainer/idle_share' }, true),
  ].filter(({ marks }) => marks.length > 0);
};

/** A stack needs a value of every series at every step. */
const stacked = (steps: readonly StepDocument[], curves: Curves): Mark[] =>
  steps
    .filter(({ metrics }) => metrics['time/training'] !== undefined)
    .flatMap(({ step, metrics }) =>
      Object.entries(curves).map(([series, name]) => ({ x: step + 1, y: metrics[name] ?? 0, series })),
    );
