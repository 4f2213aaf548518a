import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadDataset } from '../../activities/datasets/load.ts';
import { startFakeHub } from '../../activities/datasets/hub/server.fake.ts';
import { printMarkdown } from '../../domain/tables/markdown.ts';
import { type FakeOpenAi, startFakeOpenAi, text } from '../../test/support/fake-openai.ts';
import { run } from '../main.ts';
import { testIo } from '../testing/test-io.ts';
import { measureAgreement } from './agreement.ts';

let folder: string;
let server: FakeOpenAi | undefined;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'wideseek-score-'))));
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const call = async (...args: string[]) => {
  const env = {
    WIDESEEK_HOME: join(folder, 'home'),
    ...(server ? { WIDESEEK_JUDGE_URL: server.baseUrl, WIDESEEK_JUDGE_MODEL: 'judge' } : {}),
  };
  const { io, written } = testIo({ env, cwd: folder });
  return { status: await run(args, io), ...written };
};
const put = (name: string, ...rows: unknown[]): string => {
  writeFileSync(
    join(folder, name),
    rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join(''),
  );
  return name;
};
const qa = (id: string) => ({ id, question: `question ${id}?`, answer: 'Bern' });

describe('wideseek score', () => {
  it('scores the sample against its own gold: all right, no judge, no server', async () => {
    const questions = (await loadDataset({ name: 'sample', split: 'dev' })).slice(0, 3);
    const rows = questions.map((each) => ({
      instance_id: each.id,
      response:
        each.kind === 'table' && each.table ? `\`\`\`markdown\n${printMarkdown(each.table)}\n\`\`\`` : '',
    }));
    put('answers.jsonl', ...rows);
    const { status, stdout, stderr } = await call(
      'score',
      'answers.jsonl',
      '--split',
      'dev',
      '--json',
      '-o',
      'out.jsonl',
    );
    const report = JSON.parse(stdout) as {
      unanswered: string[];
      summary: { all: { metrics: Record<string, { avg: { mean: number } }> } };
    };
    expect(report.summary.all.metrics.score?.avg.mean).toBe(1);
    expect(report.unanswered.length).toBeGreaterThan(0);
    expect(stderr).toContain('questions have no answer');
    expect(status).toBe(3);
    const first = JSON.parse(readFileSync(join(folder, 'out.jsonl'), 'utf8').split('\n')[0] ?? '') as {
      status: string;
    };
    expect(first).toMatchObject({ trial: 0, status: 'ok', kind: 'table' });
  });

  it('counts trials, asks the judge once per verdict, and is complete', async () => {
    server = await startFakeOpenAi(() => text('{"judgement": "correct"}'));
    put('qa.jsonl', qa('a'));
    put(
      'answers.jsonl',
      { instance_id: 'a', response: 'So \\boxed{Bern}' },
      { instance_id: 'a', response: 'the city of Berne' },
      { instance_id: 'a', response: 'the city of Berne' },
    );
    const { status, stdout } = await call(
      'score',
      'answers.jsonl',
      '--dataset',
      'mine',
      '--data',
      'qa.jsonl',
    );
    expect(stdout).toMatch(/1 questions, 3 answers \(ok 3\)/);
    expect(stdout).toMatch(/accuracy +100\.0/);
    expect(stdout).toContain('avg@3');
    expect(status).toBe(0);
    const calls = server.requests.length;
    expect(calls).toBeLessThanOrEqual(2);
    await call('score', 'answers.jsonl', '--dataset', 'mine', '--data', 'qa.jsonl', '--compat', 'reference');
    expect(server.requests).toHaveLength(calls);
  });

  it('reports a judge that is down as unscored with status 3, and scores later', async () => {
    let up = false;
    server = await startFakeOpenAi(() =>
      up ? text('{"judgement": "incorrect"}') : { kind: 'status', status: 503 },
    );
    put('qa.jsonl', qa('a'));
    put('answers.jsonl', { instance_id: 'a', response: 'Zug' });
    const args = ['score', 'answers.jsonl', '--dataset', 'mine', '--data', 'qa.jsonl', '--set', 'attempts=1'];
    const down = await call(...args);
    expect(down.status).toBe(3);
    expect(down.stdout).toContain('unscored 1');
    expect(down.stderr).toContain('the judge could not be asked');
    up = true;
    const later = await call(...args);
    expect(later).toMatchObject({ status: 0, stdout: expect.stringMatching(/accuracy +0\.0/) as string });
  });

  it('ends with 130 when interrupted', async () => {
    put('qa.jsonl', qa('a'));
    put('answers.jsonl', { instance_id: 'a', response: 'Zug' });
    server = await startFakeOpenAi(() => ({ kind: 'stall' }));
    const env = { WIDESEEK_HOME: join(folder, 'home') };
    const { io, written, interrupt } = testIo({ env, cwd: folder });
    const judge = ['--judge-url', server.baseUrl, '--judge-model', 'judge'];
    const running = run(['score', 'answers.jsonl', '--dataset', 'mine', '--data', 'qa.jsonl', ...judge], io);
    while (server.requests.length === 0) await new Promise((done) => setTimeout(done, 20));
    interrupt();
    expect(await running).toBe(130);
    expect(written.stderr).toContain('Interrupted. Verdicts so far are kept');
  });

  it.each([
    [['score'], 'FILE: is missing'],
    [['score', 'nothing.jsonl'], 'there is no file or folder'],
    [['score', 'cut.jsonl'], 'cut.jsonl:1: is not JSON'],
    [['score', 'strange.jsonl'], 'strange.jsonl:1: instance_id: "x" is no question of sample'],
    [['score', 'strange.jsonl', '--compat', 'old'], '--compat: "old" is not known'],
    [['score', 'strange.jsonl', '--set', 'nonsense=1'], 'judge.nonsense: unknown key'],
    [['score', '--cases', 'strange.jsonl'], 'strange.jsonl:1: case.id'],
    [['judge', 'agreement', 'strange.jsonl'], 'judge: there is none to measure'],
    [['data', 'check', 'strange.jsonl'], ''],
    [['data', 'pull', 'nonsense'], 'no data set that can be pulled'],
    [['data', 'nonsense'], "unknown command 'nonsense'"],
  ])('%j is status 2 with one message', async (args, message) => {
    put('cut.jsonl', '{"instance_id": "x", "resp');
    put('strange.jsonl', { instance_id: 'x', response: 'y' });
    const { status, stderr } = await call(...args);
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });
});

describe('wideseek judge agreement', () => {
  it('measures agreement, precision, recall and kappa, and lists what differs', async () => {
    server = await startFakeOpenAi([text('{"idx_0": 1, "idx_1": 1, "idx_2": 0}')]);
    put(
      'pairs.jsonl',
      { response: 'same', target: 'Same', label: 1 },
      { response: 'a', target: 'b', label: 1 },
      { response: 'c', target: 'd', label: 0 },
      { response: 'e', target: 'f', label: 0 },
    );
    const { status, stdout } = await call('judge', 'agreement', 'pairs.jsonl', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      judge: 'judge',
      pairs: 4,
      unscored: 0,
      agreement: 0.75,
      precision: 2 / 3,
      recall: 1,
      kappa: 0.5,
      calls: 1,
      disagreements: [{ response: 'c' }],
    });
    expect(status).toBe(0);
  });

  it('has no rates without scored pairs', () => {
    expect(measureAgreement([{ label: 1, verdict: null }])).toMatchObject({
      unscored: 1,
      agreement: null,
      precision: null,
      recall: null,
      kappa: null,
    });
    expect(measureAgreement([{ label: 1, verdict: 1 }])).toMatchObject({ agreement: 1, kappa: null });
  });
});

describe('wideseek data', () => {
  it('checks a file and says what is broken where', async () => {
    put('mine.jsonl', qa('a'), { id: 'b', question: 'q' });
    const { status, stdout } = await call('data', 'check', 'mine.jsonl');
    expect(stdout).toContain('mine.jsonl:2 (b): answer: is missing');
    expect(stdout).toContain('1 questions (0 tables, 1 single answers), 1 broken records');
    expect(status).toBe(2);
    expect((await call('data', 'check', 'sample')).status).toBe(0);
    expect((await call('data', 'list')).stdout).toContain('widesearch');
  });

  it('pulls with progress and the licence, into the data folder', async () => {
    const hub = await startFakeHub({
      id: 'google/frames-benchmark',
      files: { 'test.tsv': 'Prompt\tAnswer\nq?\ta\n' },
    });
    const { io, written } = testIo({
      env: { WIDESEEK_HOME: join(folder, 'home'), HF_ENDPOINT: hub.endpoint },
      cwd: folder,
    });
    expect(await run(['data', 'pull', 'frames'], io)).toBe(0);
    await hub.close();
    expect(written.stderr).toContain('Licence: Apache-2.0');
    expect(written.stderr).toContain('1/1 test.tsv');
    expect(written.stdout).toContain(join(folder, 'home', 'data', 'frames'));
    expect((await call('data', 'check', 'frames')).stdout).toContain('1 questions');
  });
});
