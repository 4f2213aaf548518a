import { describe, expect, it } from 'vitest';
import type { CpuUse } from './cpu.ts';
import { readOptions } from './options.ts';
import { printLatency, printThroughput } from './report.ts';
import { median, quantile } from './stats.ts';

const use = (wallMs: number, server: number): CpuUse => ({
  wallMs,
  seconds: { driver: 0.5, server },
  othersCores: 1.24,
  stalled: 0.5,
});
const shape = { fanouts: 2, width: 5, turns: 5 };

describe('statistics', () => {
  it('takes the middle', () => {
    expect(median([9, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('takes the nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(quantile(values, 0.5)).toBe(50);
    expect(quantile(values, 0.99)).toBe(99);
    expect(quantile([7], 0.99)).toBe(7);
  });
});

describe('the report', () => {
  it('shows median, spread and CPU of each contestant', () => {
    const row = {
      contestant: 'ours',
      latency: { modelMs: 200, toolMs: 50 },
      criticalPathMs: 3000,
      ratios: [1.3, 1.1, 1.2],
      uses: [use(3900, 1), use(3300, 3), use(3600, 2)],
    };
    const text = printLatency(shape, [row], { workflows: 11, events: 600, bytes: 102_400 });
    expect(text).toMatch(/53 model and 40 tool calls/);
    expect(text).toMatch(/ours +1\.200 +1\.100–1\.300 +3\.60 +2\.00 +0\.00 +0\.50 +1\.2 \(50%\)/);
    expect(text).toMatch(/11 workflows, 600 events, 100 KB/);
  });

  it('shows CPU milliseconds a turn', () => {
    const row = { contestant: 'ours', concurrency: 10, turns: 1000, rates: [99.6], uses: [use(10_000, 8)] };
    expect(printThroughput(shape, [row])).toMatch(/ours +10 +100 +100–100 +8\.00 +0\.00 +0\.50/);
  });
});

describe('the command line', () => {
  it('has the published sizes unless told otherwise', () => {
    const usual = readOptions([]);
    expect(usual).toMatchObject({ shape, runs: 3, concurrencies: [1, 10, 50], json: null });
    expect([...usual.parts]).toEqual([
      'a',
      'b',
      'c',
      'd',
      'pages',
      'train-async',
      'train-batch',
      'train-engine',
    ]);
    expect(readOptions(['b', '--quick', '--runs', '2', '--latencies', '1/2'])).toMatchObject({
      runs: 2,
      latencies: [{ modelMs: 1, toolMs: 2 }],
      concurrencies: [1, 10],
    });
  });

  it.each([
    [['e'], /no part e/],
    [['--runs', '0'], /--runs must be a whole number from 1, not 0/],
    [['--latencies', 'fast'], /--latencies must look like 200\/50/],
    [['--concurrency', '1,x'], /--concurrency/],
    [['--wdith', '3'], /wdith/],
  ])('refuses %j', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
