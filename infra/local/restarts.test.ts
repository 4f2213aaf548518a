import { expect, test } from 'vitest';
import { EXIT_CONFIG, restartCounter } from './restarts.ts';

const rules = { quickMs: 1_000, maxQuickDeaths: 3, firstDelayMs: 100, maxDelayMs: 150 };

test('the delay doubles up to its cap, then the counter gives up', () => {
  const counter = restartCounter(rules);
  expect(counter.died(10, 1)).toEqual({ delayMs: 100 });
  expect(counter.died(10, 1)).toEqual({ delayMs: 150 });
  expect(counter.died(10, 1)).toBe('give up');
});

test('a long life starts the count again', () => {
  const counter = restartCounter(rules);
  for (let n = 0; n < 20; n++) expect(counter.died(5_000, null)).toEqual({ delayMs: 100 });
  expect(counter.died(10, null)).toEqual({ delayMs: 150 });
});

test('a wrong configuration is not tried twice', () => {
  expect(restartCounter(rules).died(60_000, EXIT_CONFIG)).toBe('give up');
});
