import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CellEvidence, Table } from '../run.ts';
import type { EvidencePage } from './corpus.ts';
import { groundTable } from './ground.ts';

const page = (title: string, text: string): EvidencePage => ({
  url: `u:${title}`,
  title,
  text,
  ref: `r:${title}`,
});
const ground = (columns: string[], row: string[], pages: EvidencePage[]): CellEvidence[] =>
  groundTable({ columns, rows: [row] }, pages);
/** Quote of the second column's cell, or null. */
const quoteOf = (column: string, key: string, value: string, ...pages: EvidencePage[]): string | null => {
  const found = ground(['Name', column], [key, value], pages)[1];
  return found?.status === 'supported' ? found.quote : null;
};

describe('numbers and units', () => {
  const chad = page('Chad', 'Area: 1 284 000 km²');
  test.each(['1284000', '1,284,000', '1 284 000', '1,284,000 km²', '1.284 million km²', '128.4万'])(
    '%s',
    (cell) => expect(quoteOf('Area', 'Chad', cell, chad)).toBe('Area: 1 284 000 km²'),
  );
  test.each(['284000', '1,284', '12840000', '1284000 mi²', '-1284000', '1.284.000.000', '1284.000'])(
    'not %s',
    (cell) => expect(quoteOf('Area', 'Chad', cell, chad)).toBeNull(),
  );
  test('a decimal point is not guessed to be a thousands separator', () => {
    expect(quoteOf('Area', 'Chad', '274222', page('Chad', 'The area is 274.222 here.'))).toBeNull();
  });
  test('the unit may stand in the label, and a wrong unit in the header refuses', () => {
    expect(quoteOf('Area', 'Chad', '5000 km²', page('Chad', 'Area (km²): 5000'))).toBe('Area (km²): 5000');
    expect(quoteOf('Area (km²)', 'Chad', '5000', page('Chad', 'Area: 5000 sq mi'))).toBeNull();
  });
  test('a sign is part of the number', () => {
    const cold = page('Base', 'Mean temperature: -52.5 °C');
    expect(quoteOf('Mean temperature', 'Base', '-52.5', cold)).not.toBeNull();
    expect(quoteOf('Mean temperature', 'Base', '52.5', cold)).toBeNull();
  });
});

describe('dates', () => {
  const forms = [
    '11 August 1960',
    'August 11, 1960',
    '1960-08-11',
    '1960年8月11日',
    '11.08.1960',
    '11th of August 1960',
  ];
  for (const cell of forms)
    test.each(forms)(`${cell} is %s`, (text) =>
      expect(quoteOf('Independence', 'Chad', cell, page('Chad', `Independence: ${text}`))).not.toBeNull(),
    );
  test('a day-and-month order that can be read twice is not read', () => {
    expect(
      quoteOf('Independence', 'Chad', '2020-03-04', page('Chad', 'Independence: 03/04/2020')),
    ).toBeNull();
  });
  test('a month does not support a day, a day supports its month', () => {
    expect(
      quoteOf('Independence', 'Chad', '1 August 1960', page('Chad', 'Independence: August 1960')),
    ).toBeNull();
    expect(
      quoteOf('Independence', 'Chad', 'August 1960', page('Chad', 'Independence: 11 August 1960')),
    ).not.toBeNull();
  });
  test('a day of the month is not a number of the page', () => {
    expect(
      quoteOf('Regions', 'Chad', '11', page('Chad', 'Regions were formed on 11 August 1960.')),
    ).toBeNull();
  });
  test('birth and death are told apart', () => {
    const person = page('Ada Example', 'She was born 1 May 1900 and died 3 June 1980.');
    expect(quoteOf('Born', 'Ada Example', '1900-05-01', person)).not.toBeNull();
    expect(quoteOf('Died', 'Ada Example', '1900-05-01', person)).toBeNull();
    expect(quoteOf('Died', 'Ada Example', '1980', person)).not.toBeNull();
  });
});

describe('names', () => {
  test.each(['São Tomé', 'Sao Tome', 'SÃO TOMÉ', 'Ｓａｏ Ｔｏｍｅ', 'Sa\u0303o Tome\u0301'])('%s', (cell) =>
    expect(quoteOf('Capital', 'X-land', cell, page('X-land', 'The capital is São Tomé.'))).not.toBeNull(),
  );
  test.each([
    ['Porto', 'Its capital is Porto-Novo.'],
    ['York', 'Its capital is New York.'],
    ['Victoria', 'Its capital lies on Lake Victoria.'],
    ['Lagos', 'Its capital is not Lagos.'],
    ['Lagos', 'The former capital Lagos is large.'],
    ['US', 'The capital is dear to us.'],
  ])('%s is not in "%s"', (cell, text) =>
    expect(quoteOf('Capital', 'Xland', cell, page('Xland', text))).toBeNull(),
  );
  test('a two-character Chinese name needs the column beside it', () => {
    expect(quoteOf('首都', '法国', '巴黎', page('法国', '这个国家法国的首都是巴黎。'))).toBe(
      '这个国家法国的首都是巴黎。',
    );
    expect(quoteOf('首都', '法国', '巴黎', page('法国', '巴黎圣母院是一座教堂。'))).toBeNull();
  });
});

describe('whose value it is', () => {
  test('a page about another entity supports nothing', () => {
    expect(quoteOf('Capital', 'Chad', 'Niamey', page('Niger', 'Capital: Niamey'))).toBeNull();
  });
  test('a longer name is another entity', () => {
    for (const title of ['Guinea-Bissau', 'Equatorial Guinea', 'Papua New Guinea', 'Gulf of Guinea'])
      expect(quoteOf('Capital', 'Guinea', 'Bissau', page(title, 'Capital: Bissau'))).toBeNull();
    expect(
      quoteOf('Capital', 'Congo', 'Kinshasa', page('List', 'Democratic Republic of the Congo: Kinshasa')),
    ).toBeNull();
  });
  test('titles with brackets, sites and facets are about the entity', () => {
    for (const title of [
      'Chad',
      'Chad (country)',
      'Chad - Wikipedia',
      'Geography of Chad',
      'Capital of Chad | Atlas',
    ])
      expect(quoteOf('Capital', 'Chad', "N'Djamena", page(title, "Capital: N'Djamena"))).not.toBeNull();
  });
  test('a sentence about two entities gives each its own value', () => {
    const both = page('Capitals', "The capital of Niger is Niamey, and that of Chad is N'Djamena.");
    const table: Table = {
      columns: ['Name', 'Capital'],
      rows: [
        ['Niger', "N'Djamena"],
        ['Chad', "N'Djamena"],
        ['Niger', 'Niamey'],
        ['Chad', 'Niamey'],
      ],
    };
    expect(
      groundTable(table, [both])
        .filter((cell) => cell.column === 'Capital')
        .map((cell) => cell.status),
    ).toEqual(['unsupported', 'supported', 'supported', 'unsupported']);
  });
  test('a quote never joins two table rows or two lines', () => {
    const rows = page('List', '| Name | Capital |\n|---|---|\n| Chad | |\n| Niger | Niamey |');
    expect(quoteOf('Capital', 'Chad', 'Niamey', rows)).toBeNull();
    expect(
      quoteOf('Capital', 'Chad', 'Niamey', page('List', 'Chad\nNiamey is the capital of Niger')),
    ).toBeNull();
  });
  test('a section counts as about its heading, and the quote shows the heading', () => {
    const sections = page('Countries', "## Niger\n\nCapital: Niamey\n\n## Chad\n\nCapital: N'Djamena");
    expect(quoteOf('Capital', 'Chad', "N'Djamena", sections)).toBe("## Chad\n\nCapital: N'Djamena");
    expect(quoteOf('Capital', 'Chad', 'Niamey', sections)).toBeNull();
  });
});

describe('which attribute it is', () => {
  const city = page('Xland', 'Largest city: Lagos\nCapital: Abuja\n\nLagos lies on the coast.');
  test('a field of another name, or a page with the right field, refuses', () => {
    expect(quoteOf('Capital', 'Xland', 'Lagos', city)).toBeNull();
    expect(quoteOf('Largest city', 'Xland', 'Lagos', city)).toBe('Largest city: Lagos');
  });
  test('the header decides in a table of numbers', () => {
    const table = page('List', '| Name | Area | Population |\n|---|---|---|\n| Chad | 1284000 | 17179740 |');
    expect(quoteOf('Population', 'Chad', '1284000', table)).toBeNull();
    expect(quoteOf('Population', 'Chad', '17,179,740', table)).toBe('| Chad | 1284000 | 17179740 |');
  });
  test('short values need the column beside them', () => {
    expect(quoteOf('Regions', 'Chad', '23', page('Chad', 'It has 23 regions.'))).toBe('It has 23 regions.');
    expect(quoteOf('Regions', 'Chad', '23', page('Chad', 'It has 23 airports.'))).toBeNull();
    expect(quoteOf('Landlocked', 'Chad', 'Yes', page('Chad', 'Landlocked: yes'))).toBe('Landlocked: yes');
    expect(quoteOf('Landlocked', 'Chad', 'Yes', page('Chad', 'Yes, it is hot here.'))).toBeNull();
  });
  test('fields come before prose, titled pages before lists', () => {
    const pages = [
      page('A list', '| Name | Capital |\n|---|---|\n| Chad | N’Djamena |'),
      page('Chad', "Its capital N'Djamena is large.\n\nCapital: N'Djamena"),
    ];
    expect(quoteOf('Capital', 'Chad', "N'Djamena", ...pages)).toBe("Capital: N'Djamena");
  });
});

describe('lists', () => {
  const text = 'Languages: French, Arabic and Sara';
  test.each(['French; Arabic', 'Arabic, French', 'Sara、French', 'French / Sara', 'French and Arabic'])(
    '%s',
    (cell) => expect(quoteOf('Languages', 'Chad', cell, page('Chad', text))).toBe(text),
  );
  test('every member has to be there', () => {
    expect(quoteOf('Languages', 'Chad', 'French, Hausa', page('Chad', text))).toBeNull();
  });
  test('members in neighbouring list items are quoted together', () => {
    const items = page('Chad', '## Languages\n\n- French\n- Arabic\n- Sara');
    expect(quoteOf('Languages', 'Chad', 'French, Sara', items)).toBe('- French\n- Arabic\n- Sara');
  });
});

describe('key cells', () => {
  const list = page('Landlocked countries', 'Countries:\n- Chad\n- Niger');
  test('the page that lists the rows comes before the page about one', () => {
    const found = groundTable({ columns: ['Name'], rows: [['Chad'], ['Niger'], ['Mali']] }, [
      page('Chad', 'Chad is large.'),
      list,
    ]);
    expect(found.map((cell) => cell.status === 'supported' && cell.title)).toEqual([
      list.title,
      list.title,
      false,
    ]);
  });
  test('a title is enough, an empty key supports nothing', () => {
    expect(ground(['Name'], ['Chad'], [page('Chad', 'A country in Africa.')])[0]).toMatchObject({
      quote: 'A country in Africa.',
    });
    expect(
      ground(['Name', 'Capital'], ['', 'Niamey'], [page('Niger', 'Capital: Niamey')]).map(
        (cell) => cell.status,
      ),
    ).toEqual(['unsupported', 'unsupported']);
  });
  test('with two key columns both have to be there', () => {
    const table: Table = {
      columns: ['Year', 'Prize', 'Winner'],
      rows: [
        ['2001', 'Fields Cup', 'Ann Lee'],
        ['2002', 'Fields Cup', 'Ann Lee'],
      ],
    };
    const pages = [page('Fields Cup', '- 2001: winner Ann Lee\n- 2002: winner Bob Ray')];
    const found = groundTable(table, pages, { keyColumns: ['Year', 'Prize'] });
    expect(found.filter((cell) => cell.column === 'Winner').map((cell) => cell.status)).toEqual([
      'supported',
      'unsupported',
    ]);
  });
});

describe('laws', () => {
  const names = ['Chad', 'Niger', 'Mali', 'Guinea', 'Guinea-Bissau', '乍得', '几内亚'];
  const values = [
    'Niamey',
    "N'Djamena",
    '1,284,000',
    '12',
    '1960',
    'French, Arabic',
    '恩贾梅纳',
    'yes',
    '11 August 1960',
    '5 km²',
  ];
  const columns = ['Name', 'Capital', 'Area (km²)', 'Independence'];
  const bit = fc.constantFrom(
    ...names,
    ...values,
    'Capital:',
    'Area',
    ' is ',
    ' the capital of ',
    '. ',
    '\n',
    '\n\n',
    '- ',
    '| ',
    ' |\n',
    '|---|---|\n',
    '# ',
    '。',
    '面积',
    ', ',
    '\ud83d\ude00',
    'a'.repeat(290),
    '\r\n',
  );
  const pages = fc
    .array(
      fc.record({
        title: fc.constantFrom(...names, 'List', 'Niger River'),
        bits: fc.array(bit, { maxLength: 30 }),
      }),
      { maxLength: 6 },
    )
    .map((list) =>
      list.map(({ title, bits }, at): EvidencePage => ({
        url: `u${at}`,
        title,
        text: bits.join(''),
        ref: `r${at}`,
      })),
    );
  const tables = fc
    .array(
      fc.tuple(fc.constantFrom(...names), ...columns.slice(1).map(() => fc.constantFrom('', ...values))),
      { maxLength: 4 },
    )
    .map((rows): Table => ({ columns, rows }));

  test('every quote stands in its page and has 10 to 300 characters; every cell has one entry', () => {
    fc.assert(
      fc.property(tables, pages, (table, read) => {
        const found = groundTable(table, read);
        expect(found.map((cell) => [cell.row, cell.column])).toEqual(
          table.rows.flatMap((_, row) => columns.map((column) => [row, column])),
        );
        for (const cell of found) {
          if (cell.status === 'unsupported') continue;
          expect(read.find((each) => each.ref === cell.page)?.text).toContain(cell.quote);
          expect(cell.quote.length).toBeGreaterThanOrEqual(10);
          expect(cell.quote.length).toBeLessThanOrEqual(300);
        }
      }),
      { numRuns: 150 },
    );
  });
  test('the order of pages does not matter', () => {
    fc.assert(
      fc.property(tables, pages, (table, read) => {
        expect(groundTable(table, [...read].reverse())).toEqual(groundTable(table, read));
      }),
      { numRuns: 100 },
    );
  });
  test('pages about other things take no support away', () => {
    const noise = fc.array(
      fc.constantFrom('Paris', 'Berlin', 'river', '1960', 'Capital: Rome', '\n', '. ', '12'),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(tables, pages, noise, (table, read, bits) => {
        const more = [...read, page('Roman roads', bits.join(' '))];
        const before = groundTable(table, read);
        const after = groundTable(table, more);
        before.forEach((cell, at) => {
          if (cell.status === 'supported') expect(after[at]?.status).toBe('supported');
        });
      }),
      { numRuns: 100 },
    );
  });
});
