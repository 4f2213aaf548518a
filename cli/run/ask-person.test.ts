import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sample } from '../testing/progress.ts';
import { testIo } from '../testing/test-io.ts';
import { withPerson } from './ask-person.ts';

const ASKS = { id: 'q1', question: 'Men or women?', fallback: 'men', until: Date.now() + 60_000 };

const desk = (readLine?: (signal: AbortSignal) => Promise<string | null>, refuse = false) => {
  const { io } = testIo({ env: {}, cwd: '/' });
  const seen: string[] = [];
  const sent: unknown[] = [];
  const handle = {
    executeUpdate: async (name: string, { args }: { args: unknown[] }) => {
      if (refuse) throw new Error('the run has no open question');
      sent.push([name, ...args]);
    },
  };
  const base = {
    progress: () => void seen.push('progress'),
    note: (line: string) => void seen.push(line),
    end: () => void seen.push('end'),
  };
  const view = withPerson({ ...io, ...(readLine ? { readLine } : {}) }, handle as never, base);
  return { view, seen, sent, base };
};

test('the question is asked once, nothing is redrawn meanwhile, the answer is sent', async () => {
  let type: (line: string) => void = () => undefined;
  const { view, seen, sent } = desk(() => new Promise((resolve) => (type = resolve)));
  view.progress(sample());
  view.progress(sample({ asks: ASKS }));
  view.progress(sample({ asks: ASKS }));
  expect(seen.filter((line) => line === 'progress')).toHaveLength(1);
  expect(seen.filter((line) => line === '? Men or women?')).toHaveLength(1);
  expect(seen.join('\n')).toMatch(/within \d+ s\); an empty line means: men/);
  type('women ');
  await sleep(0);
  expect(sent).toEqual([['clarify', 'women']]);
  view.progress(sample());
  expect(seen.at(-1)).toBe('progress');
});

test('an empty line is the default', async () => {
  const { view, sent } = desk(async () => '');
  view.progress(sample({ asks: ASKS }));
  await sleep(0);
  expect(sent).toEqual([['clarify', 'men']]);
});

test('a question that is gone is not waited for, and a late answer is said', async () => {
  const waiting = desk(
    (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))),
  );
  waiting.view.progress(sample({ asks: ASKS }));
  waiting.view.progress(sample());
  await sleep(0);
  expect(waiting.sent).toEqual([]);
  expect(waiting.seen).toContain('No answer in time; the run goes on.');
  const late = desk(async () => 'women', true);
  late.view.progress(sample({ asks: ASKS }));
  await sleep(0);
  expect(late.seen.at(-1)).toMatch(/came too late/);
});

test('where nobody sits, it is the view itself', () => {
  const { view, base } = desk();
  expect(view).toBe(base);
});
