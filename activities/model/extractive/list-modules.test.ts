import { describe, expect, test } from 'vitest';
import { confirming, fits, saysNumbers, urlsOf, widest } from './list-choice.ts';
import type { Entry } from './list-entries.ts';
import { harvest, pool } from './list-fallback.ts';
import { intersect, unique } from './list-members.ts';
import { narrower, phraseOf, wordings } from './list-queries.ts';
import { continued, read, search, unread } from './list-steps.ts';
import { knowing } from './memory.fake.ts';

const entry = (name: string, value = ''): Entry => ({ name, details: value ? [{ label: '', value }] : [] });
const BUDGET = { turns: 5, width: 2 };
const RIVERS = {
  title: 'List of rivers of Arda',
  text: '# List of rivers of Arda\n\n- Anduin\n- Isen\n- Lune\n- Brandywine\n',
};
const LONG = {
  title: 'List of long rivers',
  text: '# List of long rivers\n\n- Anduin\n- Lune\n- Nile\n',
};

describe('members', () => {
  test('both lists’ details stay with a member of both, whatever its accents and article', () => {
    expect(intersect([entry('The Isen', 'a'), entry('Lune')], [entry('isén', 'b')])).toEqual([
      {
        name: 'The Isen',
        details: [
          { label: '', value: 'a' },
          { label: '', value: 'b' },
        ],
      },
    ]);
  });
  test('the first of equal names stays; what has no name goes', () => {
    expect(unique([entry('Isen'), entry('isen'), entry('…')]).map(({ name }) => name)).toEqual(['Isen']);
  });
});

describe('queries', () => {
  test('the class, a list of it, and a list of what it is tied to; none twice', () => {
    const asked = wordings(
      'rivers in the kingdom of Arda',
      'rivers in the kingdom of Arda',
      'river',
      false,
    ).map(({ query }) => query);
    expect(asked).toEqual(
      expect.arrayContaining([
        'rivers in the kingdom of Arda',
        'list of rivers in the kingdom of Arda',
        'list of kingdom',
        'rivers of kingdom',
      ]),
    );
    expect(new Set(asked).size).toBe(asked.length);
  });
  test('Chinese classes are asked for as lists', () => {
    const asked = wordings('属于北方的河流', '属于北方的河流', '河流', true).map(({ query }) => query);
    expect(asked).toEqual(expect.arrayContaining(['属于北方的河流', '属于北方的河流列表']));
  });
  test('open terms keep the words of the phrase', () => {
    expect(phraseOf(['northern'], 'Northern rivers')).toBe('Northern');
    expect(narrower(['northern'], 'Northern rivers', 'rivers').map(({ query }) => query)).toEqual([
      'rivers Northern',
      'list of Northern rivers',
    ]);
    expect(narrower(['北方'], '北方的河流', '河流').map(({ query }) => query)).toEqual([
      '北方河流',
      '北方列表',
    ]);
  });
});

describe('steps', () => {
  const queries = ['a', 'b', 'c'].map((query) => ({ query, count: 8 }));
  test('searches what was not asked, as much as one turn allows', () => {
    expect(search(queries, knowing([], [], ['a']), BUDGET)).toEqual({
      kind: 'search',
      queries: queries.slice(1),
    });
    expect(search(queries, knowing([], [], ['a', 'b', 'c']), BUDGET)).toBeNull();
  });
  test('reads what the first searches brought before it searches on', () => {
    expect(search(queries, knowing([], [RIVERS], ['a']), BUDGET)).toBeNull();
    expect(read(['rivers of Arda'], knowing([], [RIVERS]), BUDGET)).toMatchObject({
      kind: 'access',
      wants: [{ intent: 'the complete list of rivers of Arda' }],
    });
  });
  test('reads only what fits and was not read; never more than ten pages', () => {
    expect(
      unread(['rivers of Arda'], knowing([RIVERS], [{ title: 'Bread', text: 'Bread is baked.' }]), 3),
    ).toEqual([]);
    const many = Array.from({ length: 10 }, (_, n) => ({ title: `Page ${n}`, text: '' }));
    expect(read(['rivers of Arda'], knowing(many, [RIVERS]), BUDGET)).toBeNull();
  });
  test('goes on with a page that was cut', () => {
    const memory = knowing([{ ...RIVERS, part: 1, parts: 3 }]);
    const [best] = fits('rivers of Arda', 'river', memory);
    expect(continued(memory, best!)).toMatchObject({ kind: 'access', wants: [{ page: 2 }] });
    const whole = knowing([RIVERS]);
    expect(continued(whole, fits('rivers of Arda', 'river', whole)[0]!)).toBeNull();
  });
});

describe('choice', () => {
  test('the list about the class comes first, with the page it stands on', () => {
    const memory = knowing([LONG, RIVERS]);
    const ranked = fits('rivers of Arda', 'river', memory);
    expect(ranked[0]?.list.title).toBe(RIVERS.title);
    expect(widest(ranked)).toBe(ranked[0]);
    expect(urlsOf([ranked[0]!], memory)).toEqual([memory.pages[1]?.url]);
  });
  test('nothing read, nothing chosen', () => {
    expect(fits('rivers of Arda', 'river', knowing([]))).toEqual([]);
    expect(widest([])).toBeUndefined();
  });
  test('a second list confirms open terms only where it shares members', () => {
    const memory = knowing([RIVERS, LONG]);
    const first = { ...fits('rivers of Arda', 'river', memory)[0]!, open: ['long'] };
    const second = confirming(first, 'long rivers', 'river', memory);
    expect(second?.list.title).toBe(LONG.title);
    expect(confirming({ ...first, entries: [entry('Danube')] }, 'long rivers', 'river', memory)).toBeNull();
  });
  test('numbers of a condition have to stand in the list’s title', () => {
    const memory = knowing([
      {
        ...LONG,
        title: 'List of rivers over 500 km',
        text: LONG.text.replace('long rivers', 'rivers over 500 km'),
      },
    ]);
    const [fit] = fits('rivers over 500 km', 'river', memory);
    expect(saysNumbers(fit!, 'rivers over 500 km')).toBe(true);
    expect(saysNumbers(fit!, 'rivers over 700 km')).toBe(false);
    expect(saysNumbers(fit!, 'long rivers')).toBe(false);
  });
});

describe('fallbacks', () => {
  const condition = { kind: 'quality' as const, text: 'long' };
  test('lists are pooled only while conditions are left to check their members by', () => {
    const memory = knowing([RIVERS, LONG]);
    expect(pool('rivers', 'river', memory, []).entries).toEqual([]);
    const names = pool('rivers', 'river', memory, [condition]).entries.map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['Anduin', 'Isen', 'Lune', 'Brandywine', 'Nile']));
  });
  test('items are harvested only from pages that say what they are', () => {
    const hits = [
      { title: 'Isen', text: 'Isen is a navigable river.' },
      { title: 'Lune', text: 'Lune is a river.' },
    ];
    expect(
      harvest('navigable rivers', 'river', knowing([], hits), []).entries.map(({ name }) => name),
    ).toEqual(['Isen']);
    expect(harvest('rivers', 'river', knowing([], hits), []).entries).toEqual([]);
  });
});
