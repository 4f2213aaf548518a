import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadDataset, readDataset } from './load.ts';
import { evalQuestionSchema } from './question.ts';

let data: string;
beforeEach(() => void (data = mkdtempSync(join(tmpdir(), 'wideseek-data-'))));
afterEach(() => rmSync(data, { recursive: true, force: true }));

const put = (path: string, content: string): string => {
  const file = join(data, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
};
const jsonl = (...rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const env = () => ({ WIDESEEK_DATA: data });
const load = (name: string, more: object = {}) => loadDataset({ name, ...more }, { env: env() });

const wide = (id: string, change: object = {}, evaluation: object = {}) => ({
  instance_id: id,
  query: 'Which towns are there?',
  evaluation: {
    required: ['town', 'people'],
    unique_columns: ['town'],
    eval_pipeline: { town: { preprocess: ['norm_str'], metric: ['exact_match'] } },
    ...evaluation,
  },
  ...change,
});

describe('the sample', () => {
  it('is made in memory, valid, split, and bilingual', async () => {
    const all = [...(await load('sample')), ...(await load('sample-deep'))];
    expect(all.length).toBeGreaterThan(120);
    for (const question of all) expect(evalQuestionSchema.parse(question)).toEqual(question);
    const test = await load('sample', { split: 'test', limit: 5 });
    expect(test.map(({ split }) => split)).toEqual(Array(5).fill('test'));
    expect(new Set(all.map(({ language }) => language))).toEqual(new Set(['en', 'zh']));
    await expect(load('sample', { split: 'nonsense' })).rejects.toThrow(
      'has no questions of split "nonsense"',
    );
  });
});

describe('WideSearch', () => {
  it('reads records with gold beside them; evaluation may be text; a byte order mark is no problem', async () => {
    const text = { ...wide('ws_zh_001'), evaluation: JSON.stringify(wide('x').evaluation) };
    put('widesearch/widesearch.jsonl', `\uFEFF${jsonl(wide('ws_en_001', { language: 'en' }), text)}`);
    for (const id of ['ws_en_001', 'ws_zh_001'])
      put(`widesearch/widesearch_gold/${id}.csv`, '\uFEFFTown,People\nBern,1\n');
    const questions = await load('widesearch');
    expect(questions.map(({ id, language, kind }) => [id, language, kind])).toEqual([
      ['ws_en_001', 'en', 'table'],
      ['ws_zh_001', 'zh', 'table'],
    ]);
  });

  it.each([
    ['no gold', wide('a'), null, 'gold: there is no widesearch_gold/a.csv'],
    ['a column gold lacks', wide('a'), 'town\nBern\n', 'required column "people" is absent'],
    [
      'keys that collide',
      wide('a'),
      'town,people\nBern,1\n BERN ,2\n',
      'data rows 1 and 2 have the same key bern',
    ],
    [
      'no keys',
      wide('a', {}, { unique_columns: [] }),
      'town,people\nBern,1\n',
      'unique_columns: names no column',
    ],
    [
      'an unknown function',
      wide('a', {}, { eval_pipeline: { people: { metric: ['magic'] } } }),
      'town,people\nBern,1\n',
      'metric: unknown function "magic"',
    ],
    ['an empty gold table', wide('a'), 'town,people\n', 'gold CSV: has no rows'],
    ['no evaluation', { instance_id: 'a', query: 'q' }, null, 'evaluation: '],
    ['an id that is a path', wide('../a'), null, 'instance_id: is not usable'],
  ])('names a record with %s', async (_what, record, gold, problem) => {
    const file = put('widesearch/widesearch.jsonl', jsonl(wide('fine'), record));
    put('widesearch/widesearch_gold/fine.csv', 'town,people\nBern,1\nBern,1\n');
    if (gold !== null) put('widesearch/widesearch_gold/a.csv', gold);
    await expect(load('widesearch')).rejects.toMatchObject({ type: 'InvalidInput' });
    const { broken, questions, warnings } = await readDataset({ name: 'widesearch' }, { env: env() });
    expect(questions.map(({ id }) => id)).toEqual(['fine']);
    expect(warnings[0]).toMatchObject({ id: 'fine', text: 'gold CSV: data rows 1 and 2 are equal' });
    expect(broken).toHaveLength(1);
    expect(broken[0]?.where).toBe(`${file}:2`);
    expect(broken[0]?.problems.join('; ')).toContain(problem);
  });
});

describe('QA sets', () => {
  it('reads ASearcher files: answer or gt, scalars and lists, row numbers as ids', async () => {
    put(
      'asearcher/NQ_rand1000/test.jsonl',
      jsonl(
        { question: 'a?', answer: 'x' },
        { question: '首都？', gt: ['北京', 'Beijing', ''] },
        { id: 7, question: 'b?', answer: 5 },
      ),
    );
    expect(await load('nq')).toMatchObject([
      { id: '0', kind: 'qa', answers: ['x'], language: 'en', split: 'test' },
      { id: '1', answers: ['北京', 'Beijing'], language: 'zh' },
      { id: '7', answers: ['5'] },
    ]);
    expect(
      await loadDataset({ name: 'nq', path: join(data, 'asearcher'), limit: 1 }, { env: env() }),
    ).toHaveLength(1);
    put('asearcher/Bamboogle/test.json', JSON.stringify([{ question: 'c?', answer: 'y' }, 5]));
    await expect(load('bamboogle')).rejects.toThrow('test.json[1]: is not a JSON object');
  });

  it('reads GAIA without the questions that need a file', async () => {
    put(
      'gaia/2023/validation/metadata.jsonl',
      jsonl(
        { task_id: 't1', Question: 'q?', 'Final answer': '17', file_name: '' },
        { task_id: 't2', Question: 'q?', 'Final answer': '3', file_name: 'x.pdf' },
      ),
    );
    const { questions, skipped, broken } = await readDataset({ name: 'gaia' }, { env: env() });
    expect(questions).toMatchObject([{ id: 't1', answers: ['17'], split: 'validation' }]);
    expect(skipped).toMatchObject([{ id: 't2', text: 'needs the attached file x.pdf' }]);
    expect(broken).toEqual([]);
  });

  it('deciphers xbench and reads Frames', async () => {
    const secret = (text: string, key: string): string =>
      Buffer.from(
        [...Buffer.from(text)].map((byte, index) => byte ^ (Buffer.from(key)[index % key.length] ?? 0)),
      ).toString('base64');
    put(
      'xbench-deepsearch/DeepSearch.csv',
      `id,prompt,answer,canary\n1,${secret('哪一年？', 'key')},${secret('1987', 'key')},key\n2,????,${secret('a', 'k')},\n`,
    );
    const xbench = await readDataset({ name: 'xbench-deepsearch' }, { env: env() });
    expect(xbench.questions[0]).toMatchObject({
      id: '1',
      question: '哪一年？',
      answers: ['1987'],
      language: 'zh',
    });
    put('frames/test.tsv', 'Unnamed: 0\tPrompt\tAnswer\n0\tWho "wrote" it?\tSomebody\n');
    expect(await load('frames')).toMatchObject([
      { id: '0', question: 'Who "wrote" it?', answers: ['Somebody'] },
    ]);
  });

  it('lists cut lines, missing fields and doubled ids, and leaves them out only when asked to', async () => {
    const file = put(
      'asearcher/PopQA/test.jsonl',
      `${jsonl({ id: 'a', question: 'q', answer: 'x' }, { id: 'a', question: 'r', answer: 'y' }, { id: 'b', question: 'r' })}{"id": "c", "que`,
    );
    await expect(load('popqa')).rejects.toThrow(`${file}:2 (a): id: is already used at ${file}:1`);
    const seen: string[] = [];
    const left = await loadDataset(
      { name: 'popqa' },
      {
        env: env(),
        lenient: true,
        onBroken: ({ where, problems }) => seen.push(`${where.split(':').at(-1)} ${problems.join()}`),
      },
    );
    expect(left).toHaveLength(1);
    expect(seen).toEqual([
      expect.stringContaining('2 id: is already used'),
      expect.stringContaining('3 answer: is missing'),
      '4 is not JSON and has no line end: a cut file?',
    ]);
  });
});

describe('WideSeek files', () => {
  const answer = '| Town | People |\n|---|---|\n| Bern | 1 |\n| Thun | 2 |';
  it('reads tables with their recipe, without one, and QA records among them', async () => {
    put(
      'wideseek-test/test.jsonl',
      jsonl(
        {
          instance_id: 'ws_en_001',
          query: 'towns?',
          answer,
          unique_columns: ['Town'],
          evaluation: JSON.stringify({ required: ['town'] }),
        },
        {
          question: '哪些城市？',
          answer: `\`\`\`markdown\n${answer}\n\`\`\``,
          unique_columns: ['town'],
          is_markdown: true,
        },
        { question: 'capital?', answer: 'Bern', is_markdown: false },
      ),
    );
    const [first, second, third] = await load('wideseek-test');
    expect(first).toMatchObject({
      id: 'ws_en_001',
      kind: 'table',
      record: { evaluation: { required: ['town'], unique_columns: ['town'] } },
    });
    expect(second).toMatchObject({
      id: '1',
      language: 'zh',
      goldCsv: 'Town,People\nBern,1\nThun,2\n',
      record: { evaluation: { eval_pipeline: { people: { metric: ['llm_judge'] } } } },
    });
    expect(third).toMatchObject({ kind: 'qa', answers: ['Bern'] });
    put('wideseek-test/test.jsonl', jsonl({ question: 'x', answer: 'no table', unique_columns: ['a'] }));
    await expect(load('wideseek-test')).rejects.toThrow(
      /test.jsonl:1 \(0\): answer: holds no Markdown table/,
    );
  });
});

it('says where data should be and how to get it, and which names there are', async () => {
  await expect(load('frames')).rejects.toThrow(
    /there is no .*frames\/test.tsv. Get it with `wideseek data pull frames`/,
  );
  await expect(load('nonsense')).rejects.toThrow(
    'there is no data set "nonsense". Known: sample, sample-deep',
  );
  const file = put('mine.jsonl', jsonl({ question: 'q', answer: 'a' }));
  expect(await load('mine', { path: file })).toMatchObject([{ kind: 'qa' }]);
  await expect(load('mine', { path: put('mine.parquet', '') })).rejects.toThrow('Known endings: .jsonl');
});
