import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runConfigSchema } from '../../../configs/schema.ts';
import { openStore } from '../../store/open.ts';
import { publishPolicy } from '../../trainer/policy.ts';
import type { ModelRequest } from '../port.ts';
import { openTokenModel } from './open.ts';
import { fakeSampler, type FakeSampler } from './sampler.fake.ts';
import { loadTokenizer } from './tokenizer.ts';

const FILES = new URL('../../../test/fixtures/tokens', import.meta.url).pathname;
const tokenizer = await loadTokenizer(FILES);
const dir = await mkdtemp(join(tmpdir(), 'wideseek-open-'));
const store = await openStore(`sqlite:${join(dir, 'store.db')}`);
const { documents } = store;
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const configOf = (tokens: object | undefined) =>
  runConfigSchema.parse({ models: { default: { provider: 'tokens', tokens } } }).models.default;
const request: ModelRequest = {
  messages: [{ role: 'user', content: 'hi' }],
  tools: [],
  maxTokens: 9,
  temperature: 1,
  session: 's',
};
const signal = new AbortController().signal;

/** The model, and the samplers that it made, by address. */
function open(tokens: object, localEngine?: () => string) {
  const made = new Map<string, FakeSampler>();
  const createSampler = (url: string): FakeSampler => {
    const sampler = fakeSampler(tokenizer, () => 'hello');
    made.set(url, sampler);
    return sampler;
  };
  const options = { documents, env: {}, createSampler, localEngine };
  return { model: openTokenModel(configOf(tokens), options), made };
}

describe('openTokenModel', () => {
  it('names the field that is missing', () => {
    const opening = (tokens: object | undefined) => () =>
      openTokenModel(configOf(tokens), { documents, env: {} });
    expect(opening(undefined)).toThrow(/models\.default\.tokens: is missing/);
    expect(opening({ engine: 'wire', tokenizer: FILES })).toThrow(/tokens\.url: is missing/);
    expect(() => configOf({ engine: 'wire', url: 'http://e' })).toThrow(/tokenizer/);
    expect(() => configOf({ engine: 'vllm', tokenizer: FILES })).toThrow(/engine/);
    expect(() => configOf({ engine: 'wire', tokenizer: FILES, polcy: 'x' })).toThrow(/polcy/);
  });

  it('samples the base model, or a fixed snapshot, at the configured address', async () => {
    const base = open({ engine: 'wire', url: 'http://engine:1', tokenizer: FILES });
    const reply = await base.model.complete(request, signal);
    expect(reply).toMatchObject({ message: { content: 'hello' }, tokens: { version: 0 } });
    expect(base.made.get('http://engine:1')!.calls[0]!.request.path).toBeNull();
    expect(base.model.name).toBe(FILES);
    const fixed = open({ engine: 'wire', url: 'http://engine:1', tokenizer: FILES, path: 'tinker://m/s1' });
    await fixed.model.complete(request, signal);
    expect(fixed.made.get('http://engine:1')!.calls[0]!.request.path).toBe('tinker://m/s1');
  });

  it('samples at the local engine where nothing else is named, also after it has moved', async () => {
    let url = 'http://local:1';
    const local = () => url;
    const { model, made } = open({ engine: 'wire', tokenizer: FILES }, local);
    await model.complete(request, signal);
    url = 'http://local:2';
    await model.complete(request, signal);
    expect([...made.keys()]).toEqual(['http://local:1', 'http://local:2']);
    const named = open({ engine: 'wire', url: 'http://engine:1', tokenizer: FILES }, local);
    await named.model.complete(request, signal);
    expect([...named.made.keys()]).toEqual(['http://engine:1']);
    await publishPolicy(documents, 'train-0', { version: 1, path: 'tinker://m/s1', url: 'http://a' });
    const following = open({ engine: 'wire', tokenizer: FILES, policy: 'train-0' }, local);
    await following.model.complete(request, signal);
    expect([...following.made.keys()]).toEqual(['http://a']);
    expect(() => open({ engine: 'sglang', tokenizer: FILES }, local)).toThrow(/tokens\.url: is missing/);
  });

  it('follows what a train run publishes, to other addresses too', async () => {
    const { model, made } = open({ engine: 'wire', tokenizer: FILES, policy: 'train-1' });
    await expect(model.complete(request, signal)).rejects.toThrow(/"train-1" has published nothing yet/);
    await publishPolicy(documents, 'train-1', { version: 1, path: 'tinker://m/s1', url: 'http://a' });
    expect((await model.complete(request, signal)).tokens!.version).toBe(1);
    await publishPolicy(documents, 'train-1', { version: 2, path: 'tinker://m/s2', url: 'http://b' });
    expect((await model.complete(request, signal)).tokens!.version).toBe(2);
    expect((await model.complete(request, signal)).tokens!.version).toBe(2);
    expect([...made].map(([url, { calls }]) => [url, calls.map((call) => call.request.path)])).toEqual([
      ['http://a', ['tinker://m/s1']],
      ['http://b', ['tinker://m/s2', 'tinker://m/s2']],
    ]);
  });

  it.each(['wire', 'sglang'])(
    'reports an engine %s that is not there as something to try again',
    async (engine) => {
      const config = configOf({ engine, url: 'http://127.0.0.1:9', tokenizer: FILES });
      const model = openTokenModel({ ...config, model: 'tiny' }, { documents, env: {} });
      await expect(model.complete(request, signal)).rejects.toMatchObject({ type: 'Overloaded' });
    },
  );
});
