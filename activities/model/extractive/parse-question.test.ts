import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { parseQuestion } from './parse-question.ts';

const read = (question: string) => {
  const { classPhrase, keyColumn, header, spreadColumn } = parseQuestion(question);
  return { classPhrase, keyColumn, header, spreadColumn };
};

describe('parseQuestion', () => {
  it.each([
    [
      'Which walled towns are in Varn? Give the mayor, area and main exports of each.',
      'walled towns in Varn',
      ['Town', 'Mayor', 'Area', 'Main exports'],
    ],
    [
      'For each lake in Foo, give its depth and the rivers that feed it.',
      'lake in Foo',
      ['Lake', 'Depth', 'Rivers that feed it'],
    ],
    [
      'For each of the moons of Vela, list the diameter and the discoverer.',
      'moons of Vela',
      ['Moon', 'Diameter', 'Discoverer'],
    ],
    [
      'Give the seat and currency of every duchy that borders Foo.',
      'duchy that borders Foo',
      ['Duchy', 'Seat', 'Currency'],
    ],
    [
      'What are the free cities, and what are their mayors and areas?',
      'free cities',
      ['City', 'Mayors', 'Areas'],
    ],
    [
      'Please list the canals longer than 5 km in Baz as a table. Columns: Canal, Length (km), Mouth.',
      'canals longer than 5 km in Baz',
      ['Canal', 'Length (km)', 'Mouth'],
    ],
    ['列出北海岸的所有灯塔及其高度、建造年份。', '北海岸的灯塔', ['灯塔', '高度', '建造年份']],
    ['哪些大学位于北方？请给出每个大学的校长和学生数量。', '大学位于北方', ['大学', '校长', '学生数量']],
    [
      '列出1800年以前建成的桥梁，表格列名依次为：桥梁、长度、河流。',
      '1800年以前建成的桥梁',
      ['桥梁', '长度', '河流'],
    ],
  ])('%s', (question, classPhrase, header) => {
    expect(read(question)).toMatchObject({ classPhrase, header, keyColumn: header[0] });
  });

  it('takes units, forms and options from remarks, and leaves the headers alone', () => {
    const { columns } = parseQuestion(
      'Which bridges cross the Varn? Answer with one table with exactly these columns: Bridge, Length, Toll, Kind. Length in m as a plain number. Toll as a three-letter code. Kind is the way it carries load: arch, beam or cable.',
    );
    expect(columns).toEqual([
      { header: 'Length', ask: 'Length (m)' },
      { header: 'Toll', ask: 'Toll (code)' },
      { header: 'Kind', ask: 'Kind (the way it carries load: arch, beam or cable)' },
    ]);
  });

  it('sees a composite key', () => {
    const question =
      'For every port of Varn, list each ferry line in a row of its own. Give a table with the columns Port, Ferry and Harbour, one row each. The key is Port and Ferry.';
    expect(read(question)).toMatchObject({
      keyColumn: 'Port',
      spreadColumn: 'Ferry',
      header: ['Port', 'Ferry', 'Harbour'],
    });
  });

  it('puts a first step back into the phrase that needs it', () => {
    const question =
      'Ormsund is the seat of a county. Which towns lie in that county? Give the mayor of each.';
    expect(read(question).classPhrase).toBe('towns lie in the county whose seat is Ormsund');
  });

  it('never throws and always names a key', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const { header, keyColumn } = parseQuestion(text);
        expect(header).toContain(keyColumn);
      }),
    );
  });
});
