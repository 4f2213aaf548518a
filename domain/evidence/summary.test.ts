import { expect, test } from 'vitest';
import { summariseEvidence } from './summary.ts';

test('counts cells in all and by column', () => {
  const source = { url: 'u', title: 't', quote: 'a long quote', page: 'p' };
  expect(
    summariseEvidence([
      { status: 'supported', row: 0, column: 'A', ...source },
      { status: 'unsupported', row: 0, column: 'B' },
      { status: 'supported', row: 1, column: 'A', ...source },
      { status: 'supported', row: 1, column: 'B', ...source },
    ]),
  ).toEqual({
    supported: 3,
    unsupported: 1,
    byColumn: { A: { supported: 2, unsupported: 0 }, B: { supported: 1, unsupported: 1 } },
  });
  expect(summariseEvidence([])).toEqual({ supported: 0, unsupported: 0, byColumn: {} });
});
