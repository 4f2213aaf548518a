import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { judgeSchema } from '../../configs/judge-schema.ts';
import { type FakeOpenAi, type Script, startFakeOpenAi, text } from '../../test/support/fake-openai.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createJudgeActivities, type ScoreSampleInput } from './activities.ts';
import { METRIC_VERSION, scoreDocumentSchema } from './document.ts';
import { createJudgeModels } from './models.ts';
import { capitalQuestion, inActivity, markdown, resultWith, townQuestion } from './testing.fake.ts';

let folder: string;
let store: Store;
let server: FakeOpenAi | undefined;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wideseek-judge-activity-'));
  store = await openStore(join(folder, 'store.db'));
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => server?.close());

const prepare = async (script: Script, change: Partial<ScoreSampleInput> = {}) => {
  server = await startFakeOpenAi(script);
  const env = { WIDESEEK_JUDGE_URL: server.baseUrl, WIDESEEK_JUDGE_MODEL: `judge-${server.port}` };
  const { scoreSample } = createJudgeActivities({ store, judge: createJudgeModels({ env }) });
  const input: ScoreSampleInput = {
    runId: 'eval/1',
    questionRef: await store.put(JSON.stringify(townQuestion())),
    resultRef: await store.put(
      JSON.stringify(
        resultWith({
          answer: markdown([
            ['Bern', 'ancient'],
            ['Thun', 'new'],
          ]),
        }),
      ),
    ),
    judge: { attempts: 3 },
    compat: 'default',
    metricVersion: METRIC_VERSION,
    ...change,
  };
  return { run: (attempt: number) => inActivity(() => scoreSample(input), attempt), input };
};

const yes = text('```json\n{"idx_0": 1}\n```');

describe('scoreSample', () => {
  it('returns the numbers and stores the document', async () => {
    const { run } = await prepare([yes]);
    const score = await run(1);
    expect(score).toMatchObject({
      status: 'ok',
      scores: { score: 1, f1_by_row: 1 },
      reason: null,
      judgeIncomplete: false,
    });
    expect(score.usage).toEqual({ calls: 1, promptTokens: 10, completionTokens: 5 });
    const document = scoreDocumentSchema.parse(JSON.parse(await store.get(score.scoreRef)));
    expect(document).toMatchObject({
      question: 'towns',
      judge: { promptVersion: '1' },
      verdicts: [{ value: 1 }],
    });
    expect(server?.requests[0]?.body).toMatchObject({ temperature: 0 });
    // Equal inputs give the same document and no call.
    expect((await run(1)).scoreRef).toBe(score.scoreRef);
    expect(server?.requests).toHaveLength(1);
  });

  it('lets Temporal retry an outage, and gives up as unscored at the last attempt', async () => {
    const { run } = await prepare(() => ({ kind: 'status', status: 503, message: 'overloaded' }));
    await expect(run(1)).rejects.toMatchObject({ type: 'Overloaded', nonRetryable: false });
    await expect(run(2)).rejects.toMatchObject({ type: 'Overloaded' });
    const score = await run(3);
    expect(score).toMatchObject({ status: 'unscored', scores: null });
    expect(score.reason).toContain('503');
  });

  it('passes on how long a rate limit asks to wait', async () => {
    const { run } = await prepare([{ kind: 'status', status: 429, headers: { 'retry-after': '7' } }]);
    await expect(run(1)).rejects.toMatchObject({ type: 'RateLimited', nextRetryDelay: 7_000 });
  });

  it('does not retry what cannot get better', async () => {
    const { run } = await prepare([{ kind: 'status', status: 401, message: 'who are you?' }]);
    expect(await run(1)).toMatchObject({ status: 'unscored', scores: null });
    expect(server?.requests).toHaveLength(1);
  });

  it('reads a cut reply again and takes web pages for an outage', async () => {
    const cut = await prepare([text('```json\n{"idx_0":'), yes]);
    expect(await cut.run(1)).toMatchObject({ status: 'ok', scores: { score: 1 } });
    await server?.close();
    const page = await prepare(() => ({ kind: 'raw', type: 'text/html', body: '<!doctype html><p>Welcome' }));
    await expect(page.run(1)).rejects.toMatchObject({ type: 'BadReply' });
    expect(await page.run(3)).toMatchObject({ status: 'unscored' });
  });

  it.each([
    ['model_outage', { stopReason: 'model_outage', status: 'failed' }],
    ['tool_outage', { stopReason: 'tool_outage', status: 'partial' }],
    ['cancelled', { stopReason: 'cancelled', status: 'partial' }],
  ] as const)('never scores a run that ended with %s', async (reason, change) => {
    const { run } = await prepare([], {
      resultRef: await store.put(
        JSON.stringify(resultWith({ ...change, table: { columns: ['town'], rows: [] } })),
      ),
    });
    expect(await run(1)).toMatchObject({
      status: 'unscored',
      scores: null,
      reason: `the run ended with ${reason}`,
    });
  });

  it('never scores a run without a result, and scores one that answered nothing as nothing', async () => {
    const none = await prepare([], { resultRef: null });
    expect(await none.run(1)).toMatchObject({ status: 'unscored', reason: 'the run has no result' });
    await server?.close();
    const gone = await prepare([], { resultRef: 'f'.repeat(64) });
    expect(await gone.run(1)).toMatchObject({ status: 'unscored' });
    await server?.close();
    const silent = resultWith({ status: 'failed', stopReason: 'turn_limit' });
    const empty = await prepare([], { resultRef: await store.put(JSON.stringify(silent)) });
    expect(await empty.run(1)).toMatchObject({ status: 'no_response', scores: { f1_by_item: 0 } });
  });

  it('scores the table where the answer text has none, and single answers', async () => {
    const table = {
      columns: ['Town', 'Note'],
      rows: [
        ['Bern', 'old'],
        ['Thun', 'new'],
      ],
    };
    const merged = await prepare([], { resultRef: await store.put(JSON.stringify(resultWith({ table }))) });
    expect(await merged.run(1)).toMatchObject({ status: 'ok', scores: { score: 1 } });
    await server?.close();
    const single = await prepare([], {
      questionRef: await store.put(JSON.stringify(capitalQuestion)),
      resultRef: await store.put(JSON.stringify(resultWith({ answer: 'Fort-Lamy' }))),
    });
    expect(await single.run(1)).toMatchObject({
      status: 'ok',
      scores: { em: 1, f1: 1, cem: 1, accuracy: 1 },
    });
  });

  it('names the field of a wrong configuration or question', async () => {
    const config = await prepare([], { judge: { attempts: 0 } });
    await expect(config.run(1)).rejects.toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    await server?.close();
    const question = await prepare([], { questionRef: await store.put('{"kind":"qa"}') });
    await expect(question.run(1)).rejects.toThrow(/questionRef .*: id/);
  });
});

describe('createJudgeModels', () => {
  const models = createJudgeModels({ env: { WIDESEEK_JUDGE_URL: 'http://localhost:1/v1' } });
  const parse = (value: unknown) => judgeSchema.parse(value);

  it('finds none without an endpoint and says what is missing of one', () => {
    expect(createJudgeModels({ env: {} })(parse({}))).toBeNull();
    expect(models(parse({ provider: 'none' }))).toBeNull();
    expect(() => models(parse({}))).toThrow('judge.model: is empty. Set it, or WIDESEEK_JUDGE_MODEL');
    expect(() => createJudgeModels({ env: {} })(parse({ provider: 'openai', model: 'm' }))).toThrow(
      'judge.baseUrls',
    );
    expect(() => models(parse({ provider: 'policy' }))).toThrow('there is no policy');
  });

  it('takes the policy where that is wanted, and keeps one client per endpoint', () => {
    const policy = { name: 'policy', complete: () => Promise.reject(new Error('unused')) };
    expect(createJudgeModels({ env: {}, policy: () => policy })(parse({ provider: 'policy' }))).toBe(policy);
    expect(models(parse({ model: 'm' }))).toBe(models(parse({ model: 'm', concurrency: 9 })));
  });
});
