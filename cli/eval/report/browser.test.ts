import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { loadEvaluation } from '../load.ts';
import { HOSTILE, madeEvaluation } from '../testing/made.ts';
import { writeRun } from '../write.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
const dir = mkdtempSync(join(tmpdir(), 'wideseek-browser-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The document as it is after its script ran. */
const dom = async (url: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    CHROMIUM ?? '',
    [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
      ...[`--user-data-dir=${mkdtempSync(join(dir, 'profile-'))}`, '--dump-dom', url],
    ],
    { maxBuffer: 64_000_000, timeout: 60_000 },
  );
  return stdout;
};

const report = async (runId: string, questions: number, text?: string): Promise<string> => {
  const store = await madeEvaluation({ runId, questions, samples: 2, text });
  const written = await writeRun(store, await loadEvaluation(store, runId), { cwd: dir, now: 0 });
  await store.close();
  return `file://${written.report}`;
};

// Shown as skipped where there is no browser.
const inBrowser = test.runIf(CHROMIUM !== undefined);

inBrowser('the list of questions and an opened question are shown', { timeout: 120_000 }, async () => {
  const page = await dom(`${await report('plain', 150)}#q60`);
  expect(page).toContain('100 of 150 shown, 150 questions');
  expect(page.match(/class="sample"/g)).toHaveLength(2);
  expect(page).toContain('Gold table: 5 rows');
  expect(page).toContain('class="bad"');
  expect(page).toContain('turn 2, subagent 1');
  expect(page).toMatch(/href="https:\/\/example\.org\/0"/);
});

inBrowser('hostile text is shown as text and runs nothing', { timeout: 120_000 }, async () => {
  const page = await dom(`${await report('hostile', 3, HOSTILE)}#q1`);
  const shown = page.replace(/<script[\s\S]*?<\/script>/g, '');
  expect(shown).toContain('&lt;img src=x');
  expect(shown).not.toMatch(/<img|href="javascript/);
  expect(page).toContain('class="sample"');
});
