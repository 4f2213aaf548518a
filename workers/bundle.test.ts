import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { workflowBundle } from './bundle.ts';

describe('the workflow bundle', () => {
  let modules: string[] = [];
  beforeAll(async () => {
    const { codePath } = await workflowBundle(join(tmpdir(), 'wideseek-test-bundles'));
    const code = await readFile(codePath, 'utf8');
    modules = [...code.matchAll(/^\/\*\*\*\/ "([^"]+)"$/gm)].map(([, path]) => path!);
  }, 120_000);

  it('names its modules, so that the next test can fail', () => {
    expect(modules).toContain('./workflows/seek.ts');
    expect(modules).toContain('./domain/agents/step.ts');
  });

  it('has no zod and no module with schemas: each workflow start evaluates all of it anew', () => {
    expect(modules.filter((path) => /\/zod\/|schema/.test(path))).toEqual([]);
  });

  it('has nothing but workflow code, pure code and the SDK', () => {
    const own = modules.filter((path) => path.startsWith('./') && !path.startsWith('./node_modules/'));
    expect(own.filter((path) => !/^\.\/(workflows|domain)\//.test(path))).toEqual([]);
  });
});
