import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reader } from 'protobufjs/minimal.js';
import { expect, test } from 'vitest';
import { openStore } from '../../../activities/store/open.ts';
import { madeEval, madeReport, madeRun, madeStep } from '../testing/made.ts';
import { chartsOf } from './charts.ts';
import { eventBytes, maskedCrc, tfRecord } from './events.ts';
import { trainPage } from './page.ts';
import { writeTrainReport } from './write.ts';

test('every number that a run has is a curve, and what it has not is left out', () => {
  const { steps, evals } = madeReport();
  const charts = chartsOf(steps, evals);
  const titles = charts.map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(['Reward', 'Item F1', 'Trainer idle', 'Clipped tokens']));
  expect(titles).not.toContain('Loss of supervised training');
  const scores = charts.find(({ title }) => title === 'Item F1');
  expect(new Set(scores?.marks.map(({ series }) => series))).toEqual(
    new Set(['training, sampled', 'dev, temperature 1', 'dev, greedy']),
  );
  const staleness = charts.find(({ title }) => title.startsWith('Staleness'));
  expect(staleness?.marks.filter(({ x }) => x === 1).map(({ y }) => y)).toEqual([0.8, 0.2]);
});

test('an evaluation without scores is a gap, not a zero', () => {
  const [scores] = chartsOf([], [madeEval(0, null)]);
  expect(scores?.marks.map(({ series }) => series)).toEqual(['dev, greedy']);
  expect(chartsOf([], [])).toEqual([]);
});

test('the page is one file with drawn charts that loads nothing, and data cannot become markup', () => {
  const page = trainPage(madeReport());
  expect(page.match(/<figcaption>/g)?.length).toBeGreaterThan(8);
  expect(page).toMatch(/<svg[^>]*>[\s\S]*<path/);
  expect(page).toContain('0.350 → 0.500');
  const once = trainPage({ ...madeReport(), evals: madeReport().evals.slice(-1) });
  expect(once).not.toContain('→ 0.500');
  expect(once).toContain('0.500');
  expect(page).toContain('&lt;mini &amp; co&gt;');
  expect(page).not.toMatch(/<script|src=|href="http|url\(http/);
});

test('event files are TFRecords with the checksums that readers verify', () => {
  // The CRC-32C of "123456789" is e3069283; masked as TFRecord wants it.
  const crc = 0xe3069283;
  expect(maskedCrc(Buffer.from('123456789'))).toBe((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0);
  const record = tfRecord(Buffer.from('abc'));
  expect(record.readBigUInt64LE(0)).toBe(3n);
  expect(record).toHaveLength(8 + 4 + 3 + 4);

  const bytes = eventBytes({ run: madeRun, steps: [madeStep(4, {})], evals: [madeEval(5, 0.5)] });
  const events: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = Number(bytes.readBigUInt64LE(at));
    events.push(bytes.subarray(at + 12, at + 12 + length));
    at += 16 + length;
  }
  expect(events).toHaveLength(3);
  expect(events[0]?.toString('latin1')).toContain('brain.Event:2');
  const reader = Reader.create(events[1] ?? new Uint8Array());
  expect([reader.uint32() >> 3, reader.double()]).toEqual([1, 1_700_000_040]);
  expect([reader.uint32() >> 3, Number(reader.int64())]).toEqual([2, 5]);
  expect(events[2]?.toString('latin1')).toContain('dev/sampled/rollout/score');
});

test('files are written from what is stored, again and again; a run without steps has none', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'wideseek-report-'));
  const store = await openStore(`sqlite:${join(dir, 'store.db')}`);
  try {
    const { runId } = madeRun;
    expect(await writeTrainReport(store, runId, { cwd: dir })).toBeNull();
    await store.runs.save(madeRun);
    const settingsRef = await store.put('{}');
    const startedAt = madeRun.startedAt;
    await store.documents.put('trainings', runId, {
      runId,
      settingsRef,
      configHash: '',
      startedAt,
      state: null,
    });
    for (const step of [0, 1]) await store.documents.put(`steps/${runId}`, String(step), madeStep(step));
    for (let time = 0; time < 2; time += 1) {
      const written = await writeTrainReport(store, runId, { cwd: dir });
      expect(written).toMatchObject({ steps: 2, folder: join('wideseek-runs', runId) });
    }
    const folder = join(dir, 'wideseek-runs', runId);
    expect(readdirSync(folder).sort()).toEqual([
      'events.out.tfevents.1700000000.wideseek',
      'metrics.jsonl',
      'report.html',
    ]);
    const lines = readFileSync(join(folder, 'metrics.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { step: 0, 'rollout/score': 0.3, staleness: { 0: 80 } },
      { step: 1, 'rollout/score': 0.31 },
    ]);
  } finally {
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
});
