import { expect, test } from 'vitest';
import { changedEnv, workerEnv } from './worker-env.ts';

const env = {
  WIDESEEK_MODEL_URL: 'http://a/v1',
  OPENAI_API_KEY: 'secret-key',
  WIDESEEK_HOME: '/h',
  PATH: '/bin',
};

test('only what concerns a worker is kept, and no value can be read from it', () => {
  expect(Object.keys(workerEnv(env))).toEqual(['WIDESEEK_MODEL_URL', 'OPENAI_API_KEY']);
  expect(JSON.stringify(workerEnv(env))).not.toMatch(/secret-key|http/);
});

test('changed, added and removed variables are named; the command’s own are not', () => {
  const running = workerEnv(env);
  expect(changedEnv(running, { ...env, WIDESEEK_HOME: '/other', WIDESEEK_DEBUG: '1' })).toEqual([]);
  expect(changedEnv(running, { WIDESEEK_MODEL_URL: 'http://b/v1', WIDESEEK_MODEL: 'm' })).toEqual([
    ...['OPENAI_API_KEY', 'WIDESEEK_MODEL', 'WIDESEEK_MODEL_URL'],
  ]);
});
