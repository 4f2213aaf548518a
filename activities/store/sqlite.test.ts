import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { storeContract } from './fixtures/contract.ts';
import { migrate } from './migrations.ts';
import { createStore, openStore } from './open.ts';
import { processContract } from './fixtures/process-contract.ts';
import { openSqlite } from './sqlite.ts';

const folder = mkdtempSync(join(tmpdir(), 'wideseek-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openParts = async (name: string, lockDeadlineMs?: number) => {
  const db = await openSqlite(join(folder, name), `sqlite:${name}`, lockDeadlineMs);
  await migrate({ db, dialect: 'sqlite' });
  return { db, store: createStore({ db, dialect: 'sqlite' }) };
};

describe('store on SQLite', () => {
  storeContract(() => openStore(`sqlite:${join(folder, 'new folder', 'store.db')}`));
});

describe('SQLite store and processes', () => {
  processContract(() => join(folder, 'processes.db'));
});

describe('a full disk', () => {
  it('is a retryable StorageFull, loses nothing, and ends when there is room again', async () => {
    const { db, store } = await openParts('full.db');
    const kept = await store.put('written before');
    await sql`pragma max_page_count = 40`.execute(db);
    const full = {
      type: 'StorageFull',
      retryable: true,
      message: expect.stringContaining('Free space') as string,
    };
    const large = randomBytes(400_000);
    await expect(store.putBytes(large)).rejects.toMatchObject(full);
    // Fill what is left, so that a transaction runs into the limit in its middle.
    await expect(
      (async () => {
        for (let i = 0; i < 10_000; i += 1)
          await store.budgets.settle(`run ${i} ${'x'.repeat(500)}`, 'key', { tokens: 1, microUsd: 0 });
      })(),
    ).rejects.toMatchObject(full);
    expect(await store.get(kept)).toBe('written before');

    await sql`pragma max_page_count = 10000`.execute(db);
    expect(Buffer.compare(await store.getBytes(await store.putBytes(large)), large)).toBe(0);
    await store.budgets.settle('after', 'key', { tokens: 1, microUsd: 0 });
    expect(await store.budgets.spent('after')).toEqual({ tokens: 1, microUsd: 0 });
    await store.close();
  });
});

describe('a locked database', () => {
  const heldLock = () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    return { held, release: (): void => release() };
  };

  it('is waited for without blocking the process', async () => {
    const { db, store } = await openParts('patient.db');
    const { store: waiting } = await openParts('patient.db');
    const lock = heldLock();
    const holder = db.transaction().execute(() => lock.held);
    await sleep(20);
    let written = false;
    const writing = waiting.journal.record('late', 'run', 1).then(() => (written = true));
    // A wait that blocked the process would never come to the release.
    for (let beats = 0; beats < 50; beats += 1) await sleep(5);
    expect(written).toBe(false);
    lock.release();
    await Promise.all([holder, writing]);
    expect(await store.journal.recall('late')).toBe(1);
    await Promise.all([store.close(), waiting.close()]);
  });

  it('is Overloaded after the deadline', async () => {
    const { db, store } = await openParts('locked.db');
    const { store: waiting } = await openParts('locked.db', 100);
    const lock = heldLock();
    const holder = db.transaction().execute(() => lock.held);
    await sleep(20);
    await expect(waiting.journal.record('k', 'run', 1)).rejects.toMatchObject({
      type: 'Overloaded',
      retryable: true,
    });
    lock.release();
    await holder;
    await Promise.all([store.close(), waiting.close()]);
  });
});

describe('content that is written again', () => {
  it('is as young as that writing: a collection whose marks are older leaves it', async () => {
    const { db, store } = await openParts('renewed.db');
    const large = 'a page '.repeat(5000);
    const message = { role: 'user' as const, content: 'asked again' };
    const written = async () => [
      await store.put('small'),
      await store.put(large),
      await store.conversations.append(null, [message]),
    ];
    const names = await written();
    const dead = await store.put('never again');
    for (const table of ['blobs', 'messages'] as const)
      await db.updateTable(table).set({ written_at: 1 }).execute();
    expect(await written()).toEqual(names);
    await store.retention.collect({ now: 2, forget: [], keepSince: Date.now() - 60_000, dryRun: false });
    expect([await store.get(names[0]!), await store.get(names[1]!)]).toEqual(['small', large]);
    expect(await store.conversations.read(names[2]!)).toEqual([message]);
    await expect(store.get(dead)).rejects.toMatchObject({ type: 'NotFound' });
    await store.close();
  });

  it('is what a continued conversation stands on: nothing removes its past', async () => {
    const { db, store } = await openParts('continued.db');
    const head = await store.conversations.append(null, [{ role: 'user', content: 'old' }]);
    await db.updateTable('messages').set({ written_at: 1 }).execute();
    const next = await store.conversations.append(head, [{ role: 'assistant', content: 'new' }]);
    await store.retention.collect({ now: 2, forget: [], keepSince: Date.now() - 60_000, dryRun: false });
    expect(await store.conversations.read(next)).toHaveLength(2);
    await store.close();
  });
});

describe('damage', () => {
  it('of content is noticed when it is read', async () => {
    const { db, store } = await openParts('damaged.db');
    const page = 'The true text of the page. '.repeat(1000);
    const ref = await store.put(page);
    const other = await db
      .selectFrom('blobs')
      .selectAll()
      .where('hash', '=', await store.put(page + page))
      .executeTakeFirstOrThrow();
    await db.updateTable('blobs').set({ bytes: other.bytes }).where('hash', '=', ref).execute();
    await expect(store.get(ref)).rejects.toMatchObject({ type: 'Internal' });
    await db
      .updateTable('blobs')
      .set({ bytes: Buffer.from('no zlib') })
      .where('hash', '=', ref)
      .execute();
    await expect(store.get(ref)).rejects.toMatchObject({ type: 'Internal' });
    await store.close();
  });

  it('of the file, a newer schema and an impossible place are configuration errors', async () => {
    const file = join(folder, 'not-a-database.db');
    writeFileSync(file, 'plain text '.repeat(1000));
    await expect(openStore(file)).rejects.toMatchObject({ type: 'ConfigError' });
    await expect(openStore(join(file, 'below', 'a-file.db'))).rejects.toMatchObject({ type: 'ConfigError' });
    await expect(openStore(folder)).rejects.toMatchObject({ type: 'ConfigError' });

    const { db, store } = await openParts('newer.db');
    await sql`insert into kysely_migration values ('9999-future', 'now')`.execute(db);
    await store.close();
    await expect(openStore(join(folder, 'newer.db'))).rejects.toMatchObject({ type: 'ConfigError' });
  });
});

describe('speed', () => {
  it('reads a conversation of 200 messages in milliseconds', async () => {
    const store = await openStore(join(folder, 'speed.db'));
    const content = 'A search result about a moon. '.repeat(100);
    const head = await store.conversations.append(
      null,
      Array.from({ length: 200 }, (_, i) => ({ role: 'user' as const, content: `${i} ${content}` })),
    );
    // Time on the processor, so that a busy machine does not decide; 1.7 ms where measured.
    const times: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      const before = process.cpuUsage();
      await store.conversations.read(head);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    expect(Math.min(...times)).toBeLessThan(12);
    await store.close();
  });
});
