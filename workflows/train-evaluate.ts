import { condition, executeChild, ParentClosePolicy } from '@temporalio/workflow';
import type { TrainPlan } from '../activities/trainer/plan.ts';
import type { PublishedPolicy } from '../activities/trainer/policy.ts';
import type { EvaluationSummary } from '../activities/trainer/run.ts';
import { evalGroupId } from '../domain/rl/names.ts';
import { trainStore } from './proxies.ts';
import type { rolloutGroup } from './rollout-group.ts';

export interface EvaluatePolicyInput {
  plan: TrainPlan;
  step: number;
  /** The weights to evaluate, whatever is published meanwhile. */
  policy: PublishedPolicy;
}

/**
 * Answers the dev questions with one policy version, at the configured temperature and greedily: rollouts as in training,
 * that nothing is trained on. Only what could be scored is counted.
 */
export async function evaluatePolicy({
  plan,
  step,
  policy,
}: EvaluatePolicyInput): Promise<EvaluationSummary> {
  const evaluation = plan.training?.evaluation;
  if (!evaluation) return { step, score: null, greedy: null, unscored: 0 };
  const work = (['sampled', 'greedy'] as const)
    .filter((mode) => mode === 'sampled' || evaluation.greedy)
    .flatMap((mode) => Array.from({ length: evaluation.questions }, (_, question) => ({ mode, question })));
  let running = 0;
  await Promise.all(
    work.map(async ({ mode, question }) => {
      await condition(() => running < plan.maxConcurrentGroups);
      running += 1;
      try {
        const id = evalGroupId(step, mode, question);
        await executeChild<typeof rolloutGroup>('rolloutGroup', {
          workflowId: `${plan.workflowId}/${id}`,
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          args: [
            {
              ...{ plan, id, admittedAt: step, pinned: policy, use: 'keep' },
              question: { set: 'dev', at: question },
              samples: mode === 'greedy' ? 1 : evaluation.samples,
              temperature: mode === 'greedy' ? 0 : evaluation.temperature,
            },
          ],
        });
      } finally {
        running -= 1;
      }
    }),
  );
  return trainStore.recordEvaluation(plan, step);
}
