import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { keepStatements } from './statements.ts';

const opened = (kept?: number) => {
  const database = new Sqlite(':memory:');
  database.exec(`create table fruit (name text); insert into fruit values ('fig'), ('plum')`);
  let prepared = 0;
  const prepare = database.prepare.bind(database);
  Object.defineProperty(database, 'prepare', {
    value: (sql: string) => {
      prepared += 1;
      return prepare(sql);
    },
  });
  return { database, kept: keepStatements(database, kept), prepared: () => prepared };
};

describe('kept statements', () => {
  it('are prepared once and see each change', () => {
    const { kept, prepared } = opened();
    for (const name of ['kiwi', 'lime', 'pear']) kept.prepare('insert into fruit values (?)').run([name]);
    expect(kept.prepare('select * from fruit').all([])).toHaveLength(5);
    expect(kept.prepare('select * from fruit').all([])).toHaveLength(5);
    expect(prepared()).toBe(2);
  });

  it('live through changes of the schema', () => {
    const { database, kept } = opened();
    const all = () => kept.prepare('select * from fruit').all([]);
    expect(all()[0]).toEqual({ name: 'fig' });
    database.exec('alter table fruit add column colour text');
    expect(all()[0]).toEqual({ name: 'fig', colour: null });
    database.exec('drop table fruit');
    expect(all).toThrow(/no such table/);
    database.exec('create table fruit (weight integer); insert into fruit values (3)');
    expect(all()).toEqual([{ weight: 3 }]);
  });

  it('are not used twice at a time', () => {
    const { kept } = opened();
    const rows = kept.prepare('select name from fruit').iterate([]);
    rows.next();
    expect(kept.prepare('select name from fruit').all([])).toHaveLength(2);
  });

  it('are bounded: the longest unused goes first', () => {
    const { kept, prepared } = opened(2);
    for (const limit of [1, 2, 1, 3, 1]) kept.prepare(`select name from fruit limit ${limit}`);
    expect(prepared()).toBe(3);
    kept.prepare('select name from fruit limit 2');
    expect(prepared()).toBe(4);
  });

  it('are none but plain ones', () => {
    const { kept, prepared } = opened();
    for (let i = 0; i < 3; i += 1) kept.prepare('pragma user_version').all([]);
    expect(prepared()).toBe(3);
  });
});
