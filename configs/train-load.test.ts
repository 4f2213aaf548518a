import { describe, expect, it } from 'vitest';
import { PRESETS } from '../domain/rl/presets.ts';
import { loadRolloutConfig, loadSftConfig, loadTrainConfig, resolveAlgorithm } from './train-load.ts';

describe('training configurations', () => {
  it.each(['wideseek-r1-4b', 'asearcher-local-7b', 'asearcher-web-qwq'])('reads %s', async (name) => {
    expect((await loadTrainConfig(name)).name).toBe(name);
  });

  it('reads collections and warm starts', async () => {
    expect((await loadRolloutConfig('collect')).groups).toBe(100);
    expect((await loadSftConfig('warm-start')).steps).toBe(750);
  });

  it('sends overrides to the training where it has such a key, else to the agents', async () => {
    const config = await loadTrainConfig('wideseek-r1-4b', { steps: 3, 'data.seed': 9, 'agents.width': 2 });
    expect(config).toMatchObject({ steps: 3, data: { seed: 9 }, policy: { set: { 'agents.width': 2 } } });
  });

  it.each<[Record<string, string | number | boolean>, RegExp]>([
    [{ steps: 0 }, /set\.steps/],
    [{ 'algorithm.clip.low': 1 }, /set\.algorithm\.clip\.low: unknown key/],
    [{ minGroups: 1000 }, /set\.minGroups: is above/],
    [{ groupSize: 1 }, /set\.groupSize/],
    [{ maxStaleness: 2, deterministic: true }, /set\.maxStaleness: is above 0/],
  ])('%j: names the field', async (set, message) => {
    await expect(loadTrainConfig('wideseek-r1-4b', set)).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(message) as string,
    });
  });

  it('replaces only the named parts of a preset', async () => {
    const { algorithm } = await loadTrainConfig('wideseek-r1-4b', {
      'algorithm.clip.clipHigh': 0.3,
      'algorithm.weighting': 'token-mean',
    });
    const { batch, loss } = PRESETS.wideseek;
    expect(resolveAlgorithm(algorithm)).toEqual({
      batch: { ...batch, weighting: 'token-mean' },
      loss: { ...loss, clip: { ...loss.clip, clipHigh: 0.3 } },
    });
  });
});
