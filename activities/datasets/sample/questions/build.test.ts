import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { buildSampleCorpus } from '../corpus.ts';
import { countries } from '../sources.ts';
import { buildSampleQuestions } from './build.ts';
import { ORDER_SEPARATOR } from './columns.ts';
import type { WideQuestion } from './shape.ts';
import { deepQuestionSchema, wideRecordSchema } from './shape.ts';

const { wide, deep } = buildSampleQuestions();
const { pages } = buildSampleCorpus();

const normStr = (text: string): string => text.toLowerCase().trim().replaceAll(' ', '').replaceAll('*', '');
/** Page text with every way of writing a number reduced to bare digits. */
const plain = (text: string): string => text.replace(/(?<=\d)[,\u00a0](?=\d{3})/g, '');
const texts = {
  en: pages
    .filter(({ url }) => url.includes('/en/'))
    .map((page) => ({ ...page, contents: plain(page.contents) })),
  zh: pages
    .filter(({ url }) => url.includes('/zh/'))
    .map((page) => ({ ...page, contents: plain(page.contents) })),
};
const pageOf = (language: 'en' | 'zh', entity: string): string => {
  const title = entity === 'Mercury' ? 'Mercury (element)' : entity;
  const found = texts[language].find((page) => page.title === title);
  if (!found) throw new Error(`no ${language} page for ${entity}`);
  return found.contents;
};
const states = (text: string, value: string, isNumber: boolean): boolean =>
  isNumber
    ? new RegExp(`(?<![\\d.])${value.replace('.', '\\.')}(?!\\d|\\.\\d)`).test(text)
    : text.includes(value);
/** Whole words in English: a page about Nigeria does not name Niger. */
const names = (text: string, key: string, language: 'en' | 'zh'): boolean =>
  language === 'zh' || !text.includes(key)
    ? text.includes(key)
    : new RegExp(`(?<!\\p{L})${key.replace(/[.()]/g, '\\$&')}(?!\\p{L})`, 'iu').test(text);
const keysOf = ({ record, table }: WideQuestion): string[] => {
  const positions = record.evaluation.unique_columns.map((key) => record.evaluation.required.indexOf(key));
  return table.rows.map((row) => positions.map((position) => normStr(row[position] ?? '')).join('\u0000'));
};
const numeric = ({ record }: WideQuestion, column: number): boolean => {
  const name = record.evaluation.required[column] ?? '';
  return record.evaluation.eval_pipeline[name]?.metric[0] === 'number_near';
};

describe('wide questions', () => {
  it('are enough, in both languages, with two to sixty rows and two to six columns', () => {
    for (const language of ['en', 'zh'] as const)
      expect(wide.filter(({ record }) => record.language === language).length).toBeGreaterThanOrEqual(80);
    for (const { record, table } of wide) {
      wideRecordSchema.parse(record);
      expect(table.rows.length).toBeGreaterThanOrEqual(2);
      expect(table.rows.length).toBeLessThanOrEqual(60);
    }
    expect(new Set(wide.map(({ record }) => record.instance_id)).size).toBe(wide.length);
    expect(new Set(wide.map(({ record }) => record.query)).size).toBe(wide.length);
    expect(new Set(wide.map(({ record }) => record.kind))).toEqual(
      new Set(['list', 'filter', 'two-step', 'pairs']),
    );
  });

  it('begin with the landlocked countries of Africa', () => {
    const [first] = wide;
    expect(first?.record.instance_id).toBe('sample_en_001');
    expect(first?.record.query).toBe(
      'Which landlocked countries are in Africa? Give the capital, area and official languages of each.',
    );
    expect(first?.record.evaluation.required).toEqual(['country', 'capital', 'area', 'officiallanguages']);
    expect(first?.table.rows).toHaveLength(16);
    expect(first?.table.rows).toContainEqual(['Botswana', 'Gaborone', '582000', 'English, Tswana']);
  });

  it('name all their columns and the key, apart from the fixed first one', () => {
    for (const { record, table } of wide.slice(1))
      for (const column of table.columns) expect(record.query, record.instance_id).toContain(column);
  });

  it('have gold files with the required columns, full cells and keys that stay apart', () => {
    for (const question of wide) {
      const { record, goldCsv, table } = question;
      const [header = [], ...rows] = parse(goldCsv);
      const names = header.map((name) => name.trim().toLowerCase().replaceAll(' ', ''));
      expect(names, record.instance_id).toEqual(record.evaluation.required);
      expect(rows).toHaveLength(table.rows.length);
      for (const cell of rows.flat()) expect(cell.trim(), record.instance_id).not.toBe('');
      expect(new Set(keysOf(question)).size, record.instance_id).toBe(table.rows.length);
    }
  });

  it('state every gold value on the page of its row', () => {
    for (const question of wide) {
      const { record, table } = question;
      for (const [key = '', ...cells] of table.rows) {
        const text = pageOf(record.language, key);
        for (const [index, cell] of cells.entries())
          for (const value of cell.split(', '))
            if (!states(text, value, numeric(question, index + 1)))
              expect.fail(`${record.instance_id}: ${value} is not on the page of ${key}`);
      }
    }
  });

  it('ask for no place whose status could be argued about', () => {
    const open = new Set(
      countries.filter(({ status }) => status !== 'sovereign').flatMap((row) => [row.name, row.zhName]),
    );
    for (const { record, table } of wide)
      for (const [key = ''] of table.rows) expect(open.has(key), `${record.instance_id} ${key}`).toBe(false);
  });

  it('can be reached: one page names all the rows', () => {
    for (const { record, table } of wide) {
      const keys = table.rows.map(([key = '']) => key);
      const reachable = texts[record.language].some(({ contents }) =>
        keys.every((key) => names(contents, key, record.language)),
      );
      expect(reachable, record.query).toBe(true);
    }
  });

  it('accept list cells of two or three values in every order, and their table as it stands', () => {
    for (const { record, goldCsv, table } of wide) {
      const [, ...gold] = parse(goldCsv);
      for (const [position, name] of record.evaluation.required.entries()) {
        if (record.evaluation.eval_pipeline[name]?.metric[0] !== 'in_match') continue;
        for (const [index, row] of table.rows.entries()) {
          const scored = normStr(gold[index]?.[position] ?? '');
          const values = (row[position] ?? '').split(', ');
          expect(scored).toContain(normStr(values.join(', ')));
          if (values.length <= 3) expect(scored).toContain(normStr([...values].reverse().join(', ')));
          expect(scored.split(normStr(ORDER_SEPARATOR))).toContain(normStr(values.join(', ')));
        }
      }
    }
  });
});

describe('deep questions', () => {
  it('are enough, of one to four hops, in both languages', () => {
    expect(deep.length).toBeGreaterThanOrEqual(120);
    for (const language of ['en', 'zh'])
      for (const hops of [1, 2, 3, 4])
        expect(
          deep.filter((question) => question.language === language && question.hops === hops).length,
        ).toBeGreaterThan(5);
    for (const question of deep) deepQuestionSchema.parse(question);
    expect(new Set(deep.map(({ id }) => id)).size).toBe(deep.length);
    expect(new Set(deep.map(({ question }) => question)).size).toBe(deep.length);
  });

  it('have an answer that stands in the corpus of their language', () => {
    for (const { id, answer, language } of deep) {
      const accepted = typeof answer === 'string' ? [answer] : answer;
      const stated = accepted.some((value) =>
        texts[language].some(({ contents }) => contents.includes(value)),
      );
      expect(stated, id).toBe(true);
    }
  });
});

describe('splits', () => {
  const parts = ['train', 'dev', 'test'] as const;

  it('are about 60 : 20 : 20 in each language', () => {
    for (const language of ['en', 'zh']) {
      const own = wide.filter(({ record }) => record.language === language);
      const share = (split: string): number =>
        own.filter(({ record }) => record.split === split).length / own.length;
      expect(share('train')).toBeGreaterThan(0.5);
      expect(share('train')).toBeLessThan(0.7);
      for (const split of ['dev', 'test']) expect(share(split)).toBeGreaterThan(0.12);
    }
    for (const split of parts)
      expect(deep.filter((question) => question.split === split).length).toBeGreaterThan(15);
  });

  it('share no topic and no set of rows', () => {
    const splitsOf = new Map<string, Set<string>>();
    const note = (key: string, split: string): void => {
      splitsOf.set(key, (splitsOf.get(key) ?? new Set()).add(split));
    };
    for (const question of wide) {
      note(`wide ${question.record.topic}`, question.record.split);
      note(`rows ${keysOf(question).sort().join('|')}`, question.record.split);
    }
    for (const { topic, split } of deep) note(`deep ${topic}`, split);
    for (const [key, splits] of splitsOf) expect(splits.size, key).toBe(1);
  });

  it("share few rows: no question is nearly another split's", () => {
    for (const held of wide.filter(({ record }) => record.split !== 'train'))
      for (const seen of wide.filter(({ record }) => record.split === 'train')) {
        const [a, b] = [new Set(keysOf(held)), new Set(keysOf(seen))];
        const common = [...a].filter((key) => b.has(key)).length;
        expect(
          common / (a.size + b.size - common),
          `${held.record.query} ~ ${seen.record.query}`,
        ).toBeLessThan(0.85);
      }
  });
});

describe('buildSampleQuestions', () => {
  it('is the same on every call', () => {
    const digest = (value: unknown): string =>
      createHash('sha256').update(JSON.stringify(value)).digest('hex');
    expect(digest(buildSampleQuestions())).toBe(digest({ wide, deep }));
  });
});
