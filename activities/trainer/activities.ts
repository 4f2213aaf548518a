import type { Rollout } from '../../domain/rl/types.ts';
import { collectRollout } from '../model/tokens/collect.ts';
import { createGroupActivities, type GroupDeps } from './group.ts';
import { createLeases } from './lease.ts';
import type { PlanDeps } from './plan.ts';
import { createTrainRunActivities } from './run.ts';
import { createSftActivities } from './sft.ts';
import { createTrainerActivities, type TrainerDeps } from './step.ts';

/** What training needs from the outside; tests put fakes here, `workers/providers.ts` the real ones. */
export interface TrainingProviders extends Pick<TrainerDeps, 'host' | 'engine'>, Pick<GroupDeps, 'sampling'> {
  /** Default: the tokens that the runs' models recorded. */
  collect?: (runId: string, sample: number) => Promise<Omit<Rollout, 'outcome'>>;
}

/** All activities of training: groups of rollouts, the run's records, and those of a trainer's host. */
export function createTrainingActivities(deps: PlanDeps & Pick<GroupDeps, 'judge'> & TrainingProviders) {
  const collect =
    deps.collect ?? ((runId: string, sample: number) => collectRollout(deps.store, runId, sample));
  const leases = createLeases(deps);
  return {
    ...createGroupActivities({ ...deps, collect }),
    ...createTrainRunActivities(deps),
    ...createTrainerActivities(deps, leases),
    ...createSftActivities(deps, leases),
  };
}
