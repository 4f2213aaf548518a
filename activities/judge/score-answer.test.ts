import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createFakeJudge } from './judge.fake.ts';
import { scoreDocumentSchema } from './document.ts';
import { scoreAnswer, type ScoreTask } from './score-answer.ts';
import { capitalQuestion, markdown, taskOf, townQuestion } from './testing.fake.ts';

let folder: string;
let store: Store;
let number = 0;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'wideseek-judge-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(async () => {
  store = await openStore(join(folder, `${(number += 1)}.db`));
  return () => store.close();
});

const signal = new AbortController().signal;
const score = (task: ScoreTask) => scoreAnswer(store, task, signal);
const twoTowns = markdown([
  ['Bern', 'ancient'],
  ['Thoune', 'new'],
]);
const knowing = () =>
  createFakeJudge({
    accepted: [
      ['ancient', 'old'],
      ['Thoune', 'Thun'],
    ],
  });

describe('a table with a judge', () => {
  it('asks at temperature 0, only about what text cannot decide, and keeps what was said', async () => {
    const judge = knowing();
    const { document, usage } = await score(taskOf(townQuestion(), twoTowns, judge));
    expect(document).toMatchObject({
      status: 'ok',
      scores: { score: 1, f1_by_item: 1 },
      judgeIncomplete: false,
    });
    expect(scoreDocumentSchema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
    expect(usage.calls).toBe(2);
    expect(judge.requests.map(({ temperature }) => temperature)).toEqual([0, 0]);
    expect(judge.requests[0]?.messages.at(-1)?.content).toContain('SOURCE\n["Thoune"]');
    expect(document.table?.cells).toContainEqual(
      expect.objectContaining({ column: 'note', response: 'new', reason: 'llm_judge: 1' }),
    );
    const [, pair] = document.verdicts;
    expect(pair?.subject).toMatchObject({ kind: 'pair', criterion: 'same meaning', response: 'ancient' });
    expect(await store.get(pair?.reply ?? '')).toContain('idx_0');
  });

  it('makes no call for identical tables, nor for what was decided before', async () => {
    const judge = knowing();
    const same = markdown([
      ['Bern', 'Old'],
      ['Thun', 'new'],
    ]);
    expect((await score(taskOf(townQuestion(), same, judge))).document.scores?.score).toBe(1);
    expect(judge.requests).toHaveLength(0);

    const first = await score(taskOf(townQuestion(), twoTowns, judge));
    const calls = judge.requests.length;
    const again = await score(taskOf(townQuestion(), twoTowns, judge, {}, { metricVersion: '2' }));
    expect(again.usage).toEqual({ calls: 0, promptTokens: 0, completionTokens: 0 });
    expect(again.document).toEqual({ ...first.document, metricVersion: '2' });
    // The published evaluator asks about the same cells and keys.
    const reference = await score(taskOf(townQuestion(), twoTowns, judge, {}, { compat: 'reference' }));
    expect(reference.document.scores?.score).toBe(1);
    expect(judge.requests).toHaveLength(calls);
    // Another judge has to be asked.
    const other = createFakeJudge({ name: 'other' });
    expect((await score(taskOf(townQuestion(), twoTowns, other))).usage.calls).toBeGreaterThan(0);
  });

  it('cuts long tables into calls of at most 40 pairs', async () => {
    const rows = Array.from({ length: 95 }, (_, n) => [`t${n}`, `note ${n}`]);
    const gold = rows.map(([town, note]) => `${town},${note}!`).join('\n');
    const judge = createFakeJudge();
    const { document } = await score(taskOf(townQuestion(gold), markdown(rows), judge));
    expect(document.scores?.score).toBe(1);
    expect(judge.requests).toHaveLength(3);
  });

  it('asks again for what a reply left out, alone and in smaller parts', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => [`t${n}`, `note ${n}`]);
    const gold = rows.map(([town, note]) => `${town},${note}!`).join('\n');
    const judge = createFakeJudge({
      override: (_request, n, reply) =>
        n === 0 ? reply.replace(/"idx_[3-9]":1,?/g, '"idx_x":0.5,').replace(/,?\}/, '}') : undefined,
    });
    const { document } = await score(taskOf(townQuestion(gold), markdown(rows), judge));
    expect(document).toMatchObject({ status: 'ok', scores: { score: 1 }, judgeIncomplete: false });
    expect(judge.requests).toHaveLength(2);
    expect(judge.requests[1]?.messages.at(-1)?.content).toContain('could not be read');
  });
});

describe('a judge that cannot be understood', () => {
  const babbling = () => createFakeJudge({ override: () => 'I would rather not say.' });

  it('is asked three times, then the answer is unscored, not 0', async () => {
    const judge = babbling();
    const answer = markdown([['Bern', 'ancient']]);
    const { document, outage } = await score(taskOf(townQuestion(), answer, judge));
    expect(document).toMatchObject({ status: 'unscored', scores: null, judgeIncomplete: true });
    expect(document.reason).toContain("1 verdict is missing: the judge's replies could not be read");
    expect(outage).toBeNull();
    expect(judge.requests).toHaveLength(3);
  });

  it('falls back to comparing texts where that is wanted, and says so', async () => {
    const task = taskOf(townQuestion(), twoTowns, babbling(), { unreadable: 'fallback' });
    const { document } = await score(task);
    expect(document).toMatchObject({
      status: 'ok',
      judgeIncomplete: true,
      scores: { score: 0, f1_by_item: 0.25 },
    });
  });

  it('leaves single answers unscored as well', async () => {
    const { document } = await score(taskOf(capitalQuestion, 'Ndjamena city', babbling()));
    expect(document).toMatchObject({ status: 'unscored', scores: null });
  });
});

describe('a judge that is down', () => {
  const down = (type: 'Overloaded' | 'Unauthorized') =>
    createFakeJudge({
      override: () => {
        throw new WideseekError(type, 'model j: refused');
      },
    });

  it.each(['default', 'reference'] as const)(
    'leaves the answer unscored in %s mode, also with fallbacks',
    async (compat) => {
      const judge = down('Overloaded');
      const config = { unreadable: 'fallback', missing: 'fallback' } as const;
      const { document, outage } = await score(taskOf(townQuestion(), twoTowns, judge, config, { compat }));
      expect(document).toMatchObject({ status: 'unscored', scores: null });
      expect(document.reason).toBe('the judge could not be asked: model j: refused');
      expect(outage).toMatchObject({ type: 'Overloaded', retryable: true });
      expect(judge.requests).toHaveLength(1);
    },
  );

  it('is asked later only about what it had not decided', async () => {
    let up = 1;
    const judge = createFakeJudge({
      override: () => {
        if ((up -= 1) < 0) throw new WideseekError('Overloaded', 'down');
        return undefined;
      },
    });
    expect((await score(taskOf(townQuestion(), twoTowns, judge))).document.status).toBe('unscored');
    up = 10;
    const { usage, document } = await score(taskOf(townQuestion(), twoTowns, judge));
    expect(document.status).toBe('ok');
    expect(usage.calls).toBe(1);
  });

  it('makes no difference where nobody has to be asked', async () => {
    const { document } = await score(taskOf(capitalQuestion, 'fort-lamy', down('Unauthorized')));
    expect(document).toMatchObject({ status: 'ok', scores: { em: 1, accuracy: 1 } });
  });
});

describe('without a judge', () => {
  it('compares texts and flags it, or scores nothing, as configured', async () => {
    const { document } = await score(taskOf(townQuestion(), twoTowns, null));
    expect(document).toMatchObject({ status: 'ok', judgeIncomplete: true, scores: { f1_by_item: 0.25 } });
    const strict = await score(taskOf(townQuestion(), twoTowns, null, { missing: 'unscored' }));
    expect(strict.document).toMatchObject({ status: 'unscored', scores: null });
    expect(strict.document.reason).toContain('no judge is configured');
  });

  it('scores single answers without an accuracy', async () => {
    const { document } = await score(taskOf(capitalQuestion, 'the city of Fort Lamy', null));
    expect(document.scores).toEqual({ em: 0, cem: 1, f1: expect.closeTo(4 / 7) as number });
    expect(document.judgeIncomplete).toBe(true);
  });
});

it('takes a judge at its word about single answers', async () => {
  const judge = createFakeJudge({ accepted: [['Ndjamena city', '["N\'Djamena","Fort-Lamy"]']] });
  const right = await score(taskOf(capitalQuestion, 'Ndjamena city', judge));
  expect(right.document).toMatchObject({ scores: { accuracy: 1, em: 0 }, qa: { rationale: 'by rule' } });
  const wrong = await score(taskOf(capitalQuestion, 'Moundou', judge));
  expect(wrong.document.scores).toMatchObject({ accuracy: 0 });
  const none = await score(taskOf(capitalQuestion, null, judge));
  expect(none.document).toMatchObject({ status: 'no_response', scores: { accuracy: 0, f1: 0 } });
  expect(judge.requests).toHaveLength(2);
});

it('throws the reason when cancelled, not a score', async () => {
  const controller = new AbortController();
  const judge = createFakeJudge({
    override: () => {
      controller.abort(new Error('stop now'));
      throw new Error('aborted');
    },
  });
  await expect(
    scoreAnswer(store, taskOf(townQuestion(), twoTowns, judge), controller.signal),
  ).rejects.toThrow('stop now');
});
