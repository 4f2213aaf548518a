import { describe, expect, it } from 'vitest';
import { judgeSchema } from '../../../configs/judge-schema.ts';
import { type JudgeRequest } from '../../../domain/scoring/judge/request.ts';
import { evaluateTable } from '../../../domain/scoring/evaluate.ts';
import { printMarkdown } from '../../../domain/tables/markdown.ts';
import { METRIC_VERSION } from '../../judge/document.ts';
import { scoreAnswer } from '../../judge/score-answer.ts';
import { evalQuestionSchema } from '../question.ts';
import { loadDataset } from '../load.ts';
import { miniQuestions } from './questions.ts';

const noJudge = (request: JudgeRequest): Promise<never> =>
  Promise.reject(new Error(`nobody should be asked about ${request.scope}`));

const unused = (): Promise<never> => Promise.reject(new Error('nothing is stored'));

describe('miniQuestions', () => {
  it('splits by group: what is held out is in no training question', () => {
    const [train, dev] = [miniQuestions('train'), miniQuestions('dev')];
    expect([train.length, dev.length, miniQuestions().length]).toEqual([260, 100, 360]);
    const members = new Set(train.flatMap(({ table }) => table!.rows.map(([name]) => name)));
    expect(
      dev.flatMap(({ table }) => table!.rows.map(([name]) => name)).filter((name) => members.has(name)),
    ).toEqual([]);
    expect(new Set(miniQuestions().map(({ id }) => id)).size).toBe(360);
    expect(new Set(dev.slice(0, 10).map(({ question }) => question.split(' with ')[0])).size).toBe(10);
  });

  it('gives records that the loader takes by name and split', async () => {
    for (const question of miniQuestions()) evalQuestionSchema.parse(question);
    expect(await loadDataset({ name: 'mini', split: 'dev', limit: 3 })).toEqual(
      miniQuestions('dev').slice(0, 3),
    );
  });

  it('is scored without a judge: the gold table is right, a wrong cell costs that cell', async () => {
    for (const { record, goldCsv, table } of miniQuestions('dev')) {
      const right = await evaluateTable(record, goldCsv, printMarkdown(table!), noJudge);
      expect(right.metrics).toMatchObject({ f1_by_item: 1, score: 1 });
      expect(right.judgements).toEqual([]);
      const [first, ...others] = table!.rows;
      const spoilt = { columns: table!.columns, rows: [[first![0]!, '?', first![2]!], ...others] };
      const wrong = await evaluateTable(record, goldCsv, printMarkdown(spoilt), noJudge);
      expect(wrong.metrics!.f1_by_item).toBeCloseTo(1 - 1 / (3 * table!.rows.length), 10);
    }
  });

  it('stays scored, by text alone, where an answer has strange rows or columns and there is no judge', async () => {
    const [question] = miniQuestions('train');
    const { columns, rows } = question!.table!;
    const score = async (text: string) =>
      (
        await scoreAnswer(
          { put: unused, journal: { record: unused, recall: unused } },
          {
            ...{
              runId: 'r',
              question: question!,
              compat: 'default',
              metricVersion: METRIC_VERSION,
              model: null,
            },
            answer: { kind: 'text', text },
            config: judgeSchema.parse({ provider: 'none' }),
          },
          new AbortController().signal,
        )
      ).document;
    const half = printMarkdown({ columns, rows: rows.slice(0, 2) });
    const share = 2 / rows.length;
    const partial = await score(half);
    expect(partial.status).toBe('ok');
    expect(partial.scores!.f1_by_item).toBeCloseTo((2 * share) / (1 + share), 10);
    const strange = await score(`${half}\n| Nobody Known | ? | ? |`);
    expect(strange).toMatchObject({ status: 'ok' });
    expect(strange.scores!.f1_by_item).toBeLessThan(partial.scores!.f1_by_item!);
    const other = await score(half.replace(columns[1]!, 'mass'));
    expect(other.scores).toMatchObject({ f1_by_item: 0 });
    expect((await score('none')).scores).toMatchObject({ f1_by_item: 0 });
  });
});
