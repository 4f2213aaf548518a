import { setTimeout as sleep } from 'node:timers/promises';
import { invalidInput, WideseekError } from '../../../domain/errors.ts';
import type { WireHttp } from './http.ts';
import { checkpointsSchema, savedSchema } from './protocol.ts';

export type CheckpointKind = 'training' | 'sampler';

const CALL = { training: 'save_weights', sampler: 'save_weights_for_sampler' } as const;
const FOLDER = { training: 'weights', sampler: 'sampler_weights' } as const;
const NAME = /^[a-zA-Z0-9_-]{1,255}$/;
/** How often a save that somebody else began is looked at, in milliseconds. */
const LOOK_MS = 200;

export interface Checkpoints {
  /** Saves under a name; returns the path by which it is loaded or sampled. */
  save(kind: CheckpointKind, modelId: string, name: string, signal: AbortSignal): Promise<string>;
  /** Deletes what `save` made; one that is gone already counts as deleted. */
  remove(path: string, signal: AbortSignal): Promise<void>;
}

const PATH = /^tinker:\/\/([^/]+)\/(weights\/)?([a-zA-Z0-9_-]+)$/;

/**
 * Saving is not idempotent on the wire: a name that exists is refused. Here it is taken as done if the checkpoint is
 * complete, waited for while it is being written, and removed and written again if its writing failed.
 * The wire cannot tell a save that failed from one that ends at this moment; such a one is written twice, with the same
 * content, since a trainer takes no step before its save has returned. Throws `InvalidInput` for a name that engines refuse.
 */
export function createCheckpoints(http: WireHttp): Checkpoints {
  async function write(kind: CheckpointKind, modelId: string, name: string, signal: AbortSignal) {
    const result = await http.run(CALL[kind], { model_id: modelId, path: name }, signal);
    if (result.kind === 'json') return savedSchema.parse(result.value).path;
    throw new WideseekError('BadReply', `${CALL[kind]}: the reply is protobuf, not JSON`);
  }

  async function complete(kind: CheckpointKind, modelId: string, name: string, signal: AbortSignal) {
    const path = `training_runs/${encodeURIComponent(modelId)}/checkpoints`;
    const { checkpoints } = await http.get(path, checkpointsSchema, signal);
    return checkpoints.some(
      (found) => found.checkpoint_type === kind && (found.checkpoint_id.split('/').at(-1) ?? '') === name,
    );
  }

  /** True when what was there is gone, false while it is being written. */
  async function removeSave(kind: CheckpointKind, modelId: string, name: string, signal: AbortSignal) {
    const path = `training_runs/${encodeURIComponent(modelId)}/checkpoints/${FOLDER[kind]}/${name}`;
    try {
      await http.remove(path, signal);
      return true;
    } catch (error) {
      if (error instanceof WideseekError && error.type === 'NotFound') return true;
      if (error instanceof WideseekError && error.type === 'Overloaded') return false;
      throw error;
    }
  }

  return {
    async save(kind, modelId, name, signal) {
      if (!NAME.test(name)) throw invalidInput('name', `"${name}" is no name of letters, digits, _ and -`);
      try {
        return await write(kind, modelId, name, signal);
      } catch (error) {
        if (!(error instanceof WideseekError) || error.type !== 'Conflict') throw error;
      }
      for (;;) {
        if (await complete(kind, modelId, name, signal))
          return kind === 'training' ? `tinker://${modelId}/weights/${name}` : `tinker://${modelId}/${name}`;
        if (await removeSave(kind, modelId, name, signal)) return write(kind, modelId, name, signal);
        await sleep(LOOK_MS, undefined, { signal });
      }
    },
    async remove(path, signal) {
      const [, modelId, weights, name] = PATH.exec(path) ?? [];
      if (!modelId || !name) throw invalidInput('path', `"${path}" is no checkpoint of this wire`);
      await removeSave(weights ? 'training' : 'sampler', modelId, name, signal);
    },
  };
}
