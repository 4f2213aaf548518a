import { join } from 'node:path';
import { invalidInput } from '../../domain/errors.ts';
import { type Setting, parseSettings } from '../settings.ts';
import { writeWhole } from './files.ts';
import type { MetricDocument } from './metrics.ts';
import { fileName } from './records.ts';
import { curve } from './report/charts.ts';
import { html } from './report/html.ts';
import { metricName } from './report/headline.ts';
import { pageStart } from './report/page.ts';
import { primaryEstimate } from './summary.ts';
import { runFolder } from './write.ts';

export interface Sweep {
  key: string;
  values: Setting[];
}

const MAX_VALUES = 50;

/** `agents.width=1,2,4` as a setting and its values. Throws `InvalidInput`. */
export const parseSweep = (text: string): Sweep => {
  const at = text.indexOf('=');
  const key = text.slice(0, Math.max(0, at)).trim();
  const parts = text
    .slice(at + 1)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (at < 1 || parts.length === 0 || new Set(parts).size !== parts.length || parts.length > MAX_VALUES) {
    throw invalidInput(
      '--sweep',
      `"${text}" is not key=value,value,…`,
      'Write for example --sweep agents.width=1,2,4; each value once',
    );
  }
  return { key, values: parts.map((part) => parseSettings([`${key}=${part}`])[key] ?? null) };
};

/** Run id of one value of a sweep: all of a sweep sort together. */
export const sweepRunId = (prefix: string, { key }: Sweep, value: Setting): string =>
  `${prefix}-${fileName(`${key.split('.').at(-1) ?? key}${String(value)}`)}`;

/** One measured value. Times in milliseconds. */
export interface SweepPoint {
  value: Setting;
  runId: string;
  metric: string | null;
  mean: number | null;
  low: number | null;
  high: number | null;
  complete: boolean;
  /** Wall clock of one answer, mean over samples. */
  answerMs: number | null;
  /** Wall clock of the whole evaluation as this command saw it; short where samples were there before. */
  totalMs: number;
  modelCalls: number;
  costUsd: number;
}

/** What a finished evaluation contributes to the curve. */
export const sweepPoint = (
  value: Setting,
  runId: string,
  document: MetricDocument,
  totalMs: number,
): SweepPoint => {
  const primary = primaryEstimate(document);
  const { complete, mean_wall_seconds: seconds, model_calls, cost_usd } = document.wideseek;
  return {
    ...{ value, runId, complete, totalMs, modelCalls: model_calls, costUsd: cost_usd },
    metric: primary?.metric ?? null,
    mean: primary?.mean ?? null,
    low: primary?.low ?? null,
    high: primary?.high ?? null,
    answerMs: seconds === null ? null : seconds * 1_000,
  };
};

/** Numbers as they are; anything else by its place. */
const xOf = ({ value }: SweepPoint, index: number): number => (typeof value === 'number' ? value : index + 1);

/** The page of a sweep: a table and curves of score and wall clock per value. */
export const sweepPage = (prefix: string, { key }: Sweep, points: readonly SweepPoint[]): string => {
  const metric = points.find((point) => point.metric !== null)?.metric ?? 'score';
  const scored = points.flatMap((point, index) =>
    point.mean === null
      ? []
      : [
          {
            ...{ x: xOf(point, index), y: point.mean * 100 },
            ...{ low: (point.low ?? point.mean) * 100, high: (point.high ?? point.mean) * 100 },
          },
        ],
  );
  const timed = points.flatMap((point, index) =>
    point.answerMs === null ? [] : [{ x: xOf(point, index), y: point.answerMs / 1_000 }],
  );
  const total = points.map((point, index) => ({ x: xOf(point, index), y: point.totalMs / 1_000 }));
  const number = (value: number | null, digits = 1): string => (value === null ? '–' : value.toFixed(digits));
  const share = (value: number | null): string => number(value === null ? null : value * 100);
  return html`${pageStart(`${prefix}: sweep of ${key}`, '')}
    <h1>${prefix}</h1>
    <p class="quiet">Sweep of ${key}, one evaluation per value, one after the other.</p>
    <div class="charts">
      ${curve(`${metricName(metric)} per ${key}`, { x: key, y: `${metricName(metric)} (%)` }, scored)}
      ${curve(`Wall clock of one answer per ${key}`, { x: key, y: 'seconds, mean' }, timed)}
      ${curve(`Wall clock of the evaluation per ${key}`, { x: key, y: 'seconds' }, total)}
    </div>
    <h2>Values</h2>
    <div class="scroll"><table>
      <thead><tr><th>${key}</th><th class="n">${metricName(metric)} (%)</th><th class="n">95% interval</th>
        <th class="n">answer (s)</th><th class="n">evaluation (s)</th><th class="n">model calls</th><th class="n">cost (US$)</th><th>complete</th><th>run</th></tr></thead>
      <tbody>${points.map(
        (point) =>
          html`<tr>
            <td>${String(point.value)}</td>
            <td class="n">${share(point.mean)}</td>
            <td class="n">${share(point.low)}–${share(point.high)}</td>
            <td class="n">${number(point.answerMs === null ? null : point.answerMs / 1_000)}</td>
            <td class="n">${number(point.totalMs / 1_000)}</td>
            <td class="n">${point.modelCalls}</td>
            <td class="n">${number(point.costUsd, 2)}</td>
            <td>${point.complete ? 'yes' : 'no'}</td>
            <td><a href="../${fileName(point.runId)}/report.html">${point.runId}</a></td>
          </tr>`,
      )}</tbody>
    </table></div>
    </body></html>
    `.markup;
};

/** Writes `sweep.json` and `sweep.html`; returns the page. Written again after every value, so that a stop loses nothing. */
export const writeSweep = async (
  cwd: string,
  prefix: string,
  sweep: Sweep,
  points: readonly SweepPoint[],
): Promise<string> => {
  const folder = runFolder(cwd, prefix);
  await writeWhole(join(folder, 'sweep.json'), `${JSON.stringify({ prefix, ...sweep, points }, null, 2)}\n`);
  const page = join(folder, 'sweep.html');
  await writeWhole(page, sweepPage(prefix, sweep, points));
  return page;
};
