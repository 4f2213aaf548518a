import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadEvalConfig } from '../../../configs/eval-schema.ts';
import { loadRunConfig } from '../../../configs/load.ts';
import { loadSftConfig, loadTrainConfig, resolveAlgorithm } from '../../../configs/train-load.ts';
import { ENGINES, planLoss } from '../../../domain/rl/engine.ts';
import { loadDataset } from '../load.ts';
import { writeMiniModelDir } from './model-dir.ts';
import { MAX_TOKENS } from './tokenizer.ts';

const MODEL = new URL('../../../models/mini', import.meta.url).pathname;

describe('configurations of the miniature', () => {
  it.each(['mini', 'mini-sa'])(
    'train %s: loads, fits its engine and never trains on what it evaluates',
    async (name) => {
      const config = await loadTrainConfig(name);
      const plan = planLoss(
        resolveAlgorithm(config.algorithm).loss,
        ENGINES[config.engine.name],
        config.minibatches,
      );
      expect(plan.lossFnConfig).toMatchObject({ clip_low_threshold: 0.8, clip_high_threshold: 1.28 });
      const train = await loadDataset(config.data.dataset);
      const dev = await loadDataset(config.data.dev!);
      expect(train.length).toBe(260);
      const group = ({ question }: { question: string }): string => question.split(' with ')[0]!;
      const trained = new Set(train.map(group));
      expect(dev.filter((question) => trained.has(group(question)))).toEqual([]);
      const run = await loadRunConfig(config.policy.config, config.policy.set);
      expect(run).toMatchObject({
        answer: 'table',
        agents: { prompts: 'terse' },
        models: { default: { temperature: 1 } },
      });
      expect(run.agents[name === 'mini' ? 'lead' : 'single'].contextTokens).toBeLessThanOrEqual(MAX_TOKENS);
    },
  );

  it('warm starts and evaluations load', async () => {
    expect(await loadSftConfig('mini-sft')).toMatchObject({ engine: { baseModel: 'mini' } });
    expect(await loadSftConfig('mini-sa-sft')).toMatchObject({ engine: { baseModel: 'mini-start' } });
    expect(await loadEvalConfig('mini')).toMatchObject({
      dataset: { split: 'dev' },
      judge: { provider: 'none' },
    });
  });

  it('models/mini is what writeMiniModelDir writes', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mini-model-'));
    try {
      await writeMiniModelDir(dir);
      const names = (await readdir(dir)).sort();
      expect((await readdir(MODEL)).sort()).toEqual(names);
      for (const name of names)
        expect(await readFile(join(MODEL, name), 'utf8')).toBe(await readFile(join(dir, name), 'utf8'));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
