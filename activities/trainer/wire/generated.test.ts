import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const committed = join(root, 'activities/trainer/wire/gen');

test('the generated code is what wire.proto generates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-'));
  try {
    execFileSync(
      join(root, 'node_modules/.bin/buf'),
      ['generate', 'engines/wire', '--template', 'engines/wire/buf.gen.yaml', '-o', folder],
      { cwd: root },
    );
    const names = readdirSync(join(folder, 'gen')).sort();
    expect(readdirSync(committed).sort()).toEqual(names);
    for (const name of names)
      expect(readFileSync(join(committed, name), 'utf8'), `run \`npm run generate\`: ${name}`).toBe(
        readFileSync(join(folder, 'gen', name), 'utf8'),
      );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
