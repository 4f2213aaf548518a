import { expect, test } from 'vitest';
import { runConformance } from '../../activities/trainer/wire/conformance.ts';
import { findEnginePython } from './engine-python.ts';
import { startLocalJax } from './local-jax.ts';

const python = await findEnginePython();

test.runIf(python !== undefined)(
  'our own engine meets every check and is what is declared of it',
  async () => {
    const local = await startLocalJax(python ?? '');
    try {
      const record = await runConformance(() => local.target, AbortSignal.timeout(600_000));
      expect(record.checks.filter(({ status }) => status === 'fail')).toEqual([]);
      expect(record.contradictions).toEqual([]);
      expect(record.measured).toMatchObject({ severalVersions: true, seeds: true, stopIds: true });
    } finally {
      await local.stop();
    }
  },
  660_000,
);

test('a named Python that cannot run the engine is an error, none is not', async () => {
  await expect(findEnginePython({ WIDESEEK_ENGINE_PYTHON: '/nowhere/python' })).rejects.toThrow(
    'WIDESEEK_ENGINE_PYTHON is /nowhere/python',
  );
});
