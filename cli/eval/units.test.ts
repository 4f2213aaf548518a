import { describe, expect, test } from 'vitest';
import { sampleOf, evaluationOf } from './testing/made.ts';
import { agentTree } from './agents.ts';
import { settingDifferences } from './differences.ts';
import { metricDocument } from './metrics.ts';
import { createEvalView, progressLine } from './progress.ts';
import { fileName } from './records.ts';
import { parseSweep, sweepPage, sweepPoint, sweepRunId } from './sweep.ts';
import { headlineText } from './summary.ts';
import { columns } from './text.ts';

const progress = {
  ...{ runId: 'r', done: 30, total: 100, running: 4, scored: 28, unscored: 2, paused: false },
  meanScore: { em: 0.1, f1_by_item: 0.4567 },
};

describe('progress', () => {
  test('says how far it is, what is open, what failed and the number that matters', () => {
    expect(progressLine(progress, 125_000)).toBe(
      '30/100 samples (30%) · 4 running · 2 unscored · f1_by_item 45.7% · about 2 min left',
    );
    expect(progressLine({ ...progress, total: 0, done: 0, unscored: 0, meanScore: {} }, null)).toBe(
      '0/0 samples · 4 running',
    );
    expect(progressLine({ ...progress, paused: true }, 1)).toContain('· paused ·');
  });

  const view = (isTTY: boolean) => {
    let [text, now] = ['', 0];
    const shown = createEvalView({ write: (more) => void (text += more), isTTY, columns: 80 }, () => now);
    return { ...shown, text: () => text, pass: (ms: number) => (now += ms) };
  };

  test('in a log: a line per twentieth, and what was done before the start says nothing about the speed', () => {
    const log = view(false);
    for (let done = 30; done <= 40; done += 1) {
      log.progress({ ...progress, done });
      log.pass(1_000);
    }
    const lines = log.text().trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).not.toContain('left');
    expect(lines[1]).toContain('about 65 s left');
  });

  test('on a terminal: one line in place', () => {
    const terminal = view(true);
    terminal.progress(progress);
    terminal.progress({ ...progress, done: 31 });
    terminal.end();
    expect(terminal.text().split('\r\u001b[2K')).toHaveLength(3);
    expect(terminal.text()).not.toContain('\n');
  });
});

describe('sweep', () => {
  test('reads values as settings do, and refuses what is none', () => {
    expect(parseSweep('agents.width=1, 2,4')).toEqual({ key: 'agents.width', values: [1, 2, 4] });
    expect(parseSweep('agents.workflow=mas,sa').values).toEqual(['mas', 'sa']);
    for (const bad of ['width', '=1', 'a=', 'a=1,1', 'a b=1']) expect(() => parseSweep(bad)).toThrow(/--s/);
    expect(sweepRunId('p', { key: 'agents.width', values: [] }, 4)).toBe('p-width4');
    expect(sweepRunId('p', { key: 'run', values: [] }, '../x')).not.toContain('/');
  });

  test('draws scores with their intervals and both wall clocks, and says what is incomplete', () => {
    const point = (value: number, share: number) => {
      const samples = [0, 1, 2].map((n) => sampleOf(`q${n}`, 0, { scores: { f1_by_item: share + n / 20 } }));
      return sweepPoint(
        value,
        `p-width${value}`,
        metricDocument(evaluationOf({ questions: 3, samples: 1 }), samples),
        9_000,
      );
    };
    const [one, two] = [point(1, 0.2), point(2, 0.4)];
    expect(one).toMatchObject({ metric: 'f1_by_item', answerMs: 1_500, totalMs: 9_000, complete: true });
    expect(one.mean).toBeCloseTo(0.25, 9);
    const page = sweepPage('<p>', { key: 'agents.width', values: [1, 2] }, [
      one,
      { ...two, complete: false },
    ]);
    expect(page).toContain('&lt;p&gt;: sweep of agents.width');
    expect(page.match(/class="interval"/g)).toHaveLength(6);
    expect(page).toMatch(/45\.0[\s\S]*<td>\s*no\s*<\/td>/);
    const empty = metricDocument(evaluationOf(), []);
    expect(sweepPage('p', { key: 'k', values: ['x'] }, [sweepPoint('x', 'r', empty, 1)])).toContain('–');
  });
});

describe('metric document', () => {
  test('qa: pass@1 is the first sample, pass@k any; on accuracy where a judge spoke, else on exact match', () => {
    const qa = (id: string, n: number, scores: Record<string, number> | null) =>
      sampleOf(id, n, { kind: 'qa', scores, status: scores ? 'ok' : 'unscored' });
    const samples = [
      ...[qa('a', 0, { em: 0 }), qa('a', 1, { em: 1 })],
      ...[qa('b', 0, { em: 1 }), qa('b', 1, null)],
    ];
    const { metrics, wideseek } = metricDocument(evaluationOf(), samples);
    expect(metrics).toMatchObject({ 'pass@1': 0.5, 'avg@2': 0.75, 'pass@2': 1 });
    expect(wideseek).toMatchObject({ complete: false, scored: 3, unscored: 1, expected_samples: 4 });
    const judged = samples.map((sample) => ({
      ...sample,
      scores: sample.scores && { ...sample.scores, accuracy: 0 },
    }));
    expect(metricDocument(evaluationOf(), judged).metrics).toMatchObject({ 'pass@1': 0, 'pass@2': 0 });
  });

  test('unscored answers count in nothing but the counts, and say why they are unscored', () => {
    const samples = [
      sampleOf('a', 0, { scores: { f1_by_item: 1 } }),
      sampleOf('a', 1, { scores: null, status: 'unscored', reason: 'judge is away' }),
      sampleOf('b', 0, { scores: { f1_by_item: 0 }, status: 'no_table' }),
    ];
    const { metrics, wideseek } = metricDocument(evaluationOf(), samples);
    expect(wideseek.summary.all.metrics['f1_by_item']?.avg.mean).toBe(0.5);
    expect(wideseek.unscored_reasons).toEqual({ 'judge is away': 1 });
    expect(metrics.final_answer_format).toBe(0.5);
    expect(headlineText(metricDocument(evaluationOf(), samples))).toContain(
      'Incomplete: 2 of 4 samples are scored',
    );
  });

  test('an evaluation without samples has no numbers, not zeros', () => {
    const { metrics } = metricDocument(evaluationOf(), []);
    expect(metrics).toMatchObject({
      avg_turns_per_traj: null,
      avg_prompt_length: null,
      final_answer_format: null,
    });
  });
});

test('agents: the lead first, then subagents by turn and number, with what Temporal knows of them', () => {
  const read = (agentId: string, url: string) => ({ agentId, url, title: url, ref: url });
  const tree = agentTree(
    'lead',
    [read('lead/t10/sub/1-x', 'u1'), read('lead/t2/sub/2-x', 'u2'), read('lead/t2/sub/2-x', 'u3')],
    [{ id: 'lead/t2/sub/1-y', task: 'find', state: 'completed', wallMs: 5 }],
  );
  expect(tree.map(({ id, place, task, pages }) => [id, place?.turn ?? 0, task, pages.length])).toEqual([
    ['lead', 0, '', 0],
    ['lead/t2/sub/1-y', 2, 'find', 0],
    ['lead/t2/sub/2-x', 2, '', 2],
    ['lead/t10/sub/1-x', 10, '', 1],
  ]);
});

test('settings that differ are named by path, also where one side has none', () => {
  expect(settingDifferences({ a: { b: 1, c: [1] }, d: 1 }, { a: { b: 2, c: [1] }, e: null })).toEqual([
    { path: 'a.b', a: 1, b: 2 },
    { path: 'd', a: 1, b: undefined },
    { path: 'e', a: undefined, b: null },
  ]);
  expect(settingDifferences({ a: 1 }, { a: 1 })).toEqual([]);
});

test('file names: safe ones stay, others are made safe and never meet', () => {
  expect(fileName('ws_en_001')).toBe('ws_en_001');
  const made = ['a/b', 'a-b', 'a b', '..', '.', '', '问题', '問題', 'x'.repeat(300)].map(fileName);
  expect(new Set(made).size).toBe(made.length);
  for (const name of made) expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,119}$/);
});

test('columns line up for wide scripts and lose control characters', () => {
  expect(
    columns([
      ['问题', '1'],
      ['a\u001b[2J', '10'],
    ]),
  ).toBe('问题   1\na[2J  10');
});
