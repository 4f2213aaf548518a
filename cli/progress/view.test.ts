import { expect, test } from 'vitest';
import { sample } from '../testing/progress.ts';
import { createView } from './view.ts';

const sink = (isTTY: boolean) => {
  const texts: string[] = [];
  return { texts, out: { write: (text: string) => void texts.push(text), isTTY, columns: 80 } };
};

test('in a pipe a line is written when something changed, and a note once', () => {
  const { texts, out } = sink(false);
  const view = createView(out);
  view.progress(sample());
  view.progress(sample());
  view.progress(sample({ notes: ['slow'] }));
  view.progress(sample({ notes: ['slow'], turn: 3 }));
  view.end();
  expect(texts.map((text) => text.split(' · ').slice(0, 2).join(' '))).toEqual([
    ...['waiting for subagents turn 2/40', '! slow\n', 'waiting for subagents turn 3/40'],
  ]);
});

test('in a terminal the tree is redrawn in place and gone at the end', () => {
  const { texts, out } = sink(true);
  const view = createView(out);
  view.progress(sample());
  view.progress(sample());
  view.end();
  const erase = '\u001b[3A\u001b[0J';
  expect(texts.filter((text) => text === erase)).toHaveLength(2);
  expect(texts.at(-1)).toBe(erase);
});
