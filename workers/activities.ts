import { createModelActivities } from '../activities/model/turn.ts';
import { createEvaluateActivities } from '../activities/evaluate/activities.ts';
import { createJudgeActivities } from '../activities/judge/activities.ts';
import type { ChatModel } from '../activities/model/port.ts';
import { createRunActivities } from '../activities/run/activities.ts';
import { planReader } from '../activities/run/plan.ts';
import type { SearchProvider } from '../activities/search/port.ts';
import { createSummaryActivities, planSummary, type Summariser } from '../activities/search/summary.ts';
import { createToolActivities } from '../activities/search/tools.ts';
import { createTrainingActivities, type TrainingProviders } from '../activities/trainer/activities.ts';
import type { Store } from '../activities/store/port.ts';
import type { JudgeConfig } from '../configs/judge-schema.ts';
import type { ModelConfig, RunConfig } from '../configs/schema.ts';

/** What a question needs from the outside; tests put fakes here, `workers/providers.ts` the real ones. */
export interface Providers {
  model: (config: ModelConfig) => ChatModel;
  isLocalModel: (config: ModelConfig) => boolean;
  /** Opens a corpus; throws `NotFound` with a hint where it is not built. */
  search: (config: RunConfig['search']) => Promise<SearchProvider>;
  isLocalSearch: (config: RunConfig['search']) => boolean;
  /** Null: no model is there that could summarise pages. */
  summariser?: (config: RunConfig) => Summariser | null;
  /** Null: no judge is configured. */
  judge?: (config: JudgeConfig) => ChatModel | null;
  /** Absent: this process takes no part in training. */
  training?: TrainingProviders;
}

/** All activities of the answering engine, by the names that workflows call. */
export function createActivities(
  store: Store,
  providers: Providers,
  env: NodeJS.ProcessEnv = process.env,
  now: () => number = Date.now,
) {
  const plans = planReader(store);
  const modelName = (config: ModelConfig): string => providers.model(config).name;
  const checkSearch = async (config: RunConfig['search']): Promise<void> =>
    void (await providers.search(config));
  const summariser = providers.summariser ?? (() => null);
  return {
    ...createRunActivities({
      store,
      now,
      modelName,
      isLocalModel: providers.isLocalModel,
      isLocalSearch: providers.isLocalSearch,
      checkSearch,
      summary: (config) => planSummary(config, summariser),
    }),
    ...createModelActivities({ store, plans, model: providers.model }),
    ...createToolActivities({ store, plans, search: providers.search }),
    ...createSummaryActivities({ store, plans, summariser }),
    ...createJudgeActivities({ store, judge: providers.judge ?? (() => null) }),
    ...createEvaluateActivities({ store, now, env, modelName, checkSearch }),
    ...(providers.training &&
      createTrainingActivities({
        ...{ store, now, env, checkSearch, judge: providers.judge ?? (() => null) },
        ...providers.training,
      })),
  };
}
