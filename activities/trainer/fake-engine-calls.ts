import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { EngineCapabilities } from '../../domain/rl/engine.ts';
import type { Faults } from './fake-engine-faults.ts';
import type { Futures, Outcome } from './fake-engine-futures.ts';
import type { createLatency } from './fake-engine-latency.ts';
import { type FakeModel, type FakeModels, Refusal } from './fake-engine-models.ts';
import type { SampleScript } from './fake-engine-sampling.ts';
import type { CheckpointStore } from './fake-engine-store.ts';

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

export type FakeApp = Hono<{ Bindings: FakeBindings }>;
type FakeContext = Context<{ Bindings: FakeBindings }>;

export const count = (counts: Record<string, number>, call: string): void => {
  counts[call] = (counts[call] ?? 0) + 1;
};

export const modelBody = z.looseObject({ model_id: z.string() });

export type Calls = ReturnType<typeof createCalls>;

/** What all calls of the fake share: counting, faults, the wire's errors, futures in the order of a model's calls. */
export function createCalls(app: FakeApp, state: FakeState) {
  const { models, futures, faults } = state;

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

  return { call, guarded, later, promised };
}

/** Breaks the connection, as a process that dies does. */
function cut(c: FakeContext): Response {
  c.env.incoming.socket.destroy();
  return new Response(null, { status: 500 });
}
