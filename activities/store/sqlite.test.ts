import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { storeContract } from './contract.ts';
import { openStore } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'wideseek-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('store on SQLite', () => {
  storeContract(() => openStore(`sqlite:${join(folder, 'new folder', 'store.db')}`));
});
