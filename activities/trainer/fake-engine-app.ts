import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { EngineCapabilities } from '../../domain/rl/engine.ts';
import type { Faults } from './fake-engine-faults.ts';
import type { Futures, Outcome } from './fake-engine-futures.ts';
import type { createLatency } from './fake-engine-latency.ts';
import { decodePassRequest, encodePassReply, encodeSampleReply } from './fake-engine-messages.ts';
import { type FakeModel, type FakeModels, Refusal } from './fake-engine-models.ts';
import { drawSample, promptLogprobsOf, type SampleScript } from './fake-engine-sampling.ts';
import type { CheckpointStore, SaveKind } from './fake-engine-store.ts';
import { PROTOBUF } from './wire/protocol.ts';

export type FakeBindings = HttpBindings;

export interface FakeState {
  baseModel: string;
  capabilities: EngineCapabilities;
  vocabSize: number;
  script: SampleScript | undefined;
  longPollMs: number;
  store: CheckpointStore;
  sessions: Set<string>;
  models: FakeModels;
  futures: Futures;
  faults: Faults;
  wait: ReturnType<typeof createLatency>;
  counts: Record<string, number>;
  done: Record<string, number>;
  sampledTokens: number;
  newSession(): string;
}

type FakeContext = Context<{ Bindings: FakeBindings }>;

const count = (counts: Record<string, number>, call: string): void => {
  counts[call] = (counts[call] ?? 0) + 1;
};

const modelBody = z.looseObject({ model_id: z.string() });
const saveBody = modelBody.extend({ path: z.string().regex(/^[\w-]+$/) });
const createBody = z.looseObject({
  session_id: z.string(),
  base_model: z.string(),
  lora_config: z.looseObject({ rank: z.int() }),
});
const stepBody = modelBody.extend({
  seq_id: z.int().nullish(),
  adam_params: z.looseObject({
    learning_rate: z.number().min(0),
    beta1: z.number(),
    beta2: z.number(),
    eps: z.number(),
    weight_decay: z.number(),
    grad_clip_norm: z.number().nullish(),
  }),
});
const sampleBody = z.looseObject({
  prompt: z.looseObject({ chunks: z.array(z.looseObject({ tokens: z.array(z.int()) })) }),
  sampling_params: z.looseObject({
    max_tokens: z.int().min(1),
    temperature: z.number().default(1),
    top_p: z.number().default(1),
    seed: z.int().nullish(),
    stop: z.array(z.int()).nullish(),
  }),
  base_model: z.string().nullish(),
  model_path: z.string().nullish(),
  prompt_logprobs: z.boolean().nullish(),
});

/** The calls of the wire. Faults hit before the work, in its result, or after it. */
export function createFakeApp(state: FakeState): Hono<{ Bindings: FakeBindings }> {
  const { models, futures, faults, store } = state;
  const app = new Hono<{ Bindings: FakeBindings }>();

  /** One call: counts it, lets faults happen, and turns refusals and bad bodies into the wire's errors. */
  function call<T>(
    name: string,
    schema: z.ZodType<T>,
    work: (body: T, raw: string) => object | Promise<object>,
  ) {
    app.post(`/api/v1/${name}`, async (c) => {
      const raw = await c.req.text();
      return guarded(c, name, async () => {
        const parsed = schema.safeParse(JSON.parse(raw));
        if (!parsed.success) return c.json({ detail: parsed.error.issues }, 422);
        return c.json(await work(parsed.data, raw));
      });
    });
  }

  async function guarded(c: FakeContext, name: string, work: () => Promise<Response>): Promise<Response> {
    count(state.counts, name);
    const before = faults.take(name, ['down', 'slow', 'html', 'status', 'conflict', 'lost']);
    if (before?.kind === 'down') return cut(c);
    if (before?.kind === 'slow') await sleep(before.ms ?? 1_000);
    if (before?.kind === 'html') return c.html('<html><body>Bad gateway</body></html>');
    if (before?.kind === 'conflict')
      return c.json({ detail: 'Training request sequence number was reused' }, 409);
    if (before?.kind === 'status')
      return new Response(JSON.stringify({ detail: before.message ?? 'refused' }), {
        status: before.status ?? 500,
        headers: { 'content-type': 'application/json' },
      });
    if (before?.kind === 'lost') models.clear();
    try {
      const reply = await work();
      return faults.take(name, ['reply-lost']) === undefined ? reply : cut(c);
    } catch (error) {
      if (error instanceof Refusal) return c.json({ detail: error.message }, error.status);
      return c.json({ detail: error instanceof Error ? error.message : String(error) }, 422);
    }
  }

  /** A future for work on a model, in the order of its calls. */
  const later = (name: string, model: FakeModel, work: () => Promise<Outcome>): string =>
    futures.start(() =>
      models.inOrder(model, async () => {
        const broken = faults.take(name, ['fail']);
        if (broken !== undefined) throw new Error(broken.message ?? 'the engine failed');
        const outcome = await work();
        count(state.done, name);
        return outcome;
      }),
    );

  const promised = (requestId: string) => ({
    request_id: requestId,
    future_id: requestId,
    status: 'pending',
  });

  app.get('/api/v1/healthz', (c) => c.json({ status: 'ok' }));

  app.get('/api/v1/get_server_capabilities', (c) =>
    guarded(c, 'get_server_capabilities', async () => {
      const { capabilities } = state;
      return c.json({
        supported_models: [{ model_name: state.baseModel }],
        training: {
          reduction: capabilities.reduction,
          mean_over: capabilities.meanOver,
          clip: capabilities.clip,
          dual_clip: capabilities.dualClip,
          forward: capabilities.forward,
          gradient_norm_clip: capabilities.gradientNormClip,
          adam: capabilities.adam,
        },
      });
    }),
  );

  call('create_session', z.looseObject({ sdk_version: z.string() }), () => {
    const id = state.newSession();
    state.sessions.add(id);
    return { session_id: id };
  });

  call('session_heartbeat', z.looseObject({ session_id: z.string() }), ({ session_id: id }) => {
    if (!state.sessions.has(id)) throw new Refusal(404, 'Session not found');
    return { type: 'session_heartbeat' };
  });

  call('create_model', createBody, ({ session_id: session }) => {
    if (!state.sessions.has(session)) throw new Refusal(404, 'Session not found');
    const model = models.create(session);
    const requestId = later('create_model', model, async () => ({
      kind: 'json',
      value: { model_id: model.id },
    }));
    return { ...promised(requestId), model_id: model.id };
  });

  call('get_info', modelBody, ({ model_id: id }) => {
    models.get(id);
    return { model_id: id, status: 'created' };
  });

  call('unload_model', modelBody, ({ model_id: id }) => {
    const model = models.get(id);
    const requestId = later('unload_model', model, async () => {
      models.drop(id);
      return { kind: 'json', value: { model_id: id, status: 'unloaded' } };
    });
    return { ...promised(requestId), model_id: id };
  });

  app.post('/api/v1/forward_backward', async (c) => {
    const raw = new Uint8Array(await c.req.arrayBuffer());
    if (c.req.header('content-type') !== PROTOBUF)
      return c.json({ detail: 'a protobuf body is required' }, 415);
    const request = decodePassRequest(raw);
    const name = request.forwardOnly ? 'forward' : 'forward_backward';
    return guarded(c, name, async () => {
      const model = models.get(request.modelId);
      const outOfRange = ({ tokens, targets }: { tokens: Int32Array; targets: Int32Array }): boolean =>
        [tokens, targets].some((ids) => ids.some((id) => id < 0 || id >= state.vocabSize));
      if (request.call.data.some(outOfRange)) throw new Error('a token id is outside the vocabulary');
      const requestId = models.once(model, request.seqId, raw, () =>
        later(name, model, async () => {
          await state.wait(
            'pass',
            request.call.data.reduce((sum, { tokens }) => sum + tokens.length, 0),
          );
          const output = models.pass(model, request.call, request.forwardOnly);
          if (faults.take(name, ['nan'])) output.logprobs[0]?.fill(NaN);
          if (faults.take(name, ['wrong-length']))
            output.logprobs[0] = (output.logprobs[0] ?? new Float32Array()).slice(1);
          return { kind: 'protobuf', bytes: encodePassReply(output, {}) };
        }),
      );
      return c.json(promised(requestId));
    });
  });

  call('optim_step', stepBody, (body, raw) => {
    const model = models.get(body.model_id);
    const { adam_params: adam } = body;
    const start = (): string =>
      later('optim_step', model, async () => {
        await state.wait('step', 0);
        const gradientNorm = models.step(model, {
          learningRate: adam.learning_rate,
          beta1: adam.beta1,
          beta2: adam.beta2,
          eps: adam.eps,
          weightDecay: adam.weight_decay,
          ...(adam.grad_clip_norm && { gradClipNorm: adam.grad_clip_norm }),
        });
        const value = faults.take('optim_step', ['nan']) ? null : gradientNorm;
        return { kind: 'json', value: { metrics: { grad_norm: value, learning_rate: adam.learning_rate } } };
      });
    return promised(body.seq_id ? models.once(model, body.seq_id, raw, start) : start());
  });

  for (const [name, kind] of [
    ['save_weights', 'training'],
    ['save_weights_for_sampler', 'sampler'],
  ] as const)
    call(name, saveBody, ({ model_id: id, path }) => save(name, kind, models.get(id), path));

  function save(name: string, kind: SaveKind, model: FakeModel, path: string): object {
    if (store.get(model.id, kind, path) !== undefined)
      throw new Refusal(409, `Checkpoint '${path}' already exists for model '${model.id}'`);
    store.put(model.id, kind, path, { status: 'pending' });
    model.touched = true;
    const requestId = later(name, model, async () => {
      await state.wait('save', 0);
      if (faults.take(name, ['disk-full'])) {
        store.put(model.id, kind, path, { status: 'failed' });
        throw new Error('[Errno 28] No space left on device');
      }
      store.put(model.id, kind, path, { status: 'complete', state: model.state });
      const where = kind === 'training' ? `weights/${path}` : path;
      return { kind: 'json', value: { path: `tinker://${model.id}/${where}`, type: name } };
    });
    return promised(requestId);
  }

  call('load_weights', modelBody.extend({ path: z.string() }), ({ model_id: id, path }) => {
    const model = models.get(id);
    if (model.touched)
      throw new Refusal(400, 'LoadWeights is only permitted as the first request of a model');
    model.touched = true;
    const requestId = later('load_weights', model, async () => {
      models.load(model, path);
      return { kind: 'json', value: { type: 'load_weights' } };
    });
    return promised(requestId);
  });

  app.get('/api/v1/training_runs/:id/checkpoints', (c) =>
    guarded(c, 'list_checkpoints', async () =>
      c.json({
        checkpoints: store
          .complete(c.req.param('id'))
          .map(({ kind, name }) => ({ checkpoint_id: name, checkpoint_type: kind })),
      }),
    ),
  );

  app.delete('/api/v1/training_runs/:id/checkpoints/:folder/:name', (c) =>
    guarded(c, 'delete_checkpoint', async () => {
      const { id, folder, name } = c.req.param();
      const kind: SaveKind = folder === 'weights' ? 'training' : 'sampler';
      const found = store.get(id, kind, name);
      if (found === undefined) throw new Refusal(404, `Checkpoint not found: ${id}/${name}`);
      if (found.status === 'pending') throw new Refusal(425, 'Checkpoint is still being created');
      store.remove(id, kind, name);
      return c.body(null, 204);
    }),
  );

  call('asample', sampleBody, (body) => {
    if (body.base_model && body.base_model !== state.baseModel)
      throw new Refusal(400, `Engine is configured for '${state.baseModel}'`);
    const path = body.model_path ?? null;
    const logits = models.weights(path);
    const prompt = Int32Array.from(body.prompt.chunks.flatMap(({ tokens }) => tokens));
    const { sampling_params: params } = body;
    const n = state.done.asample ?? 0;
    count(state.done, 'asample');
    const requestId = futures.start(async () => {
      const broken = faults.take('asample', ['fail']);
      if (broken !== undefined) throw new Error(broken.message ?? 'the engine failed');
      const sampled = drawSample(
        {
          n,
          prompt,
          path,
          maxTokens: params.max_tokens,
          temperature: params.temperature,
          topP: params.top_p,
          seed: params.seed ?? undefined,
          stop: params.stop ?? [],
        },
        logits,
        models.policy,
        state.script,
      );
      await state.wait('sample', sampled.tokens.length);
      state.sampledTokens += sampled.tokens.length;
      if (faults.take('asample', ['nan'])) sampled.logprobs = sampled.logprobs.map(() => NaN);
      if (faults.take('asample', ['wrong-length'])) sampled.logprobs = sampled.logprobs.slice(1);
      const prompts = body.prompt_logprobs ? promptLogprobsOf(prompt, logits, models.policy) : undefined;
      return { kind: 'protobuf', bytes: encodeSampleReply(sampled, prompts) };
    });
    return promised(requestId);
  });

  app.post('/api/v1/retrieve_future', (c) =>
    guarded(c, 'retrieve_future', async () => {
      const { request_id: id } = z.object({ request_id: z.string() }).parse(await c.req.json());
      const outcome = await futures.wait(id, state.longPollMs);
      if (outcome === 'unknown') return c.json({ detail: 'Future not found' }, 404);
      if (outcome === 'pending') return c.json({ detail: 'Timeout waiting for result' }, 408);
      if (outcome.kind === 'failed') return c.json({ detail: outcome.message }, 400);
      if (outcome.kind === 'json') return c.json(outcome.value as object);
      return c.body(outcome.bytes.slice().buffer, 200, { 'content-type': PROTOBUF });
    }),
  );

  app.notFound((c) => c.json({ detail: 'Not Found' }, 404));
  return app;
}

/** Breaks the connection, as a process that dies does. */
function cut(c: FakeContext): Response {
  c.env.incoming.socket.destroy();
  return new Response(null, { status: 500 });
}
