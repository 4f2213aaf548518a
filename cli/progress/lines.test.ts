import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth } from '../formats/width.ts';
import { sample } from '../testing/progress.ts';
import { fit, progressTree, summaryLine } from './lines.ts';

test('one line says where a run stands', () => {
  expect(summaryLine(sample())).toBe(
    'waiting for subagents · turn 2/40 · 2 agents · 1 search · 2 pages · 12k tokens · $0.01 · 1 row',
  );
});

test('the tree has a row per agent, the last notes, and says what it leaves out', () => {
  expect(progressTree(sample({ notes: ['a', 'b', 'c', 'd'] }), 80).slice(1)).toEqual([
    ...['lead  waiting', '└─ searching (turn 3)  capitals of Africa', '! b', '! c', '! d'],
  ]);
  const agents = Array.from({ length: 30 }, (_, n) => ({
    ...{ id: `s${n}`, role: 'subagent' as const, task: `task ${n}`, state: 'thinking', turns: 1 },
  }));
  expect(progressTree(sample({ agents }), 80).at(-1)).toBe('└─ and 17 more');
});

test('no line is wider than asked, whatever a model wrote, and none steers the terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 60 }), (text, width) => {
      const line = fit(text, width);
      expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect([...'\n\r\u001b'].some((control) => line.includes(control))).toBe(false);
    }),
  );
  expect(fit('国家首都', 5)).toBe('国家…');
});
