import { parse } from 'csv-parse/sync';
import ExcelJS from 'exceljs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SeekResult } from '../../domain/run.ts';
import { parseMarkdownTables } from '../../domain/tables/markdown.ts';
import { neutralised } from './csv.ts';
import { formatNamed, formatResult } from './result.ts';
import { sampleResult } from './sample.ts';
import { valueFor } from './xlsx.ts';

const text = async (
  result: SeekResult,
  format: 'markdown' | 'csv' | 'json',
  evidence = true,
): Promise<string> => {
  const printed = await formatResult(result, format, { evidence });
  if (typeof printed !== 'string') throw new Error('bytes where text was expected');
  return printed;
};
const workbook = async (result: SeekResult, evidence = true): Promise<ExcelJS.Workbook> => {
  const bytes = await formatResult(result, 'xlsx', { evidence });
  if (typeof bytes === 'string') throw new Error('text where bytes were expected');
  const book = new ExcelJS.Workbook();
  await book.xlsx.load(bytes.buffer as ArrayBuffer);
  return book;
};

describe('markdown', () => {
  test('cells carry footnotes, equal sources share a number, unsupported cells a sign', async () => {
    const printed = await text(sampleResult(), 'markdown');
    expect(parseMarkdownTables(printed)[0]?.rows).toEqual([
      ['Chad [^1]', "N'Djamena [^2]", '1284000 ⚠'],
      ['Niger [^1]', '=HYPERLINK("http://evil") ⚠', '-5.2 ⚠'],
      ['乍得 [^3]', '恩贾|梅纳 ⚠', ''],
    ]);
    expect(printed.match(/^\[\^\d+\]: /gm)).toEqual(['[^1]: ', '[^2]: ', '[^3]: ']);
    expect(printed).toContain('[^1]: Chad, <https://w.test/Chad>: “Chad is a country.”');
    expect(printed).toContain('⚠ No page that was read');
    expect(printed.trimEnd().endsWith('Notes:\n\n- Search was slow.')).toBe(true);
  });
  test('titles and quotes cannot open links or HTML, and stay on their line', async () => {
    const line = (await text(sampleResult(), 'markdown'))
      .split('\n')
      .find((each) => each.startsWith('[^3]:'));
    expect(line).toBe('[^3]: \\[x\\](y) \\<b\\>, `javascript:alert(1)`: “=a \\| "b" second line”');
  });
  test('without evidence it is the plain table', async () => {
    const printed = await text(sampleResult({ notes: [] }), 'markdown', false);
    expect(parseMarkdownTables(printed)[0]?.rows).toEqual(sampleResult().table?.rows);
    expect(printed).not.toContain('⚠');
  });
  test('no legend where every cell has a source; partial runs say so; single answers work', async () => {
    const evidence = [
      {
        status: 'supported' as const,
        row: 0,
        column: 'answer',
        url: 'https://w.test/a',
        title: 'A',
        quote: 'It is Warsaw.',
        page: 'r',
      },
    ];
    const printed = await text(
      sampleResult({
        table: null,
        answer: 'Warsaw',
        evidence,
        notes: [],
        status: 'partial',
        stopReason: 'budget',
      }),
      'markdown',
    );
    expect(printed).toBe(
      'Warsaw [^1]\n\n_Status: partial (budget)._\n\nSources:\n\n[^1]: A, <https://w.test/a>: “It is Warsaw.”\n',
    );
    expect(await text(sampleResult({ table: null, evidence: [], status: 'failed' }), 'markdown')).toContain(
      'No answer was found.',
    );
  });
});

describe('csv', () => {
  test('starts with a byte order mark and reads back, formulas made harmless', async () => {
    const printed = await text(sampleResult(), 'csv', false);
    expect(printed.startsWith('\ufeff')).toBe(true);
    expect(parse(printed, { bom: true })).toEqual([
      ['Country', 'Capital', 'Area'],
      ['Chad', "N'Djamena", '1284000'],
      ['Niger', '\'=HYPERLINK("http://evil")', '-5.2'],
      ['乍得', '恩贾|梅纳', ''],
    ]);
  });
  test('evidence columns follow each column', async () => {
    const [header, first, , third] = parse(await text(sampleResult(), 'csv'), { bom: true });
    expect(header).toEqual(
      ['Country', 'Capital', 'Area'].flatMap((name) => [name, `${name} source`, `${name} quote`]),
    );
    expect(first).toEqual([
      'Chad',
      'https://w.test/Chad',
      'Chad is a country.',
      "N'Djamena",
      'https://w.test/Chad',
      "Capital: N'Djamena",
      '1284000',
      '',
      '',
    ]);
    expect(third?.[2]).toBe('\'=a | "b"\nsecond line');
  });
  test.each(['=1', '+a', '-a', '@x', '\tx', '\rx', ' =1', '＝1', '-5.2+cmd', '-', '+1-1'])(
    '%j is neutralised',
    (cell) => expect(neutralised(cell)).toBe(`'${cell}`),
  );
  test.each(['-5.2', '+5', '-1,234.5', '-3%', 'a=b', '', '5'])('%j stays', (cell) =>
    expect(neutralised(cell)).toBe(cell),
  );
  test('any table reads back cell by cell', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '=', '-', '"', ',', '\n', '\r', '国', ' ', '\t', "'", '1'),
    });
    const tables = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
      );
    await fc.assert(
      fc.asyncProperty(tables, async (rows) => {
        const columns = (rows[0] ?? []).map((_, at) => `c${at}`);
        const printed = await text(sampleResult({ table: { columns, rows } }), 'csv', false);
        expect(parse(printed, { bom: true, record_delimiter: '\r\n' })).toEqual([
          columns,
          ...rows.map((row) => row.map(neutralised)),
        ]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('json', () => {
  test('is the result object', async () =>
    expect(JSON.parse(await text(sampleResult(), 'json'))).toEqual(sampleResult()));
});

describe('xlsx', () => {
  test('answer sheet: header, numbers, links, no formula', async () => {
    const sheet = (await workbook(sampleResult())).getWorksheet('Answer');
    if (!sheet) throw new Error('no sheet');
    expect(sheet.getCell('A1').font.bold).toBe(true);
    expect(sheet.views[0]).toMatchObject({ state: 'frozen', ySplit: 1 });
    expect(sheet.getCell('A2').value).toMatchObject({ text: 'Chad', hyperlink: 'https://w.test/Chad' });
    expect(sheet.getCell('C2').value).toBe(1_284_000);
    expect(sheet.getCell('C3').value).toBe(-5.2);
    expect(sheet.getCell('B3').value).toBe('=HYPERLINK("http://evil")');
    expect(sheet.getCell('B3').type).toBe(ExcelJS.ValueType.String);
    expect(sheet.getCell('A4').value).toBe('乍得'); // javascript: is no link
    expect(sheet.getColumn(2).width).toBeGreaterThan(20);
  });
  test('evidence and run sheets', async () => {
    const book = await workbook(sampleResult());
    expect(book.worksheets.map((sheet) => sheet.name)).toEqual(['Answer', 'Evidence', 'Run']);
    const evidence = book.getWorksheet('Evidence');
    expect(evidence?.rowCount).toBe(10);
    expect(evidence?.getCell('F3').value).toMatchObject({ hyperlink: 'https://w.test/Chad' });
    expect(evidence?.getCell('H3').value).toBe("Capital: N'Djamena");
    expect(evidence?.getCell('E4').value).toBe('unsupported');
    expect(book.getWorksheet('Run')?.getCell('B3').value).toBe('ok');
    expect((await workbook(sampleResult(), false)).worksheets.map((sheet) => sheet.name)).toEqual([
      'Answer',
      'Run',
    ]);
  });
  test.each([
    ['007', '007'],
    ['1.10', '1.10'],
    ['1,234', '1,234'],
    ['12345678901234567890', '12345678901234567890'],
    ['-0', '-0'],
    ['1e5', '1e5'],
    ['0', 0],
    ['12.5', 12.5],
  ])('%s becomes %j', (cell, value) => expect(valueFor(cell)).toBe(value));
  test('control characters and broken surrogates do not break the file', async () => {
    const table = { columns: ['A\u0000'], rows: [['x\u0007y\ud800']] };
    const sheet = (await workbook(sampleResult({ table, evidence: [] }))).getWorksheet('Answer');
    expect(sheet?.getCell('A2').value).toBe('xy');
  });
});

test('formats are found by name and file ending', () => {
  expect(['out.XLSX', 'md', 'csv', 'a.b.json'].map(formatNamed)).toEqual(['xlsx', 'markdown', 'csv', 'json']);
  expect(() => formatNamed('out.pdf')).toThrow(/format: "out.pdf" is not known.*markdown, csv, json, xlsx/);
});

test('Markdown with evidence ends with the chain of a single answer; links and quotes stay text', async () => {
  const result = sampleResult({
    table: null,
    answer: 'Vistula',
    evidence: [{ status: 'unsupported', row: 0, column: 'answer' }],
    notes: [],
    chain: [
      { claim: 'Warsaw', url: 'https://w.test/Curie', title: 'Curie', quote: 'born in Warsaw', page: 'r1' },
      { claim: '[x](y)', url: 'javascript:alert(1)', title: '', quote: '<b>', page: 'r2' },
    ],
  });
  const text = String(await formatResult(result, 'markdown', { evidence: true }));
  expect(text.split('Chain of evidence:\n\n')[1]).toBe(
    [
      '1. Warsaw',
      '   - “born in Warsaw”',
      '   - Curie, <https://w.test/Curie>',
      '2. \\[x\\](y)',
      '   - “\\<b\\>”',
      '   - Untitled, `javascript:alert(1)`',
      '',
    ].join('\n'),
  );
  expect(String(await formatResult(result, 'markdown', { evidence: false }))).not.toContain('Chain');
  expect(JSON.parse(String(await formatResult(result, 'json', { evidence: false })))).toMatchObject({
    chain: result.chain,
  });
});
