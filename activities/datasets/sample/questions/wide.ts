import { stringify } from 'csv-stringify/sync';
import { pick } from '../seeded.ts';
import { listChinese, listEnglish } from '../wording.ts';
import type { Column, Language } from './columns.ts';
import { columnName, orderings, stepOf } from './columns.ts';
import type { SampleSplit, WideQuestion } from './shape.ts';
import { wideQuestionSchema } from './shape.ts';
import type { WideSpec } from './spec.ts';

/** A spec in one language as a scored record with its gold; a ZodError means that the spec breaks the shape. */
export function wideQuestion<T>(
  spec: WideSpec<T>,
  language: Language,
  number: number,
  split: SampleSplit,
): WideQuestion {
  const { columns, rows } = spec;
  const cells = rows.map((row) => columns.map((column) => column.values(row, language)));
  const names = columns.map((column) => columnName(column, language));
  const hasLists = columns.map((_, index) => cells.some((row) => (row[index]?.length ?? 0) > 1));
  const gold = cells.map((row) =>
    row.map((values, index) => (hasLists[index] ? orderings(values) : values.join(', '))),
  );
  return wideQuestionSchema.parse({
    record: {
      instance_id: `sample_${language}_${String(number).padStart(3, '0')}`,
      query: spec.fixed?.[language] ?? queryText(spec, language, hasLists.includes(true)),
      language,
      evaluation: {
        required: names,
        unique_columns: names.filter((_, index) => columns[index]?.kind === 'key'),
        eval_pipeline: Object.fromEntries(
          columns.map((column, index) => [names[index], stepOf(column, hasLists[index] ?? false)]),
        ),
      },
      split,
      topic: spec.topic,
      kind: spec.kind,
    },
    goldCsv: stringify([columns.map(({ label }) => label[language]), ...gold]),
    table: {
      columns: columns.map(({ label }) => label[language]),
      rows: cells.map((row) => row.map((values) => values.join(', '))),
    },
  });
}

function queryText<T>(spec: WideSpec<T>, language: Language, hasLists: boolean): string {
  const { columns, topic } = spec;
  const labels = columns.map(({ label }) => label[language]);
  const keys = columns.filter(({ kind }) => kind === 'key').map(({ label }) => label[language]);
  const notes = columns.map(({ note }: Column<T>) => note?.[language] ?? '').filter(Boolean);
  const seed = `${language}|${topic}|${spec.kind}`;
  if (language === 'zh') {
    if (hasLists) notes.push('同一单元格有多个值时用“, ”分隔');
    const ask = pick(seed, [
      `请用一个表格回答，列依次为：${labels.join('、')}。`,
      `以表格形式给出，表格恰好包含以下各列：${labels.join('、')}。`,
      `结果整理成一个Markdown表格，列名为${labels.join('、')}。`,
    ]);
    const key = `每行以${listChinese(keys)}为唯一标识。`;
    return `${spec.lead.zh}${ask}${key}${notes.length ? `${notes.join('；')}。` : ''}`;
  }
  if (hasLists) notes.push('Separate several values in one cell with a comma');
  const ask = pick(seed, [
    `Answer with one table with exactly these columns: ${labels.join(', ')}.`,
    `Give a table with the columns ${listEnglish(labels)}, one row each.`,
    `Put the result into a single Markdown table whose columns are ${labels.join(', ')}.`,
  ]);
  const key = `The key is ${listEnglish(keys)}.`;
  return [spec.lead.en, ask, key, ...notes.map((note) => `${note}.`)].join(' ');
}
