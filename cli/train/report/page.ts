import { countBars } from '../../eval/report/charts.ts';
import { type Html, html, trusted } from '../../eval/report/html.ts';
import { pageStart } from '../../eval/report/page.ts';
import { chartsOf, draw } from './charts.ts';
import type { TrainReportData } from './data.ts';

const card = (value: string, label: string): Html =>
  html`<div class="card"><b>${value}</b><span>${label}</span></div>`;

const fixed = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : value.toFixed(3);

const cards = ({ steps, evals }: TrainReportData): Html => {
  const first = steps[0]?.metrics ?? {};
  const last = steps.at(-1)?.metrics ?? {};
  const total = (name: string): number => steps.reduce((sum, { metrics }) => sum + (metrics[name] ?? 0), 0);
  const walls = total('time/rollout') + total('time/training');
  const idle = walls === 0 ? null : total('time/rollout') / walls;
  const arrow = (from: number | null | undefined, to: number | null | undefined): string =>
    `${fixed(from)} → ${fixed(to)}`;
  const change = (name: string): string => arrow(first[name], last[name]);
  const devs = evals.filter(({ score }) => score !== null);
  const dev = (pick: 'score' | 'greedy'): string =>
    devs.length === 1 ? fixed(devs[0]?.[pick]) : arrow(devs[0]?.[pick], devs.at(-1)?.[pick]);
  return html`<div class="cards">
    ${card(String(steps.length), 'steps taken')}
    ${
      'rollout/score' in last
        ? [
            card(change('rollout/reward_scores_traj'), 'reward, first and last step'),
            card(change('rollout/score'), 'item F1 of training, first and last step'),
          ]
        : card(change('train/loss'), 'loss, first and last step')
    }
    ${devs.length > 0 ? [card(dev('score'), 'dev item F1, temperature 1'), card(dev('greedy'), 'dev item F1, greedy')] : ''}
    ${walls > 0 ? card(`${(walls / Math.max(1, steps.length)).toFixed(1)} s`, 'a step, waiting included') : ''}
    ${idle === null ? '' : card(`${Math.round(100 * idle)}%`, 'of its time the trainer was idle')}
  </div>`;
};

const rows = (evals: TrainReportData['evals']): Html =>
  html`<table>
    <thead>
      <tr>
        <th>steps</th>
        <th>temperature 1</th>
        <th>greedy</th>
        <th>subagents</th>
        <th>format</th>
        <th>unscored</th>
      </tr>
    </thead>
    <tbody>
      ${evals.map(({ step, score, greedy, unscored, metrics }) => {
        const { sampled = {} } = metrics;
        return html`<tr>
          <td>${step}</td>
          <td>${fixed(score)}</td>
          <td>${fixed(greedy)}</td>
          <td>${fixed(sampled['wideseek_r1/avg_num_subagents_per_traj'])}</td>
          <td>${fixed(sampled['wideseek_r1/traj/mean/final_answer_format'])}</td>
          <td>${unscored}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;

/** A chart with a legend is a figure in a figure, and the legend's samples are drawings that must not grow. */
const STYLE = trusted(`<style>
  figure figure { border: 0; margin: 0; padding: 0; }
  figure [class*='swatch'] svg { width: 12px; height: 12px; flex: none; }
  figure [class*='swatches'] { color: inherit; }
</style>`);

/** The whole report on one page: charts as SVG, no script, nothing loaded. */
export const trainPage = (data: TrainReportData): string => {
  const { run, steps, evals, fates, checkpoints, config } = data;
  const kept = checkpoints.filter((one) => one.kept);
  return html`${pageStart(`Training ${run.runId}`, '')} ${STYLE}
    <h1>${run.title}</h1>
    <p class="quiet">${run.runId} · configuration ${run.config} · ${run.status}</p>
    ${cards(data)}
    <div class="charts">${chartsOf(steps, evals).map(draw)}</div>
    ${Object.keys(fates).length > 0 ? countBars('How groups ended', fates) : ''}
    ${evals.length > 0 ? [html`<h2>Dev questions</h2>`, rows(evals)] : ''}
    <h2>Checkpoints</h2>
    <ul>
      ${kept.map(({ step, path, score }) => html`<li>after ${step} steps: <code>${path}</code> ${score === null ? '' : `(dev ${fixed(score)})`}</li>`)}
    </ul>
    <details>
      <summary>Configuration</summary>
      <pre>${JSON.stringify(config ?? null, null, 2)}</pre>
    </details>`.markup;
};
