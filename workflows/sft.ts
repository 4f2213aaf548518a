import {
  CancellationScope,
  defineQuery,
  isCancellation,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TrainInput } from '../activities/trainer/plan.ts';
import type { SftResult } from '../activities/trainer/sft.ts';
import { runIdOf } from '../domain/ids.ts';
import { sftOn, sftPlanning, trainStore } from './proxies.ts';
import { giveBack, type LeaseHolder, onTrainer } from './trainer.ts';

export interface SftProgress {
  runId: string;
  step: number;
  steps: number;
  loss: number | null;
}
export const sftProgress = defineQuery<SftProgress>('progress');

/**
 * Supervised training on token sequences: `{"config": "…"}`. Works from checkpoint to checkpoint on a trainer's host;
 * killed anywhere, it goes on exactly. The result names the last checkpoint, for `engine.init` of a training.
 */
export async function sft(input: TrainInput): Promise<SftResult & { runId: string }> {
  const { workflowId } = workflowInfo();
  let last: SftResult | null = null;
  let steps = 0;
  const runId = runIdOf(workflowId);
  setHandler(sftProgress, () => ({ runId, step: last?.step ?? 0, steps, loss: last?.loss ?? null }));
  const plan = await sftPlanning.planSft(input, runId, workflowId);
  steps = plan.steps;
  const holder: LeaseHolder = { lease: null, note: '' };
  try {
    for (let done = plan.done; done < steps || last === null;) {
      const target = Math.min(steps, (Math.floor(done / plan.checkpointEvery) + 1) * plan.checkpointEvery);
      last = await onTrainer(holder, runId, (queue) => sftOn(queue, plan).sftTo(plan, target));
      done = target;
    }
  } catch (error) {
    await CancellationScope.nonCancellable(async () => {
      await giveBack(holder, runId, plan);
      await trainStore.finishTraining(runId, isCancellation(error) ? 'partial' : 'failed');
    });
    throw error;
  }
  await giveBack(holder, runId, plan);
  await trainStore.finishTraining(runId, 'ok');
  return { runId, ...last };
}
