import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter, StorageDriverClaim, type Payload } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../test/support/engine.ts';
import { createPayloadDriver, createPayloadStorage, payloadStorageProblem } from './external-storage.ts';
import { sha256 } from './hashing.ts';
import { openStore } from './open.ts';
import type { Store } from './port.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore('sqlite::memory:');
});
afterAll(() => store.close());

describe('payload driver', () => {
  it('gives payloads back in order, metadata and bytes', async () => {
    const driver = createPayloadDriver(store);
    const payloads: Payload[] = [
      defaultPayloadConverter.toPayload({ text: '月'.repeat(10_000) }),
      defaultPayloadConverter.toPayload(new Uint8Array([0, 255, 1])),
      { metadata: { encoding: new TextEncoder().encode('binary/null') } },
    ];
    const claims = await driver.store({}, payloads);
    // What arrives at another process is a copy that went through the server.
    const copies = claims.map(
      ({ claimData }) =>
        new StorageDriverClaim(JSON.parse(JSON.stringify(claimData)) as Record<string, string>),
    );
    const back = await driver.retrieve({}, copies);
    expect(defaultPayloadConverter.fromPayload(back[0]!)).toEqual({ text: '月'.repeat(10_000) });
    expect(defaultPayloadConverter.fromPayload(back[1]!)).toEqual(new Uint8Array([0, 255, 1]));
    expect(back[2]).toEqual({ metadata: payloads[2]!.metadata, data: Buffer.alloc(0) });
    expect(JSON.stringify(claims[0]!.claimData).length).toBeLessThan(300);
  });

  it('fails clearly for what is gone or not a claim, and stops when aborted', async () => {
    const driver = createPayloadDriver(store);
    const gone = new StorageDriverClaim({ ref: sha256('gone'), metadata: '{}' });
    await expect(driver.retrieve({}, [gone])).rejects.toMatchObject({ type: 'NotFound' });
    const foreign: Record<string, string>[] = [
      { key: 'of another driver' },
      { ref: 'x', metadata: 'no json' },
    ];
    for (const claimData of foreign)
      await expect(driver.retrieve({}, [new StorageDriverClaim(claimData)])).rejects.toMatchObject({
        type: 'Internal',
      });
    await expect(driver.store({ abortSignal: AbortSignal.abort() }, [{}])).rejects.toThrow(/abort/i);
  });
});

describe.runIf(payloadStorageProblem())('an installation with several copies of protobufjs', () => {
  it('is refused when the storage is made, not when the first large payload fails', () => {
    expect(() => createPayloadStorage(store)).toThrow(/protobufjs is installed more than once/);
  });
});

const reason = payloadStorageProblem() ?? '';
if (reason) console.warn(`skipped: payloads on a Temporal server: ${reason}`);

describe.skipIf(reason)(`payloads on a Temporal server${reason && ` (skipped: ${reason})`}`, () => {
  let server: TestServer;
  let address: string;
  let connection: Connection;
  beforeAll(async () => {
    server = await startTestServer();
    address = server.address;
    connection = await Connection.connect({ address });
  });
  afterAll(async () => {
    await connection?.close();
    await server?.stop();
  });

  it(
    'a result of 3 MB passes through a workflow and its history stays small',
    { timeout: 120_000 },
    async () => {
      const bytes = 3 * 1024 * 1024;
      const dataConverter = createPayloadStorage(store);
      const native = await NativeConnection.connect({ address });
      const worker = await Worker.create({
        connection: native,
        dataConverter,
        taskQueue: 'payloads',
        workflowsPath: fileURLToPath(new URL('./fixtures/payload-workflow.ts', import.meta.url)),
        activities: {
          makeLarge: async (length: number) => 'x'.repeat(length),
          measure: async (text: string) => text.length,
        },
      });
      const client = new Client({ connection, dataConverter });
      const input = 'y'.repeat(bytes);
      const { description, result } = await worker.runUntil(async () => {
        const handle = await client.workflow.start('passLarge', {
          taskQueue: 'payloads',
          workflowId: 'pass-large',
          args: [input, bytes],
          workflowExecutionTimeout: '60 seconds',
        });
        return { result: (await handle.result()) as unknown, description: await handle.describe() };
      });
      expect(result).toEqual({ measured: 2 * bytes, text: 'x'.repeat(bytes) });
      expect(description.historySize).toBeLessThan(20_000);
      await native.close();
    },
  );
});
