import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPageCache } from '../activities/pages/cache.ts';
import { createStoreIndex } from '../activities/pages/store-index.ts';
import { planSummary } from '../activities/search/summary.ts';
import { openStore } from '../activities/store/open.ts';
import type { Store } from '../activities/store/port.ts';
import { judgeSchema } from '../configs/judge-schema.ts';
import { type RunConfig, runConfigSchema } from '../configs/schema.ts';
import { writeEngineState } from '../infra/local/engine-state.ts';
import { type FakeOpenAi, startFakeOpenAi, text } from '../test/support/fake-openai.ts';
import { createProviders } from './providers.ts';

const signal = (): AbortSignal => new AbortController().signal;
const ask = {
  messages: [{ role: 'user' as const, content: 'Are they the same?' }],
  tools: [],
  maxTokens: 50,
  temperature: 0,
  session: 's',
};

let dir: string;
let store: Store;
let server: FakeOpenAi;
let close: (() => Promise<void>) | undefined;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'wideseek-providers-'));
  store = await openStore('sqlite::memory:');
  server = await startFakeOpenAi(() => text('yes'));
});
afterEach(async () => {
  await close?.();
  await server.close();
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

function open(env: Record<string, string> = {}) {
  const encoder = { name: 'none', dimensions: 0, embed: () => Promise.resolve([]) };
  const providers = createProviders({
    indexDir: dir,
    encoder,
    encoderFor: () => Promise.resolve(encoder),
    pageCache: createPageCache({ blobs: store, index: createStoreIndex(store.documents) }),
    documents: store.documents,
    env,
  });
  close = providers.close;
  return providers;
}

describe('a judge that is the policy', () => {
  it('is the engine that the environment names', async () => {
    const { judge } = open({ WIDESEEK_MODEL_URL: server.baseUrl, WIDESEEK_MODEL: 'big' });
    const model = judge!(judgeSchema.parse({ provider: 'policy' }));
    expect(model?.name).toBe('big');
    expect((await model!.complete(ask, signal())).message.content).toBe('yes');
    expect(server.requests.map(({ body }) => body.model)).toEqual(['big']);
  });

  it('is nobody where the built-in policy answers: it cannot judge', () => {
    expect(open().judge!(judgeSchema.parse({ provider: 'policy' }))).toBeNull();
  });
});

describe('the summariser of pages', () => {
  const config = (change: object = {}): RunConfig => runConfigSchema.parse(change);
  const endpoint = (model: string, more: object = {}) => ({
    provider: 'openai',
    model,
    baseUrls: ['http://127.0.0.1:9/v1'],
    ...more,
  });

  it('is the configured endpoint, on its queue', () => {
    const { summariser } = open({ WIDESEEK_JUDGE_URL: server.baseUrl, WIDESEEK_JUDGE_MODEL: 'judge' });
    const found = (change: object) => summariser!(config(change));
    expect(found({ models: { summariser: endpoint('small', { queue: 'cheap' }) } })).toMatchObject({
      model: { name: 'small' },
      queue: 'cheap',
    });
    expect(found({ models: { summariser: endpoint('small') }, queues: { model: 'gpu' } })?.queue).toBe('gpu');
  });

  it('is the judge of the environment, else the default model, else nobody', () => {
    const judged = open({ WIDESEEK_JUDGE_URL: server.baseUrl, WIDESEEK_JUDGE_MODEL: 'judge' });
    expect(judged.summariser!(config())).toMatchObject({ model: { name: 'judge' }, queue: 'judge' });
    const plain = open();
    expect(plain.summariser!(config({ models: { default: endpoint('big') } }))).toMatchObject({
      model: { name: 'big' },
      queue: 'model',
    });
    expect(plain.summariser!(config())).toBeNull();
  });

  it('works where a summariser is named or the reference is followed, and can be turned off', () => {
    const summariser = open().summariser!;
    const plan = (change: object) => planSummary(config(change), summariser);
    const models = { default: endpoint('big') };
    expect(plan({ models })).toBeUndefined();
    expect(plan({ models: { summariser: endpoint('small', { timeoutSeconds: 20 }) } })).toEqual({
      queue: 'model',
      seconds: 20,
    });
    expect(plan({ models, agents: { profile: 'reference' } })).toEqual({ queue: 'model', seconds: 300 });
    expect(
      plan({ models, agents: { profile: 'reference' }, search: { summary: { on: false } } }),
    ).toBeUndefined();
    expect(plan({ agents: { profile: 'reference' } })).toBeUndefined();
    expect(() => plan({ search: { summary: { on: true } } })).toThrow(
      /search\.summary\.on.*models\.summariser/,
    );
  });
});

describe('search', () => {
  it('is opened once for configurations that differ only in how results are shown', async () => {
    const { search } = open();
    const web = { searcher: { kind: 'serper' } };
    const of = (change: object) =>
      search(runConfigSchema.parse({ search: { provider: 'web', web, ...change } }).search);
    expect(await of({})).toBe(await of({ topK: 9, onlyFound: true }));
    expect(await of({})).not.toBe(await of({ web: { searcher: { kind: 'serper', country: 'at' } } }));
  });
});

describe('a model that samples at the local engine', () => {
  const tokens = { engine: 'wire', tokenizer: new URL('../test/fixtures/tokens', import.meta.url).pathname };
  const { models } = runConfigSchema.parse({
    models: { default: { provider: 'tokens', model: 'm', tokens } },
  });
  /** Stands in for an engine: it refuses everything, which is enough to see who was asked. */
  const engine = async () => {
    const asked: string[] = [];
    const http = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(401).end('{}');
    });
    await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return { url, asked, stop: () => new Promise((stopped) => http.close(stopped)) };
  };

  it('finds it by the state that its supervisor writes, or by WIDESEEK_ENGINE_URL', async () => {
    const [own, other] = [await engine(), await engine()];
    const spec = { python: 'p', models: 'm', checkpoints: 'c', cache: 'c', deterministic: false };
    writeEngineState(dir, {
      ...{ phase: 'ready', spec, url: own.url, process: null, restarts: 0, log: 'l', reason: null },
    });
    const call = async (env: Record<string, string>): Promise<void> => {
      const providers = open({ WIDESEEK_HOME: dir, ...env });
      await expect(providers.model(models.default).complete(ask, signal())).rejects.toThrow();
      await providers.close();
    };
    await call({});
    expect([own.asked.length > 0, other.asked.length > 0]).toEqual([true, false]);
    own.asked.length = 0;
    await call({ WIDESEEK_ENGINE_URL: other.url });
    expect([own.asked.length > 0, other.asked.length > 0]).toEqual([false, true]);
    await Promise.all([own.stop(), other.stop()]);
  });
});
