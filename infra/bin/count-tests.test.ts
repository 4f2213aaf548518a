import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'wideseek-count-'))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const count = (report: string, status: string): string => {
  const file = join(folder, 'report.json');
  writeFileSync(file, report);
  const script = fileURLToPath(new URL('./count-tests.mjs', import.meta.url));
  return execFileSync(process.execPath, [script, file, status], { encoding: 'utf8' });
};
const report = (...files: [string, string[]][]): string =>
  JSON.stringify({
    testResults: files.map(([status, tests]) => ({
      status,
      assertionResults: tests.map((each) => ({ status: each })),
    })),
  });

test('counts passed, failed and skipped tests on a line of its own', () => {
  const text = report(['failed', ['passed', 'failed', 'pending']], ['passed', ['passed', 'todo', 'skipped']]);
  expect(count(text, '1')).toBe('2 passed, 1 failed, 3 skipped\n');
});

test('a file that cannot be loaded, and checks that fail before the tests, are failures', () => {
  expect(count(report(['failed', []], ['passed', ['passed']]), '1')).toBe('1 passed, 1 failed, 0 skipped\n');
  expect(count(report(['passed', ['passed']]), '1')).toBe('1 passed, 1 failed, 0 skipped\n');
  expect(count('', '1')).toBe('0 passed, 1 failed, 0 skipped\n');
});
