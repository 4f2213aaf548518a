// npm test [-- options and paths for vitest]: types, lint, format, then every test. All steps run; any failure counts.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';
import { root } from './run-cli.mjs';

const STEPS = [
  ['types', ['typescript', 'bin', 'tsc'], ['--noEmit']],
  ['lint', ['eslint', 'bin', 'eslint.js'], ['.']],
  ['format', ['prettier', 'bin', 'prettier.cjs'], ['--check', '--log-level', 'warn', '.']],
  ['tests', ['vitest', 'vitest.mjs'], ['run', ...process.argv.slice(2)]],
];

let current;
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => current && current.kill(signal));

const run = (tool, args) =>
  new Promise((resolve, reject) => {
    const program = join(root, 'node_modules', ...tool);
    current = spawn(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' });
    current.once('error', reject);
    current.once('exit', (code, signal) => resolve(signal ? { status: 1, signal } : { status: code }));
  });

const main = async () => {
  await ensureInstalled(root, true);
  const failed = [];
  for (const [name, tool, args] of STEPS) {
    console.error(`── ${name}`);
    const { status, signal } = await run(tool, args);
    if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(130);
    if (status !== 0) failed.push(name);
  }
  const checks = failed.filter((name) => name !== 'tests');
  if (checks.length > 0) console.error(`Failed before the tests: ${checks.join(', ')}; see above.`);
  process.exit(failed.length > 0 ? 1 : 0);
};

main().catch((error) => {
  console.error(`error: ${error.message}`);
  process.exit(1);
});
