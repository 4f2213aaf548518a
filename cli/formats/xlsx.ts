import ExcelJS from 'exceljs';
import type { Cell, CellValue, Worksheet } from 'exceljs';
import type { SeekResult } from '../../domain/run.ts';
import { isLink, sourcesOf } from './sources.ts';
import { displayWidth } from './width.ts';

const WIDEST = 60;
const MAX_CELL = 32_767; // a limit of the file format
/** XML 1.0 cannot hold control characters and unpaired surrogates. */
const FORBIDDEN = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

const textOf = (cell: string): string => cell.slice(0, MAX_CELL).replace(FORBIDDEN, '');

/**
 * A number where the cell's text is exactly how the number prints (`-5.2`, `274222`), so nothing is lost; text otherwise
 * (`007`, `1,234`, `1.10`, ids of more than 15 digits). A text is never a formula.
 */
export const valueFor = (cell: string): CellValue => {
  const value = Number(cell);
  const lossless =
    /^-?\d+(?:\.\d+)?$/.test(cell) && String(value) === cell && cell.replace(/\D/g, '').length <= 15;
  return lossless ? value : textOf(cell);
};

const put = (cell: Cell, value: CellValue, url?: string): void => {
  if (typeof value === 'string' && url !== undefined && isLink(url) && url.length <= 2_000) {
    cell.value = { text: value === '' ? url : value, hyperlink: url };
    cell.font = { color: { argb: 'FF0563C1' }, underline: true };
  } else cell.value = value;
  cell.alignment = { wrapText: true, vertical: 'top' };
};

const headed = (sheet: Worksheet, columns: readonly string[]): void => {
  columns.forEach((column, at) => {
    const cell = sheet.getCell(1, at + 1);
    cell.value = textOf(column);
    cell.font = { bold: true };
    cell.alignment = { wrapText: true, vertical: 'top' };
  });
  sheet.views = [{ state: 'frozen', ySplit: 1 }];
};

const sized = (sheet: Worksheet, columns: readonly string[], rows: readonly (readonly string[])[]): void =>
  columns.forEach((column, at) => {
    const widest = Math.max(
      displayWidth(column),
      ...rows.map((row) => displayWidth((row[at] ?? '').slice(0, 200))),
    );
    sheet.getColumn(at + 1).width = Math.min(WIDEST, Math.max(8, widest + 2));
  });

const facts = (result: SeekResult): [string, string][] => [
  ['Question', result.question],
  ['Status', result.status],
  ['Stop reason', result.stopReason],
  ['Policy', result.policy],
  ['Run', result.runId],
  ['Language', result.language],
  ['Agents', String(result.agents)],
  ['Turns', String(result.turns)],
  ...Object.entries(result.usage).map(([name, amount]): [string, string] => [name, String(amount)]),
  ...result.notes.map((note): [string, string] => ['Note', note]),
];

/**
 * A result as an XLSX file with the sheets `Answer`, `Evidence` (unless switched off) and `Run`. Headers are bold and stay in
 * view; supported cells of the answer that are text, and all sources, link to their page.
 */
export const formatXlsx = async (result: SeekResult, evidence: boolean): Promise<Uint8Array> => {
  const table = result.table ?? { columns: ['answer'], rows: [[result.answer]] };
  const sources = sourcesOf(result);
  const book = new ExcelJS.Workbook();
  const answer = book.addWorksheet('Answer');
  headed(answer, table.columns);
  sized(answer, table.columns, table.rows);
  table.rows.forEach((row, at) =>
    table.columns.forEach((_, column) => {
      const found = evidence ? sources.of(at, column) : undefined;
      const cell = answer.getCell(at + 2, column + 1);
      const text = row[column] ?? '';
      put(cell, valueFor(text), text !== '' && found?.status === 'supported' ? found.url : undefined);
      if (evidence && found?.status === 'unsupported' && text.trim() !== '')
        cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFFFF2CC' } };
    }),
  );

  if (evidence) {
    const columns = ['Row', table.columns[0] ?? '', 'Column', 'Value', 'Status', 'Source', 'Title', 'Quote'];
    const rows = table.rows.flatMap((row, at) =>
      table.columns.map((column, columnAt) => {
        const found = sources.of(at, columnAt);
        const base = [
          String(at + 1),
          row[0] ?? '',
          column,
          row[columnAt] ?? '',
          found?.status ?? 'unsupported',
        ];
        return found?.status === 'supported'
          ? [...base, found.url, found.title, found.quote]
          : [...base, '', '', ''];
      }),
    );
    const sheet = book.addWorksheet('Evidence');
    headed(sheet, columns);
    sized(sheet, columns, rows);
    rows.forEach((row, at) =>
      row.forEach((text, column) => {
        const value = column === 0 || column === 3 ? valueFor(text) : textOf(text);
        put(sheet.getCell(at + 2, column + 1), value, column === 5 && text !== '' ? text : undefined);
      }),
    );
  }

  const run = book.addWorksheet('Run');
  const lines = facts(result);
  headed(run, ['Fact', 'Value']);
  sized(run, ['Fact', 'Value'], lines);
  lines.forEach(([name, text], at) => {
    put(run.getCell(at + 2, 1), textOf(name));
    put(run.getCell(at + 2, 2), valueFor(text));
  });
  return new Uint8Array(await book.xlsx.writeBuffer());
};
