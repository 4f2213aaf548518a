import { type EngineCapabilities } from '../../../domain/rl/engine.ts';
import { invalidInput, WideseekError } from '../../../domain/errors.ts';
import type { ForwardBackward, ModelHandle, SampleRequest, TrainingEngine } from '../port.ts';
import { createCheckpoints } from './checkpoints.ts';
import { createWireHttp, type FutureResult, type WireHttpOptions } from './http.ts';
import { reducedLoss } from './loss.ts';
import { decodePass, decodeSample, encodePass, type PassOutput, type SampleOutput } from './messages.ts';
import { createdModelSchema, emptySchema, infoSchema, SDK_VERSION, sessionSchema } from './protocol.ts';
import { stepSchema } from './protocol.ts';
import { checkAgreement, readServer, untilUp } from './server.ts';
import {
  checkAdam,
  checkData,
  checkPass,
  checkSampled,
  checkSampleRequest,
  checkSequenceNumber,
  promptLogprobs,
} from './validate.ts';

/** Milliseconds from a call to its result, polls included. */
export interface WireDeadlines {
  /** Sessions, heartbeats, questions: answered by the server itself. */
  control: number;
  sample: number;
  /** forward and forward_backward; the first one compiles. */
  pass: number;
  step: number;
  save: number;
  /** Creating a model, with its restore. */
  create: number;
  ready: number;
}

const DEADLINES: WireDeadlines = {
  control: 30_000,
  sample: 900_000,
  pass: 1_800_000,
  step: 600_000,
  save: 600_000,
  create: 900_000,
  ready: 900_000,
};

export interface WireEngineOptions extends WireHttpOptions {
  /** Declared facts of this engine, e.g. `ENGINES['skyrl-jax']`. */
  capabilities: EngineCapabilities;
  /** Model that is sampled for path null. Default: the only one that the engine says it serves. */
  baseModel?: string;
  /** Token ids from this on are refused in both directions. Default: only negative ones are. */
  vocabSize?: number;
  deadlines?: Partial<WireDeadlines>;
}

/**
 * A training engine behind the Tinker wire (SDK 0.25 dialect, as SkyRL serves it). One request per call and no retries:
 * a call that fails with a retryable error may be made again with the same sequence number. Errors: `NotFound` when the
 * engine lost the model, session or checkpoint; `Conflict` for a sequence number used with another body; `Overloaded` when
 * it is down; `Timeout` past the call's deadline; `BadReply` for what cannot be read, has a wrong length or no finite
 * numbers; `StorageFull` for a full checkpoint disk; `InvalidInput` before anything is sent.
 */
export function createWireEngine(options: WireEngineOptions): TrainingEngine {
  const { capabilities, vocabSize } = options;
  const deadlines = { ...DEADLINES, ...options.deadlines };
  const http = createWireHttp(options);
  const checkpoints = createCheckpoints(http);
  const describe = readServer(http, deadlines.control);
  let onlyModel: string | undefined;

  async function servedModel(signal: AbortSignal): Promise<string> {
    const known = options.baseModel ?? onlyModel;
    if (known !== undefined) return known;
    const { supported_models: models } = await describe(signal);
    const [first] = models;
    if (first === undefined || models.length > 1)
      throw new WideseekError('ConfigError', `${http.service} serves ${models.length} base models`, {
        hint: 'Name the base model of this engine in the configuration',
      });
    return (onlyModel = first.model_name);
  }

  async function create(
    { baseModel, rank, seed }: { baseModel: string; rank: number; seed?: number },
    signal: AbortSignal,
  ): Promise<ModelHandle> {
    const { session_id: sessionId } = await http.post(
      'create_session',
      { tags: [], sdk_version: SDK_VERSION },
      sessionSchema,
      signal,
    );
    const created = await http.post(
      'create_model',
      {
        session_id: sessionId,
        base_model: baseModel,
        lora_config: { rank, ...(seed !== undefined && { seed }) },
      },
      createdModelSchema,
      signal,
    );
    await http.wait('create_model', created.request_id, signal);
    return { modelId: created.model_id, sessionId };
  }

  const drop = async (handle: ModelHandle, signal: AbortSignal): Promise<void> => {
    await http.run('unload_model', { model_id: handle.modelId }, signal);
  };

  async function pass(
    handle: ModelHandle,
    seqId: number,
    call: ForwardBackward,
    forwardOnly: boolean,
    signal: AbortSignal,
  ): Promise<PassOutput> {
    checkSequenceNumber(seqId);
    checkData(call.data, vocabSize, { loss: !forwardOnly });
    const name = forwardOnly ? 'forward' : 'forward_backward';
    return http.within(name, deadlines.pass, signal, async (inner) => {
      const body = encodePass(handle.modelId, seqId, call, forwardOnly);
      const output = decodePass(protobuf(name, await http.run('forward_backward', body, inner)));
      checkPass(name, output.logprobs, call.data);
      return output;
    });
  }

  async function draw(
    request: SampleRequest,
    wantPrompt: boolean,
    signal: AbortSignal,
  ): Promise<SampleOutput> {
    checkSampleRequest(request, vocabSize);
    return http.within('asample', deadlines.sample, signal, async (inner) => {
      const { path, seed, stop } = request;
      const body = {
        prompt: { chunks: [{ type: 'encoded_text', tokens: Array.from(request.prompt) }] },
        num_samples: 1,
        sampling_params: {
          max_tokens: request.maxTokens,
          temperature: request.temperature,
          top_k: -1,
          top_p: request.topP ?? 1,
          ...(seed !== undefined && { seed }),
          ...(stop.length > 0 && { stop }),
        },
        ...(path === null ? { base_model: await servedModel(inner) } : { model_path: path }),
        ...(wantPrompt && { prompt_logprobs: true }),
      };
      return decodeSample(protobuf('asample', await http.run('asample', body, inner)));
    });
  }

  return {
    name: `${capabilities.name} (${options.baseUrl})`,
    capabilities,

    ready: (signal) =>
      http.within('ready', deadlines.ready, signal, async (inner) => {
        const server = await untilUp(describe, inner);
        checkAgreement(server, capabilities, http.service);
        // The server answers long before its engine can work: only a future that completed says so.
        const baseModel = options.baseModel ?? server.supported_models[0]?.model_name;
        if (baseModel === undefined) return;
        await drop(await create({ baseModel, rank: 1, seed: 0 }, inner), inner);
      }),

    createModel: ({ baseModel, rank, seed, restore }, signal) => {
      if (!Number.isInteger(rank) || rank < 0)
        throw invalidInput('rank', `${rank} is no whole number from 0`);
      return http.within('create_model', deadlines.create, signal, async (inner) => {
        const { supported_models: served } = await describe(inner);
        const names = served.map(({ model_name: name }) => name);
        if (names.length > 0 && !names.includes(baseModel))
          throw invalidInput('baseModel', `${http.service} serves ${names.join(', ')}, not ${baseModel}`);
        const handle = await create({ baseModel, rank, seed }, inner);
        if (restore === undefined) return handle;
        try {
          const body = { model_id: handle.modelId, path: restore, optimizer: true };
          await http.run('load_weights', body, inner);
          return handle;
        } catch (error) {
          // A model without its weights must not be trained; if it cannot be dropped, its session will expire.
          await drop(handle, AbortSignal.timeout(deadlines.control)).catch(() => undefined);
          throw error;
        }
      });
    },

    heartbeat: (handle, signal) =>
      http.within('session_heartbeat', deadlines.control, signal, async (inner) => {
        await http.post('session_heartbeat', { session_id: handle.sessionId }, emptySchema, inner);
        const info = await http.post('get_info', { model_id: handle.modelId }, infoSchema, inner);
        if (info.status === 'unloaded' || info.status === 'unloading')
          throw new WideseekError('NotFound', `${http.service}: model ${handle.modelId} was unloaded`, {
            hint: 'Create it again from its last checkpoint',
          });
      }),

    forward: async (handle, seqId, data, signal) =>
      (await pass(handle, seqId, { lossFn: 'cross_entropy', lossFnConfig: {}, data }, true, signal)).logprobs,

    forwardBackward: async (handle, seqId, call, signal) => {
      const output = await pass(handle, seqId, call, false, signal);
      const loss = reducedLoss(call, output, capabilities);
      if (!Number.isFinite(loss))
        throw new WideseekError('BadReply', `${http.service}: forward_backward: the loss is ${loss}`);
      return { loss, logprobs: output.logprobs, metrics: output.metrics };
    },

    optimStep: async (handle, seqId, adam, signal) => {
      checkSequenceNumber(seqId);
      checkAdam(adam);
      const clip = capabilities.gradientNormClip ? adam.gradClipNorm : undefined;
      const body = {
        model_id: handle.modelId,
        seq_id: seqId,
        adam_params: {
          learning_rate: adam.learningRate,
          beta1: adam.beta1,
          beta2: adam.beta2,
          eps: adam.eps,
          weight_decay: adam.weightDecay,
          ...(clip !== undefined && { grad_clip_norm: clip }),
        },
      };
      return http.within('optim_step', deadlines.step, signal, async (inner) => {
        const metrics = stepSchema.parse(
          json('optim_step', await http.run('optim_step', body, inner)),
        ).metrics;
        for (const [name, value] of Object.entries(metrics ?? {}))
          if (!Number.isFinite(value))
            throw new WideseekError('BadReply', `${http.service}: optim_step: metric ${name} is ${value}`, {
              hint: 'The weights may have diverged: go back to the last checkpoint',
            });
        return metrics ?? {};
      });
    },

    saveWeights: (handle, name, signal) =>
      http.within('save_weights', deadlines.save, signal, (inner) =>
        checkpoints.save('training', handle.modelId, name, inner),
      ),

    publish: (handle, name, signal) =>
      http.within('save_weights_for_sampler', deadlines.save, signal, (inner) =>
        checkpoints.save('sampler', handle.modelId, name, inner),
      ),

    remove: (path, signal) =>
      http.within('remove', deadlines.control, signal, (inner) => checkpoints.remove(path, inner)),

    unload: (handle, signal) =>
      http.within('unload_model', deadlines.control, signal, (inner) => drop(handle, inner)),

    sample: async (request, signal) => {
      const { sequences } = await draw(request, false, signal);
      const [first] = sequences;
      if (first === undefined || sequences.length > 1)
        throw new WideseekError('BadReply', `asample: ${sequences.length} samples where one was asked for`);
      return checkSampled(first, request, vocabSize);
    },

    promptLogprobs: async (prompt, path, signal) => {
      if (prompt.length === 1) return new Float32Array(0);
      const request = { prompt, path, maxTokens: 1, temperature: 1, seed: 0, stop: [] };
      return promptLogprobs((await draw(request, true, signal)).promptLogprobs, prompt);
    },
  };
}

function protobuf(call: string, result: FutureResult): Uint8Array {
  if (result.kind === 'protobuf') return result.bytes;
  throw new WideseekError('BadReply', `${call}: the reply is JSON, not protobuf`, {
    hint: 'The engine must speak the dialect of SDK 0.25 or later',
  });
}

function json(call: string, result: FutureResult): unknown {
  if (result.kind === 'json') return result.value;
  throw new WideseekError('BadReply', `${call}: the reply is protobuf, not JSON`);
}
