import { Hono } from 'hono';
import { z } from 'zod';
import { count, createCalls, type FakeApp, type FakeBindings, type FakeState } from './fake-engine-calls.ts';
import { encodeSampleReply } from './fake-engine-messages.ts';
import { Refusal } from './fake-engine-models.ts';
import { drawSample, promptLogprobsOf } from './fake-engine-sampling.ts';
import { addSaves } from './fake-engine-saves.ts';
import { addTraining } from './fake-engine-training.ts';
import { PROTOBUF } from './wire/protocol.ts';

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
export function createFakeApp(state: FakeState): FakeApp {
  const { models, futures, faults } = state;
  const app = new Hono<{ Bindings: FakeBindings }>();
  const calls = createCalls(app, state);
  const { call, guarded, promised } = calls;
  addTraining(app, state, calls);
  addSaves(app, state, calls);

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
