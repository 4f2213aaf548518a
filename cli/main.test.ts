import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readState } from '../infra/local/state.ts';
import { run } from './main.ts';
import { createProgram } from './program.ts';
import { testIo } from './testing/test-io.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'wideseek-cli-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const call = async (...args: string[]) => {
  const { io, written } = testIo({ env: { WIDESEEK_HOME: join(folder, 'home') }, cwd: folder });
  return { status: await run(args, io), ...written };
};

test('every command has help with examples and exit statuses', async () => {
  const { io } = testIo({ env: {}, cwd: folder });
  const names = createProgram(io, { done: () => undefined }).commands.map((each) => each.name());
  expect(names).toContain('ask');
  for (const name of names) {
    const { status, stdout } = await call(name, '--help');
    expect(status).toBe(0);
    expect(stdout).toMatch(/Examples:\n {2}\$ .*wideseek /);
    expect(stdout).toContain('130  interrupted');
  }
});

test.each([
  [['ask', 'q', '--set', 'nonsense'], '--set: "nonsense" is not key=value'],
  [['ask', 'q', '--set', 'agents.nonsense=4'], 'set.agents.nonsense: unknown key'],
  [['ask', 'q', '--set', 'agents.width=many'], 'set.agents.width: '],
  [['ask', 'q', '--config', 'nonsense'], 'config: there is no configuration "nonsense". Known: '],
  [['ask', '  '], 'question: must not be empty'],
  [['ask', 'q', '--format', 'pdf'], 'format: "pdf" is not known'],
  [['ask', 'q', '--format', 'xlsx'], '--format: xlsx is not text and needs a file'],
  [['ask', 'q', '--format', 'csv', '--json'], '"csv" and --json both want stdout'],
  [['ask', 'q', '--output', 'answer'], '--output: "answer" has no ending'],
  [['ask', 'q', '--max-usd', 'much'], '--max-usd: "much" is not an amount above 0'],
  [['ask', 'q', '--corpus', 'nonsense'], 'there is no corpus configuration'],
  [
    ['ask', 'q', '--max-usd', '0.5', '--config', 'two-models'],
    'budget.usd: the price of the model "big" (lead) is not known, so a ceiling of $0.5 cannot be kept',
  ],
  [['index', 'nonsense'], 'there is no corpus configuration'],
  [['show', 'nonsense'], 'there is no run "nonsense". `wideseek runs` lists them'],
  [['watch', 'nonsense'], 'there is no run "nonsense"'],
  [['clarify', 'nonsense'], 'there is no run "nonsense"'],
  [['cancel', 'nonsense'], 'there is no run "nonsense"'],
  [['resume', 'nonsense'], 'there is no run "nonsense"'],
  [['export', 'nonsense'], 'there is no run "nonsense"'],
  [['runs', '--limit', '0'], '--limit: "0" is not a whole number from 1'],
  [['up', '--port', 'x'], '--port: "x" is not a whole number'],
  [['nonsense'], "unknown command 'nonsense'"],
  [['ask', '--nonsense'], "unknown option '--nonsense'"],
])('%j is invalid input: status 2, one message, nothing started', async (args, message) => {
  const { status, stdout, stderr } = await call(...args);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(status).toBe(2);
  if (!args.includes('--json')) expect(stdout).toBe('');
  expect(readState(join(folder, 'home', 'stack.json'))).toBeNull();
});

test('a corpus of one’s own is not built on the way to an answer: that may take days', async () => {
  const file = join(folder, 'mine.yaml');
  writeFileSync(file, 'name: mine\nsources: [{ kind: pages, path: pages.jsonl }]\n');
  const { status, stderr } = await call('ask', 'q', '--set', `search.corpus=${file}`);
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /the search index of the corpus .* is not built\. Build it, which may take long: wideseek index/,
  );
});

test('with --json an error is one object on stdout as well', async () => {
  const { status, stdout } = await call('show', 'nonsense', '--json');
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    error: { type: 'NotFound', message: 'there is no run "nonsense". `wideseek runs` lists them' },
  });
});

test('a fresh home: no runs, nothing to stop, no worker without a server', async () => {
  expect((await call('runs')).stdout).toMatch(/^No runs yet/);
  expect(JSON.parse((await call('runs', '--json')).stdout)).toEqual({ runs: [] });
  expect((await call('down')).stdout).toBe('Nothing was running.\n');
  expect(await call('worker')).toMatchObject({ status: 5, stdout: '' });
});
