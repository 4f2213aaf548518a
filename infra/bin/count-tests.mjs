// count-tests.mjs REPORT STATUS: one line from vitest's JSON report. A test file that could not even be loaded has no
// tests to count, so it counts as one failure; and so does a run that failed without a failed test.
import { readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);

const readReport = () => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { testResults: [] }; // the tests never ran
  }
};

const count = { passed: 0, failed: 0, skipped: 0 };
for (const { status: fileStatus, assertionResults } of readReport().testResults) {
  const failed = assertionResults.filter((test) => test.status === 'failed').length;
  const passed = assertionResults.filter((test) => test.status === 'passed').length;
  count.passed += passed;
  count.failed += failed === 0 && fileStatus === 'failed' ? 1 : failed;
  count.skipped += assertionResults.length - passed - failed;
}
if (status !== '0' && count.failed === 0) count.failed = 1;
console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
