import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printMarkdown } from '../tables/markdown.ts';
import { evaluateSteps, evaluateTable } from './evaluate.ts';
import type { EvaluateOptions } from './evaluate.ts';
import type { Evaluation } from './evaluation.ts';
import { METRIC_NAMES } from './evaluation.ts';
import { fakeJudge } from './judge/fake.ts';
import type { FakeJudgeRules } from './judge/fake.ts';
import { driveJudgeSync, replayJudge } from './judge/request.ts';
import type { JudgeRequest } from './judge/request.ts';
import { parseEvalRecord } from './record.ts';
import { referenceSteps } from './reference/evaluate.ts';

const record = (evaluation: Record<string, unknown> = {}) =>
  parseEvalRecord({
    instance_id: 'own',
    evaluation: {
      required: ['town', 'river', 'people'],
      unique_columns: ['town'],
      eval_pipeline: {
        town: { preprocess: ['norm_str'], metric: ['exact_match'] },
        river: { preprocess: ['norm_str'], metric: ['llm_judge'], criterion: 'Same river.' },
        people: { preprocess: ['extract_number'], metric: ['number_near'], criterion: 0.1 },
      },
      ...evaluation,
    },
  });

const GOLD = 'Town,River,People\nBern,Aare,134000\nBasel,Rhein,178000\nGenf,Rhône,203000\n';
const table = (rows: string[][], columns = ['Town', 'River', 'People']): string =>
  printMarkdown({ columns, rows });
const RIGHT = [
  ['Bern', 'Aare', '134,000'],
  ['Basel', 'Rhein', '178 thousand'],
  ['Genf', 'Rhône', '20.3万'],
];

function evaluate(
  response: string | null,
  rules: FakeJudgeRules = {},
  options: EvaluateOptions & { gold?: string; record?: ReturnType<typeof record> } = {},
): Evaluation & { requests: JudgeRequest[] } {
  const steps = evaluateSteps(options.record ?? record(), options.gold ?? GOLD, response, options);
  const { result, judgements } = driveJudgeSync(steps, fakeJudge(rules));
  return { ...result, requests: judgements.map(({ request }) => request) };
}

describe('evaluateSteps', () => {
  it('gives a right table 1 everywhere and asks only the judged column', () => {
    const result = evaluate(table(RIGHT));
    expect(METRIC_NAMES.map((name) => result.metrics?.[name])).toEqual([1, 1, 1, 1, 1, 1, 1]);
    expect(result.requests.map(({ scope }) => scope)).toEqual(['judge:river']);
    expect(result.status).toBe('ok');
  });

  it('scores a wrong cell, a missing row and an extra row, and says why', () => {
    const result = evaluate(
      table([
        ['Bern', 'Aare', '90'],
        ['Basel', '', '178000'],
        ['Chur', 'Rhein', '1'],
      ]),
    );
    expect(result.metrics).toMatchObject({
      recall_by_row: 0,
      precision_by_item: 4 / 9,
      recall_by_item: 4 / 9,
    });
    expect(result.rows).toEqual({ answer: 3, gold: 3, joined: 2 });
    expect(result.missingRows).toEqual([['genf']]);
    expect(result.surplusRows).toEqual([['chur']]);
    const reasons = Object.fromEntries(
      result.cells.map((cell) => [`${cell.key[0]}.${cell.column}`, cell.reason]),
    );
    expect(reasons).toEqual({
      'bern.river': 'llm_judge: 1',
      'bern.people': 'number_near: not within 10%',
      'basel.river': 'llm_judge: missing in the answer',
      'basel.people': 'number_near: within 10%',
    });
  });

  it('aligns keys that differ, never one that matches', () => {
    const result = evaluate(
      table([
        ['Berne', 'Aare', '134000'],
        ['BASEL', 'Rhein', '178000'],
      ]),
      {
        aliases: { Berne: 'Bern', BASEL: 'Genf' },
      },
    );
    expect(result.requests[0]).toMatchObject({ scope: 'align:key:town', vocabulary: ['Berne'] });
    expect(result.metrics).toMatchObject({ precision_by_row: 1, recall_by_row: 2 / 3 });
    expect(result.diagnostics).toContain('key "Berne" read as "Bern"');
  });

  it('aligns columns once and refuses a mapping onto a column that is there', () => {
    const renamed = table(RIGHT, ['Town', 'Stream', 'People']);
    expect(evaluate(renamed, { aliases: { stream: 'river' } }).metrics?.score).toBe(1);
    const refused = evaluate(renamed, { aliases: { stream: 'town' } });
    expect(refused.status).toBe('column_mismatch');
    expect(refused.metrics?.f1_by_item).toBe(0);
  });

  it('drops surplus columns and scores missing ones as wrong in lenient mode only', () => {
    const wide = table(
      RIGHT.map((row) => [...row, 'x']),
      ['Town', 'River', 'People', 'Source'],
    );
    expect(evaluate(wide).status).toBe('column_mismatch');
    expect(evaluate(wide, {}, { lenientColumns: true }).metrics?.score).toBe(1);
    const narrow = table(
      RIGHT.map((row) => [row[0] ?? '', row[2] ?? '']),
      ['Town', 'People'],
    );
    const lenient = evaluate(narrow, {}, { lenientColumns: true });
    expect(lenient.metrics).toMatchObject({ score: 0, f1_by_row: 0 });
    expect(lenient.metrics?.f1_by_item).toBeCloseTo(2 / 3, 12);
  });

  it('asks again for missing verdicts only, then falls back to text and says so', () => {
    const raw = '```json\n{"idx_0": 1, "idx_1": 0.5}\n```';
    const result = evaluate(table(RIGHT), { overrides: { 'judge:river': { raw } } });
    const asked = result.requests.map((request) =>
      request.kind === 'judge' ? request.pairs.map(({ index }) => index) : [],
    );
    expect(asked).toEqual([
      [0, 1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(result.judgeIncomplete).toBe(true);
    expect(result.metrics?.score).toBe(1);
    expect(result.cells.find((cell) => cell.key[0] === 'basel')?.reason).toBe(
      'llm_judge: no verdict, equal text',
    );
  });

  it('turns a judge that cannot be reached into judge_failed without numbers, unless told to fall back', () => {
    const rules = { overrides: { 'judge:river': { raise: true } } };
    expect(evaluate(table(RIGHT), rules)).toMatchObject({ status: 'judge_failed', metrics: null });
    expect(evaluate(table(RIGHT), rules, { onOutage: 'fallback' })).toMatchObject({
      status: 'ok',
      judgeIncomplete: true,
    });
    const keyOutage = { overrides: { 'align:key:town': { raise: true } } };
    expect(evaluate(table([['Berne', 'Aare', '1']]), keyOutage).status).toBe('judge_failed');
    const columnOutage = { overrides: { 'align:columns': { raise: true } } };
    expect(evaluate(table(RIGHT, ['a', 'b', 'c']), columnOutage).status).toBe('judge_failed');
  });

  it('types every other outcome', () => {
    expect(evaluate(null)).toMatchObject({ status: 'no_response', metrics: { score: 0 } });
    expect(evaluate('I found nothing.')).toMatchObject({ status: 'no_table', metrics: { score: 0 } });
    expect(evaluate(table(RIGHT), {}, { gold: 'Town,River\nBern,Aare\n' })).toMatchObject({
      status: 'config_error',
      metrics: null,
    });
    const unknown = record({ eval_pipeline: { river: { metric: ['fuzzy'] } } });
    expect(evaluate(table(RIGHT), {}, { record: unknown })).toMatchObject({
      status: 'config_error',
      metrics: null,
    });
  });

  it('joins no gold row twice, so that nothing exceeds 1', () => {
    const twice = evaluate(table([...RIGHT, ['**Bern**', 'Aare', '134000'], ['bern ', 'Aare', '1']]));
    expect(twice.metrics?.precision_by_row).toBe(1);
    const composite = record({ unique_columns: ['town', 'river'] });
    expect(evaluate(table(RIGHT), {}, { record: composite }).metrics?.score).toBe(1);
  });
});

const word = fc.constantFrom(
  'Bern',
  'bern',
  'Basel',
  'Genf',
  'Chur',
  '',
  'NA',
  '1',
  '2%',
  '1,000',
  'x|y',
  '"q"',
  '2021年',
);
const anyRows = fc.array(fc.array(word, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 8 });
const anyGold = anyRows.map((rows) =>
  [
    'town,river,people',
    ...rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')),
  ].join('\n'),
);

describe('laws of the default evaluator', () => {
  it('never throws and stays within 0 and 1 on any tables, nor does the reference throw', () => {
    fc.assert(
      fc.property(anyGold, anyRows, fc.dictionary(word, word), (gold, rows, aliases) => {
        const result = evaluate(table(rows), { aliases }, { gold });
        expect(result.status).toBe('ok');
        for (const name of METRIC_NAMES) {
          expect(result.metrics?.[name]).toBeGreaterThanOrEqual(0);
          expect(result.metrics?.[name]).toBeLessThanOrEqual(1);
        }
        driveJudgeSync(referenceSteps(record(), gold, table(rows)), fakeJudge({ aliases }));
      }),
    );
  });

  it('never throws on any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (response, gold) => {
        expect(evaluate(response, {}, { gold }).status).not.toBe('internal_error');
        evaluate(`| town | river | people |\n|---|---|---|\n${response}`);
        driveJudgeSync(referenceSteps(record(), gold, response), fakeJudge({}));
        driveJudgeSync(
          referenceSteps(record(), GOLD, '```markdown\n|town|\n' + response + '\n```'),
          fakeJudge({}),
        );
      }),
    );
  });

  it('does not depend on the order of rows with distinct keys or of columns', () => {
    const names = ['Bern', 'Basel', 'Genf', 'Chur', 'Thun', 'NA'];
    const distinct = fc
      .tuple(
        fc.shuffledSubarray(names, { minLength: 1 }),
        fc.array(fc.tuple(word, word), { minLength: 6, maxLength: 6 }),
      )
      .map(([keys, cells]) => keys.map((key, index) => [key, ...(cells[index] ?? ['', ''])]));
    const shuffled = distinct.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.shuffledSubarray(rows, { minLength: rows.length }),
        fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([rows, other, order]) => {
        const pick = (row: string[]): string[] => order.map((index) => row[index] ?? '');
        const permuted = table(other.map(pick), pick(['Town', 'River', 'People']));
        expect(evaluate(permuted).metrics).toEqual(evaluate(table(rows)).metrics);
      }),
    );
  });

  it('agrees with the published evaluator where nothing is ambiguous', () => {
    const plain = fc.constantFrom('aa', 'bb', 'cc', 'dd');
    const rowsOf = fc.uniqueArray(fc.tuple(fc.constantFrom('t', 'u', 'v', 'w', 'x', 'y'), plain, plain), {
      minLength: 1,
      selector: ([key]) => key,
    });
    const recipe = record({
      eval_pipeline: { river: { metric: ['exact_match'] }, people: { metric: ['in_match'] } },
    });
    fc.assert(
      fc.property(rowsOf, rowsOf, (goldRows, answerRows) => {
        const gold = ['town,river,people', ...goldRows.map((row) => row.join(','))].join('\n');
        const answer = '```markdown\n' + table(answerRows) + '\n```';
        const published = driveJudgeSync(referenceSteps(recipe, gold, answer), fakeJudge({})).result;
        expect(evaluate(answer, {}, { gold, record: recipe }).metrics).toEqual(published.metrics);
      }),
    );
  });

  /** A right answer of `count` rows in capital letters, scored; milliseconds. */
  const timed = (count: number): { result: ReturnType<typeof evaluate>; milliseconds: number } => {
    const rows = Array.from({ length: count }, (_, index) => [
      `town ${index}`,
      `river ${index}`,
      String(index),
    ]);
    const answer = table(rows.map((row) => row.map((cell) => cell.toUpperCase())));
    const gold = ['town,river,people', ...rows.map((row) => row.join(','))].join('\n');
    // Time on the processor, so that a busy machine does not decide.
    const before = process.cpuUsage();
    const result = evaluate(answer, {}, { gold });
    const { user, system } = process.cpuUsage(before);
    return { result, milliseconds: (user + system) / 1_000 };
  };

  it('scores 10,000 rows in time near linear in the rows', () => {
    timed(1_000);
    const small = timed(1_000).milliseconds;
    const { result, milliseconds } = timed(10_000);
    expect(result.metrics?.score).toBe(1);
    expect(result.requests).toHaveLength(250);
    // Ten times the rows: a quadratic step would cost a hundred times as much.
    expect(milliseconds).toBeLessThan(40 * small + 1_000);
  });

  it('joins thousands of strange keys as text without asking, and says so', () => {
    const rows = Array.from({ length: 2_001 }, (_, index) => [`town ${index}`, 'r', '1']);
    const gold = ['town,river,people', ...rows.map((row) => `x${row.join(',')}`)].join('\n');
    expect(evaluate(table(rows), {}, { gold })).toMatchObject({
      judgeIncomplete: true,
      requests: [],
      rows: { joined: 0 },
    });
  });
});

describe('evaluateTable', () => {
  const ask = fakeJudge({});

  it('rescores from stored judgements without a call', async () => {
    const first = await evaluateTable(record(), GOLD, table(RIGHT), async (request) => ask(request));
    const again = await evaluateTable(
      record(),
      GOLD,
      table(RIGHT),
      replayJudge(first.judgements, async () => {
        throw new Error('asked again');
      }),
    );
    expect(again).toEqual(first);
    expect(first.judgements).toHaveLength(1);
  });

  it('takes a throwing judge for an outage', async () => {
    const result = await evaluateTable(record(), GOLD, table(RIGHT), async () => {
      throw new Error('no route to judge');
    });
    expect(result).toMatchObject({ status: 'judge_failed', metrics: null });
    expect(result.diagnostics).toContain('no route to judge');
  });

  it('offers the published evaluator under reference', async () => {
    const result = await evaluateTable(
      record(),
      GOLD,
      `Cities: a | b.\n\n${table(RIGHT)}`,
      async (request) => ask(request),
      {
        compat: 'reference',
      },
    );
    expect(result.status).toBe('column_mismatch');
  });
});
