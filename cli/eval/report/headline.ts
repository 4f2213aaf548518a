import type { Estimate } from '../../../domain/scoring/bootstrap.ts';
import type { MetricSummary } from '../../../domain/scoring/aggregate.ts';
import {
  PUBLISHED,
  type PublishedTable,
  WIDESEARCH_COLUMNS,
  WIDESEARCH_OFFICIAL,
  WIDESEEK_QA,
} from '../../../domain/scoring/published.ts';
import type { EvaluationRecord } from '../../../domain/scoring/samples.ts';
import type { MetricDocument } from '../metrics.ts';
import { WHOLE } from '../summary.ts';
import { type Html, html } from './html.ts';

const percent = (value: number | null | undefined): string =>
  value == null ? '–' : (value * 100).toFixed(1);
const interval = ({ low, high }: Estimate): string => `${percent(low)}–${percent(high)}`;

const NAMES: Record<string, string> = {
  score: 'Success',
  f1_by_item: 'Item F1',
  precision_by_item: 'Item precision',
  recall_by_item: 'Item recall',
  f1_by_row: 'Row F1',
  precision_by_row: 'Row precision',
  recall_by_row: 'Row recall',
  accuracy: 'Accuracy (judge)',
  em: 'Exact match',
  f1: 'Token F1',
  cem: 'Cover exact match',
};
/** A metric's name for people. */
export const metricName = (metric: string): string => NAMES[metric] ?? metric;

/** Every metric with its mean, maximum and pass rate over samples, and intervals over questions; in percent. */
export const ownTable = ({ wideseek }: MetricDocument): Html => {
  const { k, all, byLanguage } = wideseek.summary;
  const languages = Object.entries(byLanguage);
  const groups = [['all', all], ...(languages.length > 1 ? languages : [])] as const;
  const order = Object.keys(NAMES);
  const names = Object.keys(all.metrics).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const line = (metric: string, group: string, summary: MetricSummary): Html =>
    html`<tr>
      <td>${metricName(metric)}</td>
      <td>${group}</td>
      <td class="n">${percent(summary.avg.mean)}</td>
      <td class="n quiet">${interval(summary.avg)}</td>
      <td class="n">${percent(summary.max.mean)}</td>
      <td class="n quiet">${interval(summary.max)}</td>
      <td class="n">${percent(summary.min.mean)}</td>
      <td class="n">${WHOLE.has(metric) ? percent(summary.pass.mean) : ''}</td>
    </tr>`;
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th>metric (%)</th>
          <th>language</th>
          <th class="n">avg@${k}</th>
          <th class="n">95% interval</th>
          <th class="n">max@${k}</th>
          <th class="n">95% interval</th>
          <th class="n">min@${k}</th>
          <th class="n">pass@${k}</th>
        </tr>
      </thead>
      <tbody>
        ${names.map((metric) =>
          groups.map(([group, { metrics }]) => (metrics[metric] ? line(metric, group, metrics[metric]) : '')),
        )}
      </tbody>
    </table>
  </div>`;
};

/** Why a run's numbers must not be read as if they stood in the published table; empty where they may. */
export const incomparable = (evaluation: EvaluationRecord, table: PublishedTable): string[] => {
  const same = table.datasets.includes(evaluation.dataset);
  return [
    ...(same ? [] : [`it ran on another data set (${evaluation.dataset})`]),
    ...(same && evaluation.dataset === 'widesearch' && evaluation.questions < 200
      ? [`it has ${evaluation.questions} of the 200 questions`]
      : []),
    ...(evaluation.samples === 4 ? [] : [`it has ${evaluation.samples} samples a question instead of 4`]),
  ];
};

/** This run's value in a column of a published table, in percent; null where the column has none. */
const ownValue = (dataset: string, document: MetricDocument, column: string): number | null => {
  if (column === 'searches') return document.metrics.traj_avg_search;
  if (column === 'page reads') return document.metrics.traj_avg_access;
  const place = (
    WIDESEARCH_COLUMNS as Record<string, { metric: string; over: keyof MetricSummary } | undefined>
  )[column];
  const { metrics } = document.wideseek.summary.all;
  if (place) {
    const mean = metrics[place.metric]?.[place.over].mean;
    return mean === undefined ? null : mean * 100;
  }
  const accuracy = metrics['accuracy']?.avg.mean;
  const own = WIDESEEK_QA.datasets.includes(dataset) ? dataset : 'avg';
  return column.toLowerCase() === own && accuracy !== undefined ? accuracy * 100 : null;
};

const publishedTable = (
  evaluation: EvaluationRecord,
  document: MetricDocument,
  table: PublishedTable,
): Html => {
  const why = incomparable(evaluation, table);
  const show = (value: number | null | undefined, column: string): string =>
    value == null ? '–' : value.toFixed(column === 'searches' || column === 'page reads' ? 2 : 1);
  return html`<h3>${table.title}</h3>
    <p class="quiet">
      ${
        why.length > 0
          ? html`<b>Not comparable with this run:</b> ${why.join('; ')}; and the models differ. Read the two
              as orders of magnitude.`
          : 'Same data set and number of samples. Models, tools and the judge may differ.'
      }
      Source: ${table.source}.
    </p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th>system</th>
            ${table.columns.map((column) => html`<th class="n">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          <tr class="own">
            <td>this run: ${evaluation.policy} on ${evaluation.dataset}</td>
            ${table.columns.map(
              (column) =>
                html`<td class="n">${show(ownValue(evaluation.dataset, document, column), column)}</td>`,
            )}
          </tr>
          ${table.rows.map(
            (row, index) =>
              html`${
                  row.setting === table.rows[index - 1]?.setting
                    ? ''
                    : html`<tr class="group">
                        <td colspan="${table.columns.length + 1}">published, ${row.setting}</td>
                      </tr>`
                }
                <tr>
                  <td>${row.system}</td>
                  ${table.columns.map(
                    (column) => html`<td class="n">${show(row.values[column], column)}</td>`,
                  )}
                </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
};

/** The published tables that belong to the kinds of question in this run, with this run as their first line. */
export const publishedTables = (
  evaluation: EvaluationRecord,
  document: MetricDocument,
  kinds: ReadonlySet<string>,
): Html => {
  const official = WIDESEARCH_OFFICIAL.datasets.includes(evaluation.dataset);
  const tables = PUBLISHED.filter((table) =>
    table === WIDESEEK_QA
      ? kinds.has('qa')
      : kinds.has('table') && (official || table !== WIDESEARCH_OFFICIAL),
  );
  return html`${tables.map((table) => publishedTable(evaluation, document, table))}`;
};
