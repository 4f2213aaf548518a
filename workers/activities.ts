import { createModelActivities } from '../activities/model/turn.ts';
import type { ChatModel } from '../activities/model/port.ts';
import { createRunActivities } from '../activities/run/activities.ts';
import { planReader } from '../activities/run/plan.ts';
import type { SearchProvider } from '../activities/search/port.ts';
import { createToolActivities } from '../activities/search/tools.ts';
import type { Store } from '../activities/store/port.ts';
import type { ModelConfig, RunConfig } from '../configs/schema.ts';

/** What a question needs from the outside; tests put fakes here, `workers/providers.ts` the real ones. */
export interface Providers {
  model: (config: ModelConfig) => ChatModel;
  isLocalModel: (config: ModelConfig) => boolean;
  /** Opens a corpus; throws `NotFound` with a hint where it is not built. */
  search: (config: RunConfig['search']) => Promise<SearchProvider>;
  isLocalSearch: (config: RunConfig['search']) => boolean;
}

/** All activities of the answering engine, by the names that workflows call. */
export function createActivities(store: Store, providers: Providers, now: () => number = Date.now) {
  const plans = planReader(store);
  return {
    ...createRunActivities({
      store,
      now,
      modelName: (config) => providers.model(config).name,
      isLocalModel: providers.isLocalModel,
      isLocalSearch: providers.isLocalSearch,
      checkSearch: async (config) => void (await providers.search(config)),
    }),
    ...createModelActivities({ store, plans, model: providers.model }),
    ...createToolActivities({ store, plans, search: providers.search }),
  };
}
