import { z } from 'zod';
import { type RunConfig, runConfigSchema } from '../../configs/schema.ts';
import { limitsFor } from '../../domain/agents/limits.ts';
import type { Plan } from '../../domain/agents/plan.ts';
import { detectLanguage } from '../../domain/agents/text.ts';
import type { Blobs } from '../store/port.ts';

/** The stored half of a plan: everything an activity may need and a workflow need not carry. */
export const planDocumentSchema = z.object({
  question: z.string(),
  today: z.string().nullable(),
  answer: z.enum(['auto', 'table', 'boxed']),
  config: runConfigSchema,
});
export type PlanDocument = z.infer<typeof planDocumentSchema>;

export interface PlanRequest {
  runId: string;
  question: string;
  config: RunConfig;
  /** Milliseconds since the epoch. */
  now: number;
  policy: string;
  /** Whether model and search calls are fast and local by default (`queues: auto`). */
  local: { model: boolean; search: boolean };
}

/** Resolves a question and its configuration into a plan and stores the document behind it. */
export async function makePlan(request: PlanRequest, blobs: Blobs): Promise<Plan> {
  const { config, question, now } = request;
  const reference = config.agents.profile === 'reference';
  const document: PlanDocument = {
    question,
    today: reference ? null : new Date(now).toISOString().slice(0, 10),
    answer: config.answer,
    config,
  };
  const queue = (name: string, kind: 'model' | 'search' | 'pages'): string | null =>
    name === 'local' || (name === 'auto' && request.local[kind === 'model' ? 'model' : 'search'])
      ? null
      : name === 'auto'
        ? kind
        : name;
  return {
    runId: request.runId,
    language: config.language === 'auto' ? detectLanguage(question) : config.language,
    workflow: config.agents.workflow,
    profile: config.agents.profile,
    limits: {
      lead: limitsFor('lead', config.agents),
      subagent: limitsFor('subagent', config.agents),
      single: limitsFor('single', config.agents),
    },
    planRef: await blobs.put(JSON.stringify(document)),
    queues: {
      model: queue(config.queues.model, 'model'),
      search: queue(config.queues.search, 'search'),
      pages: queue(config.queues.pages, 'pages'),
    },
    modelInProcess: request.local.model,
    retry: config.retry,
    callSeconds: config.models.default.timeoutSeconds,
    deadline: now + config.budget.minutes * 60_000,
    minutes: config.budget.minutes,
    historyEvents: config.historyEvents,
    policy: request.policy,
  };
}

/** Reads plan documents back; they are immutable, so a few stay in memory. */
export function planReader(blobs: Blobs): (planRef: string) => Promise<PlanDocument> {
  const cache = new Map<string, Promise<PlanDocument>>();
  return (planRef) => {
    const known = cache.get(planRef);
    if (known) return known;
    if (cache.size > 200) cache.delete(cache.keys().next().value!);
    const reading = blobs.get(planRef).then((text) => planDocumentSchema.parse(JSON.parse(text)));
    reading.catch(() => cache.delete(planRef));
    cache.set(planRef, reading);
    return reading;
  };
}
