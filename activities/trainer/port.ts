import type { EngineCapabilities } from '../../domain/rl/engine.ts';
import type { Datum } from '../../domain/rl/datum.ts';

/** One request for samples: token ids in, token ids with their log-probs out. */
export interface SampleRequest {
  prompt: Int32Array;
  /** Which weights: a published snapshot (`tinker://MODEL/NAME`), or null for the base model. */
  path: string | null;
  maxTokens: number;
  temperature: number;
  topP?: number;
  /** The same seed, prompt and weights give the same tokens where the engine can. */
  seed?: number;
  /** Token ids that end a reply; the one that did is the reply's last token. */
  stop: readonly number[];
}

export interface Sampled {
  tokens: Int32Array;
  /** Log-prob of each token at temperature 1. */
  logprobs: Float32Array;
  stopReason: 'stop' | 'length';
  /** Policy version of each token, where the engine says which weights wrote it. */
  versions?: Int32Array;
}

/** Rollouts and evaluations need only this; the training engine and SGLang both have it. */
export interface Sampler {
  readonly name: string;
  sample(request: SampleRequest, signal: AbortSignal): Promise<Sampled>;
  /** Log-prob of each prompt token but the first, length `prompt.length - 1`. */
  promptLogprobs(prompt: Int32Array, path: string | null, signal: AbortSignal): Promise<Float32Array>;
}

export interface AdamParams {
  learningRate: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** Sent only where the engine's capabilities say that it is obeyed. */
  gradClipNorm?: number;
}

/** A model that lives on an engine, as long as its session does. */
export interface ModelHandle {
  modelId: string;
  sessionId: string;
}

export interface ForwardBackward {
  lossFn: 'cross_entropy' | 'importance_sampling' | 'ppo';
  lossFnConfig: Readonly<Record<string, number>>;
  data: readonly Datum[];
}

/**
 * The training engine behind the wire. A call with a sequence number that was already used, and the same body, returns
 * the result of the first one; with another body it throws `Conflict`. Calls never retry by themselves.
 * Every array that goes out and comes in is checked for its length and for finite numbers.
 */
export interface TrainingEngine extends Sampler {
  readonly capabilities: EngineCapabilities;
  /** Resolves when the engine can work, not merely answer. */
  ready(signal: AbortSignal): Promise<void>;
  /** A new model; with `restore` its first act is to load that checkpoint, optimiser state included. */
  createModel(
    options: { baseModel: string; rank: number; seed?: number; restore?: string },
    signal: AbortSignal,
  ): Promise<ModelHandle>;
  /** Throws `NotFound` if the engine no longer has the model: create it again from the last checkpoint. */
  heartbeat(handle: ModelHandle, signal: AbortSignal): Promise<void>;
  /** Log-probs of each datum's targets with the current weights; one array per datum, of the datum's length. */
  forward(
    handle: ModelHandle,
    seqId: number,
    data: readonly Datum[],
    signal: AbortSignal,
  ): Promise<Float32Array[]>;
  /** Accumulates gradients. Returns the loss as the engine reduced it and the targets' log-probs. */
  forwardBackward(
    handle: ModelHandle,
    seqId: number,
    call: ForwardBackward,
    signal: AbortSignal,
  ): Promise<{ loss: number; logprobs: Float32Array[]; metrics: Record<string, number> }>;
  /** One step of the optimiser with the gradients since the last one. */
  optimStep(
    handle: ModelHandle,
    seqId: number,
    adam: AdamParams,
    signal: AbortSignal,
  ): Promise<Record<string, number>>;
  /** Checkpoint with optimiser state. A name that exists is taken as done. Returns `tinker://MODEL/weights/NAME`. */
  saveWeights(handle: ModelHandle, name: string, signal: AbortSignal): Promise<string>;
  /** Snapshot for sampling. Returns the path that `sample` takes. A name that exists is taken as done. */
  publish(handle: ModelHandle, name: string, signal: AbortSignal): Promise<string>;
  unload(handle: ModelHandle, signal: AbortSignal): Promise<void>;
  /** Deletes a checkpoint or snapshot by its path; one that is not there is done. Absent where the engine cannot. */
  remove?(path: string, signal: AbortSignal): Promise<void>;
}
