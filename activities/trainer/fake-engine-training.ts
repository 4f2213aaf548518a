import { z } from 'zod';
import { type Calls, type FakeApp, type FakeState, modelBody } from './fake-engine-calls.ts';
import { decodePassRequest, encodePassReply } from './fake-engine-messages.ts';
import { Refusal } from './fake-engine-models.ts';
import { PROTOBUF } from './wire/protocol.ts';

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
/** Models and their training: create_model, unload_model, get_info, forward_backward, optim_step. */
export function addTraining(app: FakeApp, state: FakeState, { call, guarded, later, promised }: Calls): void {
  const { models, faults } = state;

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
}
