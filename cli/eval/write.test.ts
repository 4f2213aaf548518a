import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../activities/store/open.ts';
import { loadEvaluation } from './load.ts';
import { evaluationOf, HOSTILE, madeEvaluation, putEvaluation, sampleOf } from './testing/made.ts';
import { writeRun } from './write.ts';

const cwd = mkdtempSync(join(tmpdir(), 'wideseek-write-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const write = async (
  runId: string,
  options: { questions: number; samples: number; text?: string; reportChars?: number },
) => {
  const store = await madeEvaluation({ runId, ...options });
  const { reportChars } = options;
  const written = await writeRun(store, await loadEvaluation(store, runId), { cwd, now: 0, reportChars });
  await store.close();
  const read = (name: string): string => readFileSync(join(written.folder, name), 'utf8');
  return { ...written, read };
};

type Entry = {
  index: number;
  instance_id: string;
  group_size: number;
  answer: unknown;
  samples: Record<string, unknown>[];
};

test('writes the documented files with the documented fields', async () => {
  const { read, folder } = await write('plain', { questions: 3, samples: 2 });
  const metric = JSON.parse(read('metric.json')) as Record<string, Record<string, unknown>>;
  expect(metric).toMatchObject({
    ...{ dataset_size: 3, experiment_name: 'plain', timestamp: '20260102_030405' },
    config: { group_size: 2, data_paths: ['sample'] },
    metrics: { total_num_trajectories: 6, turn_avg_subtask: 2, turn_avg_search: 1, traj_avg_search: 4 },
  });
  expect(Object.keys(metric['metrics'] ?? {})).toEqual(
    expect.arrayContaining(['pass@1', 'avg@2', 'pass@2', 'avg_prompt_length', 'avg_num_subagents_per_traj']),
  );
  const entries = JSON.parse(read('allresult.json')) as Entry[];
  expect(entries.map(({ instance_id }) => instance_id)).toEqual(['deep-3', 'wide-1', 'wide-2']);
  expect(entries[0]).toMatchObject({ index: 0, group_size: 2, answer: ['River', 'Ada'] });
  expect(entries[1]?.answer).toMatch(/^name,length,mouth\n/);
  expect(entries[1]?.samples[1]).toMatchObject({
    ...{ sample_idx: 1, turns: [], final_answer_format: true },
    final_answer: [{ name: 'River', length: '100', River: 'Sea' }, { name: 'River 1' }],
  });
  for (const { total_turn_list, wideseek } of entries.flatMap(({ samples }) => samples)) {
    const { agents } = wideseek as { agents: number };
    expect(total_turn_list).toEqual(agents === 1 ? null : Array.from({ length: agents }, () => 4));
  }
  const responses = readdirSync(join(folder, 'responses')).sort();
  expect(responses).toHaveLength(6);
  expect(responses[0]).toBe('plain_deep-3_0_response.jsonl');
  const lines = read(join('responses', 'plain_wide-1_1_response.jsonl')).split('\n');
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    instance_id: 'wide-1',
    trial_idx: 1,
    num_turns: expect.any(Number),
  });
});

test('what the reference lacks stands under wideseek: table aggregates, maxima, intervals, languages, statuses', async () => {
  const { document } = await write('extra', { questions: 8, samples: 4 });
  const { summary, complete, unscored } = document.wideseek;
  const item = summary.all.metrics['f1_by_item'];
  expect(item?.avg.low).toBeLessThan(item?.avg.mean ?? 0);
  expect(item?.max.mean).toBeGreaterThan(item?.avg.mean ?? 1);
  expect(Object.keys(summary.byLanguage)).toEqual(['en', 'zh']);
  expect(complete).toBe(unscored === 0);
});

test('writing again replaces and leaves nothing behind; a half-written file never takes the place of a whole one', async () => {
  const first = await write('again', { questions: 2, samples: 2 });
  const before = first.read('allresult.json');
  const again = await write('again', { questions: 2, samples: 2 });
  expect(again.read('allresult.json')).toBe(before);
  expect(readdirSync(again.folder).sort()).toEqual([
    'allresult.json',
    'metric.json',
    'report.html',
    'responses',
  ]);
});

test('ids with slashes and dots stay in the folder and do not meet', async () => {
  const store = await openStore('sqlite::memory:');
  const ids = ['../../etc/passwd', 'a/b', 'a-b', 'a b', '问题'];
  const evaluation = evaluationOf({ runId: '../up', questions: ids.length, samples: 1 });
  await putEvaluation(
    store,
    evaluation,
    ids.map((id) => sampleOf(id, 0)),
  );
  const { folder } = await writeRun(store, await loadEvaluation(store, '../up'), { cwd, now: 0 });
  await store.close();
  expect(folder.startsWith(join(cwd, 'wideseek-runs'))).toBe(true);
  expect(new Set(readdirSync(join(folder, 'responses'))).size).toBe(ids.length);
});

test('documents that are gone are said to be gone, and the rest is written', async () => {
  const store = await openStore('sqlite::memory:');
  const sample = sampleOf('q', 0, { questionRef: 'gone', resultRef: 'gone', scoreRef: 'gone' });
  await putEvaluation(store, evaluationOf({ runId: 'gone', questions: 1, samples: 1 }), [sample]);
  const { folder } = await writeRun(store, await loadEvaluation(store, 'gone'), { cwd, now: 0 });
  await store.close();
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('The stored result cannot be read.');
  const [entry] = JSON.parse(readFileSync(join(folder, 'allresult.json'), 'utf8')) as Entry[];
  expect(entry?.samples[0]).toMatchObject({ final_answer: null, origin_question: null, llm_reward: 0.5 });
});

test('a folder that cannot be written is an error that names the file', async () => {
  const store = await madeEvaluation({ runId: 'blocked', questions: 1, samples: 1 });
  writeFileSync(join(cwd, 'file'), '');
  const loaded = await loadEvaluation(store, 'blocked');
  await expect(writeRun(store, loaded, { cwd: join(cwd, 'file'), now: 0 })).rejects.toThrow(
    /cannot write .*metric\.json/,
  );
  await store.close();
});

test('an unknown evaluation is not found, a broken sample is named', async () => {
  const store = await openStore('sqlite::memory:');
  await expect(loadEvaluation(store, 'x')).rejects.toThrow('there is no evaluation "x"');
  await putEvaluation(store, evaluationOf(), []);
  await store.documents.put('samples/run-1', 'q/0', { questionId: 'q' });
  await expect(loadEvaluation(store, 'run-1')).rejects.toThrow('sample q/0 of run-1 cannot be read');
  await store.close();
});

test('hostile text cannot become markup', async () => {
  const { read } = await write(`<b>${HOSTILE.slice(0, 20)}`, { questions: 4, samples: 2, text: HOSTILE });
  const page = read('report.html');
  // Only our own two kinds of script elements, and no element that data could have made.
  expect(page.match(/<script(?![^>]*application\/json)/g)).toHaveLength(1);
  expect(/<img|onerror="/.test(page)).toBe(false);
  expect(page.match(/<\/script>/g)?.length).toBe(page.match(/<script/g)?.length);
});

test('the report loads nothing from elsewhere', async () => {
  const { read } = await write('alone', { questions: 3, samples: 1 });
  const page = read('report.html');
  expect(/<(link|img|iframe|script[^>]*src)|@import|url\(/.test(page)).toBe(false);
  expect(page.includes('default-src &#39;none&#39;')).toBe(true);
});

test('a large run keeps to its size: details are slimmed and then left out, files stay whole', async () => {
  const chars = 20_000;
  const { read } = await write('large', { questions: 40, samples: 2, reportChars: chars });
  const page = read('report.html');
  const blocks = [...page.matchAll(/id="q\d+">([\s\S]*?)<\/script>/g)];
  expect(blocks.length).toBeGreaterThan(0);
  expect(blocks.reduce((sum, [, text]) => sum + (text?.length ?? 0), 0)).toBeLessThan(chars * 1.2);
  expect(page).toContain('Left out to keep this page small');
  expect(JSON.parse(read('allresult.json'))).toHaveLength(40);
});
