import { createRequire } from 'node:module';
import {
  ExternalStorage,
  StorageDriverClaim,
  type DataConverter,
  type Payload,
  type StorageDriver,
} from '@temporalio/common';
import { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';
import type { Blobs } from './port.ts';

/** Written into workflow histories: never change them, or old references cannot be followed. */
const DRIVER_NAME = 'wideseek-store';
const DRIVER_TYPE = 'wideseek.store';
const DEFAULT_THRESHOLD = 256 * 1024;

/** `ref` names the payload's data in the store; `metadata` is JSON of its metadata, values in base64. */
const claimSchema = z.object({ ref: z.string(), metadata: z.string() });
const metadataSchema = z.record(z.string(), z.string());

const claimOf = (ref: string, metadata: Payload['metadata']): StorageDriverClaim => {
  const entries = Object.entries(metadata ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  return new StorageDriverClaim({ ref, metadata: JSON.stringify(Object.fromEntries(entries)) });
};

const readClaim = (claim: StorageDriverClaim): { ref: string; metadata: Record<string, Uint8Array> } => {
  const { ref, metadata } = claimSchema.parse(claim.claimData);
  const entries = Object.entries(metadataSchema.parse(JSON.parse(metadata)));
  return {
    ref,
    metadata: Object.fromEntries(
      entries.map(([key, value]) => [key, Uint8Array.from(Buffer.from(value, 'base64'))]),
    ),
  };
};

const parseClaim = (claim: StorageDriverClaim): ReturnType<typeof readClaim> => {
  try {
    return readClaim(claim);
  } catch {
    throw new WideseekError(
      'Internal',
      'the history refers to a stored payload in a form this version does not know',
    );
  }
};

/** Temporal's storage driver on our store. Equal data is stored once; a retried write changes nothing. */
export const createPayloadDriver = (store: Blobs): StorageDriver => ({
  name: DRIVER_NAME,
  type: DRIVER_TYPE,
  store: (context, payloads) =>
    Promise.all(
      payloads.map(async ({ data, metadata }) => {
        context.abortSignal?.throwIfAborted();
        return claimOf(await store.putBytes(data ?? new Uint8Array()), metadata);
      }),
    ),
  retrieve: (context, claims) =>
    Promise.all(
      claims.map(async (claim) => {
        context.abortSignal?.throwIfAborted();
        const { ref, metadata } = parseClaim(claim);
        return { metadata, data: await store.getBytes(ref) };
      }),
    ),
});

/**
 * Why the SDK's external storage cannot work in this installation; undefined: it can. The SDK writes a reference
 * with one of its packages' `protobufjs` and declares its type with another's, so both must find the same copy.
 */
export const payloadStorageProblem = (): string | undefined => {
  const common = createRequire(createRequire(import.meta.url).resolve('@temporalio/common'));
  const proto = createRequire(common.resolve('@temporalio/proto'));
  return common.resolve('protobufjs') === proto.resolve('protobufjs')
    ? undefined
    : 'protobufjs is installed more than once below @temporalio';
};

/**
 * The `dataConverter` option that every Worker and Client of one namespace must share: payloads of
 * `thresholdBytes` and more (default 256 KiB) go to the store, and the history keeps a reference of about 200
 * bytes. It is a net under oversized payloads, not a way to pass data: large things travel by `Ref`.
 * Throws `ConfigError` where `payloadStorageProblem` finds one.
 */
export const createPayloadStorage = (
  store: Blobs,
  thresholdBytes = DEFAULT_THRESHOLD,
): Pick<DataConverter, 'externalStorage'> => {
  const problem = payloadStorageProblem();
  if (problem !== undefined)
    throw new WideseekError('ConfigError', `payload storage: ${problem}`, {
      hint: 'Install with the lock file of the project, so that one copy stands at the top of node_modules',
    });
  const drivers = [createPayloadDriver(store)];
  return { externalStorage: new ExternalStorage({ drivers, payloadSizeThreshold: thresholdBytes }) };
};
