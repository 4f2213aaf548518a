import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { primaryMetric } from '../../../domain/scoring/compare.ts';
import type { EvaluationRecord, SampleRecord } from '../../../domain/scoring/samples.ts';
import type { MetricDocument } from '../metrics.ts';
import { countBars, histogram, scatter } from './charts.ts';
import type { EmbeddedQuestion, IndexEntry } from './embedded.ts';
import { metricName, ownTable, publishedTables } from './headline.ts';
import { embedJson, type Html, html, trusted } from './html.ts';

const asset = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** Start of a page that may load nothing and run nothing but `script`, whatever its data says. */
export const pageStart = (title: string, script: string): Html => {
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return html`${trusted('<!doctype html>')}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="referrer" content="no-referrer" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${trusted(asset('style.css'))}
        </style>
      </head>
      <body></body>
    </html>`;
};

const duration = (ms: number): string =>
  ms < 120_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : ms < 7_200_000
      ? `${Math.round(ms / 60_000)} min`
      : `${(ms / 3_600_000).toFixed(1)} h`;

const card = (value: string, label: string): Html =>
  html`<div class="card"><b>${value}</b><span>${label}</span></div>`;

const cards = ({ wideseek }: MetricDocument): Html => {
  const { summary, cost_usd, mean_wall_seconds, prompt_tokens, completion_tokens, model_calls } = wideseek;
  const main = Object.entries(summary.all.metrics).filter(([name]) =>
    ['f1_by_item', 'f1_by_row', 'score', 'accuracy', 'em'].includes(name),
  );
  return html`<div class="cards">
    ${main.map(([name, { avg }]) =>
      card(
        `${(avg.mean * 100).toFixed(1)}%`,
        `${metricName(name)} avg@${summary.k} (95%: ${(avg.low * 100).toFixed(1)}–${(avg.high * 100).toFixed(1)})`,
      ),
    )}
    ${card(`${wideseek.scored} of ${wideseek.expected_samples}`, 'samples scored')}
    ${card(cost_usd > 0 ? `$${cost_usd.toFixed(2)}` : 'no price set', 'cost of the answers')}
    ${card(`${Math.round((prompt_tokens + completion_tokens) / 1_000)}k`, `tokens in ${model_calls} model calls`)}
    ${mean_wall_seconds === null ? '' : card(duration(mean_wall_seconds * 1_000), 'wall clock per answer, mean')}
  </div>`;
};

const charts = (samples: readonly SampleRecord[], document: MetricDocument): Html => {
  const scored = samples.filter(({ scores }) => scores !== null);
  const metric = primaryMetric([...new Set(scored.flatMap(({ scores }) => Object.keys(scores ?? {})))]);
  const name = metric === undefined ? '' : metricName(metric);
  const own = scored.flatMap((sample) => {
    const y = sample.scores?.[metric ?? ''];
    return y === undefined ? [] : [{ sample, y }];
  });
  const against = (pick: (sample: SampleRecord) => number) =>
    own.map(({ sample, y }) => ({ x: pick(sample), y }));
  const rows = scored.flatMap(({ scores }) => scores?.['f1_by_row'] ?? []);
  const priced = samples.some(({ usage }) => usage.microUsd > 0);
  const { summary, stop_reasons, unscored_reasons } = document.wideseek;
  return html`<div class="charts">
    ${
      own.length > 0
        ? histogram(
            `Distribution of ${name}`,
            name,
            own.map(({ y }) => y),
          )
        : ''
    }
    ${rows.length > 0 ? histogram('Distribution of Row F1', 'Row F1', rows) : ''}
    ${
      own.length > 0
        ? scatter(
            `${name} over width`,
            { x: 'agents of a run', y: name },
            against(({ agents }) => agents),
          )
        : ''
    }
    ${
      own.length > 0
        ? scatter(
            `${name} over depth`,
            { x: 'turns of a run, all agents', y: name },
            against(({ turns }) => turns),
          )
        : ''
    }
    ${scatter(
      'Depth over width',
      { x: 'agents of a run', y: 'turns' },
      samples.map(({ agents, turns }) => ({ x: agents, y: turns })),
      false,
    )}
    ${scatter(
      'Wall clock over width',
      { x: 'agents of a run', y: 'seconds' },
      samples.map(({ agents, wallMs }) => ({ x: agents, y: wallMs / 1_000 })),
      false,
    )}
    ${scatter(
      priced ? 'Cost over width' : 'Tokens over width',
      { x: 'agents of a run', y: priced ? 'US dollars' : 'tokens' },
      samples.map(({ agents, usage }) => ({
        x: agents,
        y: priced ? usage.microUsd / 1e6 : usage.promptTokens + usage.completionTokens,
      })),
      false,
    )}
    ${countBars('Why runs stopped', stop_reasons)} ${countBars('Status of the scores', summary.byStatus)}
    ${countBars('Why answers are unscored', unscored_reasons)}
  </div>`;
};

export interface PageInput {
  evaluation: EvaluationRecord;
  samples: readonly SampleRecord[];
  document: MetricDocument;
  writtenAt: number;
}

const when = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The report up to the list of questions. What follows are `questionBlock`s and then `reportEnd`. */
export const reportStart = ({ evaluation, samples, document, writtenAt }: PageInput): Html => {
  const { expected_samples: expected, scored, complete } = document.wideseek;
  const statuses = [...new Set(samples.map(({ status }) => status))].sort();
  return html`${pageStart(`${evaluation.runId}: evaluation`, asset('client.js'))}
    <h1>${evaluation.runId}</h1>
    <p class="quiet">
      ${evaluation.dataset}: ${evaluation.questions} questions × ${evaluation.samples} samples, answered by
      ${evaluation.policy}, configuration “${evaluation.config}” (${evaluation.configHash.slice(0, 12)}).
      Started ${when(evaluation.startedAt)}, report written ${when(writtenAt)}.
    </p>
    ${
      complete
        ? ''
        : html`<p class="warning">
            Incomplete: ${scored} of ${expected} samples are scored. The numbers below are over these; nothing
            that is missing counts as 0.
          </p>`
    }
    ${cards(document)}
    <h2 id="results">Results</h2>
    ${ownTable(document)}
    <h2 id="published">Beside published results</h2>
    ${publishedTables(evaluation, document, new Set(samples.map(({ kind }) => kind)))}
    <h2 id="charts">Distributions, width and depth, cost, failures</h2>
    ${charts(samples, document)}
    <details>
      <summary>Settings</summary>
      <pre>${JSON.stringify(evaluation.settings, null, 2)}</pre>
    </details>
    <h2 id="list">Questions</h2>
    <div class="tools">
      <input type="search" id="search" placeholder="find in questions" aria-label="find in questions" />
      <select id="status" aria-label="status">
        <option value="">any status</option>
        ${statuses.map((status) => html`<option value="${status}">${status}</option>`)}
      </select>
      <select id="order" aria-label="order">
        <option value="file">in order</option>
        <option value="worst">worst first</option>
        <option value="best">best first</option>
      </select>
      <span class="quiet" id="shown"></span>
    </div>
    <noscript><p>The list of questions needs JavaScript; allresult.json has the same.</p></noscript>
    <div id="questions"></div>
    <p><button id="more" type="button" hidden>Show more</button></p> `;
};

/** A question's details, parsed only when a reader opens it. */
export const questionBlock = (position: number, question: EmbeddedQuestion): Html =>
  html`<script type="application/json" id="q${position}">
    ${embedJson(question)}
  </script> `;

/** The list of questions and the script that shows it. */
export const reportEnd = (index: readonly IndexEntry[]): Html =>
  html`<script type="application/json" id="index">${embedJson(index)}</script>
${trusted(`<script>${asset('client.js')}</script>`)}
</body>
</html>
`;
