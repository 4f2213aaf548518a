import { createHash, randomUUID } from 'node:crypto';
import type { EngineCapabilities } from '../../domain/rl/engine.ts';
import type { CheckpointStore, SaveKind } from './fake-engine-store.ts';
import { createToyPolicy, type Gradients, type PolicyState } from './fake-engine-policy.ts';
import type { AdamParams, ForwardBackward } from './port.ts';

export interface FakeModel {
  id: string;
  sessionId: string;
  state: PolicyState;
  gradients: Gradients;
  /** Calls on a model are carried out one after the other, in the order in which they came. */
  queue: Promise<unknown>;
  /** What was asked under each sequence number, and the future it got. */
  used: Map<number, { body: string; requestId: string }>;
  /** Name of the snapshot that sampling left in the training weights (see `corruptsOffPolicy`). */
  loaded?: string;
  /** A checkpoint may be loaded only before anything else. */
  touched: boolean;
}

export interface ModelsOptions {
  vocabSize: number;
  capabilities: EngineCapabilities;
  seed: number;
  /** As SkyRL's JAX backend does: sampling a snapshot puts it into the training weights of its model. */
  corruptsOffPolicy: boolean;
  store: CheckpointStore;
}

/** Refusals that become HTTP errors. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 404 | 409 | 425,
    message: string,
  ) {
    super(message);
  }
}

export type FakeModels = ReturnType<typeof createModels>;

/** The models of the fake engine: their weights, their sequence numbers and what may be done with them. */
export function createModels(options: ModelsOptions) {
  const { store } = options;
  const policy = createToyPolicy(options.vocabSize, options.capabilities);
  const base = policy.initial(options.seed);
  const models = new Map<string, FakeModel>();

  const get = (id: string): FakeModel => {
    const model = models.get(id);
    if (model === undefined) throw new Refusal(404, 'Model not found');
    return model;
  };

  return {
    policy,
    get,

    create(sessionId: string): FakeModel {
      const model: FakeModel = {
        id: `model_${randomUUID().slice(0, 8)}`,
        sessionId,
        state: base,
        gradients: policy.noGradients(),
        queue: Promise.resolve(),
        used: new Map(),
        touched: false,
      };
      models.set(model.id, model);
      return model;
    },

    drop(id: string): void {
      get(id);
      models.delete(id);
    },

    dropSession(sessionId: string): void {
      for (const model of models.values()) if (model.sessionId === sessionId) models.delete(model.id);
    },

    clear: (): void => models.clear(),

    /** The future of a sequence number: the one it already has, or a new one. Another body is refused. */
    once(model: FakeModel, seqId: number, content: string | Uint8Array, start: () => string): string {
      const body = createHash('sha256').update(content).digest('hex');
      const used = model.used.get(seqId);
      if (used !== undefined && used.body !== body)
        throw new Refusal(409, 'Training request sequence number was reused');
      if (used !== undefined) return used.requestId;
      model.touched = true;
      const requestId = start();
      model.used.set(seqId, { body, requestId });
      return requestId;
    },

    /** Runs `work` after everything that was asked of the model before. */
    inOrder<T>(model: FakeModel, work: () => Promise<T>): Promise<T> {
      const turn = model.queue.then(async () => {
        if (!models.has(model.id)) throw new Error(`Model ${model.id} not loaded`);
        return work();
      });
      model.queue = turn.catch(() => undefined);
      return turn;
    },

    pass: (model: FakeModel, call: ForwardBackward, forwardOnly: boolean) =>
      policy.pass(model.state.logits, call, forwardOnly ? null : model.gradients),

    step(model: FakeModel, adam: AdamParams): number {
      const { state, gradientNorm } = policy.step(model.state, model.gradients, adam);
      model.state = state;
      model.gradients = policy.noGradients();
      return gradientNorm;
    },

    /** Weights for a sample: the base model's for null, else a complete snapshot's. */
    weights(path: string | null): Float64Array {
      if (path === null) return base.logits;
      const { modelId, kind, name } = parsePath(path);
      if (kind !== 'sampler') throw new Refusal(400, `not a path of a sampler: ${path}`);
      const state = completeState(store, modelId, kind, name);
      const model = models.get(modelId);
      if (!options.corruptsOffPolicy || model === undefined) return state.logits;
      if (model.loaded !== name) model.state = { ...model.state, logits: state.logits };
      model.loaded = name;
      return model.state.logits;
    },

    load(model: FakeModel, path: string): void {
      const { modelId, kind, name } = parsePath(path);
      if (kind !== 'training') throw new Refusal(400, `not a path of a checkpoint: ${path}`);
      model.state = completeState(store, modelId, kind, name);
    },
  };
}

function completeState(store: CheckpointStore, modelId: string, kind: SaveKind, name: string): PolicyState {
  const saved = store.get(modelId, kind, name);
  if (saved === undefined) throw new Refusal(404, `Checkpoint not found: ${modelId}/${name}`);
  if (saved.state === undefined) throw new Refusal(425, 'Checkpoint is still being created');
  return saved.state;
}

/** `tinker://MODEL/NAME` and `…/sampler_weights/NAME` are snapshots, `…/weights/NAME` are checkpoints. */
function parsePath(path: string): { modelId: string; kind: SaveKind; name: string } {
  const match = /^tinker:\/\/([\w-]+)\/(?:(weights|sampler_weights)\/)?([\w-]+)$/.exec(path);
  if (match === null) throw new Refusal(400, `not a path of the wire: ${path}`);
  const [, modelId = '', folder, name = ''] = match;
  return { modelId, kind: folder === 'weights' ? 'training' : 'sampler', name };
}
