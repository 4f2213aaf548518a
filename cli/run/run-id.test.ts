import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newRunId, slugOf } from './run-id.ts';

test('reads well: time, telling words, four random characters', () => {
  const id = newRunId(
    'Which landlocked countries are in Africa? Give …',
    Date.UTC(2026, 10, 30, 6, 15),
    () => 35,
  );
  expect(id).toBe('20261130-0615-landlocked-countries-africa-zzzz');
});

test.each([
  ['Quelles sont les îles de la mer Égée', 'quelles-sont-les-iles-de-la'],
  ['所有非洲的内陆国家', 'question'],
  ['the of and', 'question'],
  ['x'.repeat(99), 'x'.repeat(28)],
])('%s', (question, slug) => expect(slugOf(question)).toBe(slug));

test('any question gives an id that is safe as a file name and sorts by time', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.nat({ max: 4e12 }),
      fc.nat({ max: 4e12 }),
      (question, a, b) => {
        const id = newRunId(question, a, (below) => below - 1);
        expect(id).toMatch(/^\d{8}-\d{4}-[a-z0-9-]{1,28}-[a-z0-9]{4}$/);
        const minute = (ms: number): number => Math.floor(ms / 60_000);
        const later = newRunId(question, b, () => 0);
        if (minute(b) > minute(a)) expect(later > id).toBe(true);
      },
    ),
  );
});
