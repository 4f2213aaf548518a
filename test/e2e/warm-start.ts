import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createMemorySearch } from '../../activities/search/memory.ts';
import { expertModel } from '../../activities/datasets/mini/expert-model.ts';
import { HABITS, type Habits } from '../../activities/datasets/mini/habits.ts';
import { buildMiniCorpus } from '../../activities/datasets/mini/pages.ts';
import { miniQuestions } from '../../activities/datasets/mini/questions.ts';
import { scriptRollout } from '../../activities/datasets/mini/rollout.ts';
import { openMiniTokenizer, toRows } from '../../activities/datasets/mini/traces.ts';
import type { TrainingEngine } from '../../activities/trainer/port.ts';
import { sftDatum, type SftSequence, weightOf } from '../../activities/trainer/sft-data.ts';
import { loadRunConfig } from '../../configs/load.ts';

/** Lists of two or three members keep the conversations short. */
const SHORT: Habits = { ...HABITS, members: [1, 1, 0, 0, 0, 0, 0], forgetValue: 0.2, dropRow: 0.2 };

/** Scripted conversations about the first training questions themselves. */
async function scripted(questions: number, samples: number): Promise<SftSequence[]> {
  const { agents } = await loadRunConfig('mini');
  const tokenizer = await openMiniTokenizer();
  const pages = buildMiniCorpus();
  const search = createMemorySearch('mini', pages, pages);
  const sequences: SftSequence[] = [];
  for (const { question } of miniQuestions('train').slice(0, questions))
    for (let sample = 0; sample < samples; sample += 1) {
      const model = expertModel(tokenizer, `${question}/${sample}`, SHORT);
      for (const { tokens, weights } of toRows(await scriptRollout({ question, agents, model, search })))
        sequences.push({ tokens: Int32Array.from(tokens), weights: Float32Array.from(weights) });
    }
  return sequences;
}

/**
 * Teaches the model in `models/mini` the experts' conversations about the questions that will be asked, by heart: no
 * model to be proud of, but after seconds one that delegates, searches and writes tables, sometimes wrong ones. Its
 * weights become the base model `warm`. Returns the loss of the last step.
 */
export async function makeWarmModel(
  engine: TrainingEngine,
  folders: { models: string; checkpoints: string },
  { questions, samples, steps }: { questions: number; samples: number; steps: number },
): Promise<number> {
  const signal = AbortSignal.timeout(600_000);
  const sequences = await scripted(questions, samples);
  const denominator = sequences.reduce((sum, one) => sum + weightOf(one), 0);
  const data = sequences.map((one) => sftDatum(one, denominator));
  const handle = await engine.createModel({ baseModel: 'mini', rank: 0, seed: 1 }, signal);
  let loss = NaN;
  for (let step = 0; step < steps; step += 1) {
    const call = { lossFn: 'cross_entropy', lossFnConfig: {}, data } as const;
    ({ loss } = await engine.forwardBackward(handle, 2 * step + 1, call, signal));
    const learningRate = 4e-3 * Math.min(1, (step + 1) / 10);
    const adam = { learningRate, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0, gradClipNorm: 1 };
    await engine.optimStep(handle, 2 * step + 2, adam, signal);
  }
  const path = await engine.publish(handle, 'warm', signal);
  await engine.unload(handle, signal);
  const [model, name] = path.replace('tinker://', '').split('/');
  cpSync(join(folders.checkpoints, model!, 'sampler_weights', name!), join(folders.models, 'warm'), {
    recursive: true,
  });
  return loss;
}
