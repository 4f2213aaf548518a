import { expect, it } from 'vitest';
import { createMarks, refsIn } from './marks.ts';

const name = (letter: string): string => letter.repeat(64);

it('finds names wherever they stand, also inside longer digits', () => {
  expect([...refsIn(`x "${name('a')}" y`)]).toEqual([name('a')]);
  expect([...refsIn(`1${name('a')}`)]).toEqual([`1${'a'.repeat(63)}`, name('a')]);
  expect([...refsIn('a'.repeat(63))]).toEqual([]);
});

it('marks a conversation back to its start, and lists the rest children first', () => {
  const message = (parent: string | null) => ({ parent, size: 1 });
  const marks = createMarks({
    blobs: new Map([
      [name('1'), 5],
      [name('2'), 5],
    ]),
    messages: new Map([
      [name('a'), message(null)],
      [name('b'), message(name('a'))],
      [name('c'), message(name('b'))],
      [name('d'), message(name('c'))],
      [name('e'), message(name('9'))],
    ]),
  });
  marks.markText(`{"head":"${name('b')}","ref":"${name('2')}"}`);
  expect(marks.unmarkedMessages().slice(0, 2)).toEqual([name('d'), name('c')]);
  expect(marks.unmarkedMessages()).toHaveLength(3);
  expect(marks.unmarkedBlobs()).toEqual([name('1')]);
  expect(marks.queue).toEqual([name('2')]);
});
