import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { PolicyState } from './fake-engine-policy.ts';

export type SaveKind = 'training' | 'sampler';

export interface Saved {
  status: 'pending' | 'complete' | 'failed';
  state?: PolicyState;
}

export interface CheckpointStore {
  get(modelId: string, kind: SaveKind, name: string): Saved | undefined;
  put(modelId: string, kind: SaveKind, name: string, saved: Saved): void;
  remove(modelId: string, kind: SaveKind, name: string): void;
  complete(modelId: string): { kind: SaveKind; name: string }[];
}

const numbers = z.array(z.number()).transform((values) => Float64Array.from(values));
const stateSchema = z.object({ logits: numbers, first: numbers, second: numbers, steps: z.int() });
const KINDS: readonly SaveKind[] = ['training', 'sampler'];

/** Checkpoints in memory; with a folder, complete ones are files as well and outlive the engine, as real ones do. */
export function createCheckpointStore(folder: string | undefined): CheckpointStore {
  const memory = new Map<string, Saved>();
  const key = (...parts: string[]): string => parts.join('/');
  const fileOf = (modelId: string, kind: SaveKind, name: string): string | undefined =>
    folder === undefined ? undefined : join(folder, modelId, kind, `${name}.json`);

  return {
    get: (modelId, kind, name) => {
      const held = memory.get(key(modelId, kind, name));
      if (held !== undefined) return held;
      const file = fileOf(modelId, kind, name);
      if (file === undefined || !existsSync(file)) return undefined;
      const saved: Saved = {
        status: 'complete',
        state: stateSchema.parse(JSON.parse(readFileSync(file, 'utf8'))),
      };
      memory.set(key(modelId, kind, name), saved);
      return saved;
    },
    put: (modelId, kind, name, saved) => {
      memory.set(key(modelId, kind, name), saved);
      const file = fileOf(modelId, kind, name);
      if (file === undefined || saved.state === undefined) return;
      mkdirSync(join(file, '..'), { recursive: true });
      const { logits, first, second, steps } = saved.state;
      const plain = { logits: [...logits], first: [...first], second: [...second], steps };
      writeFileSync(`${file}.part`, JSON.stringify(plain));
      renameSync(`${file}.part`, file);
    },
    remove: (modelId, kind, name) => {
      memory.delete(key(modelId, kind, name));
      const file = fileOf(modelId, kind, name);
      if (file !== undefined) rmSync(file, { force: true });
    },
    complete: (modelId) =>
      KINDS.flatMap((kind) => {
        const held = [...memory]
          .filter(([id, saved]) => id.startsWith(key(modelId, kind, '')) && saved.status === 'complete')
          .map(([id]) => id.split('/').at(-1) ?? '');
        const place = folder === undefined ? undefined : join(folder, modelId, kind);
        const files =
          place !== undefined && existsSync(place)
            ? readdirSync(place).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []))
            : [];
        return [...new Set([...held, ...files])].map((name) => ({ kind, name }));
      }),
  };
}
