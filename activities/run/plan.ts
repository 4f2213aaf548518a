import { z } from 'zod';
import { type ModelConfig, type RunConfig, runConfigSchema } from '../../configs/schema.ts';
import { limitsFor } from '../../domain/agents/limits.ts';
import type { AgentRole } from '../../domain/agents/messages.ts';
import { agentOf } from '../../domain/agents/registry.ts';
import type { Plan } from '../../domain/agents/plan.ts';
import { detectLanguage } from '../../domain/agents/text.ts';
import { endpointOf, rolesOf } from '../model/endpoint.ts';
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
  /** Whether an endpoint's calls and search calls are fast and local by default (`queues: auto`). */
  isLocalModel: (endpoint: ModelConfig) => boolean;
  isLocalSearch: boolean;
  /** Part of a larger run, such as a rollout: no person steers it. */
  unattended: boolean;
  summary?: Plan['summary'];
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
  const queue = (name: string, kind: 'model' | 'search' | 'pages', isLocal: boolean): string | null =>
    name === 'local' || (name === 'auto' && isLocal) ? null : name === 'auto' ? kind : name;
  const roles = rolesOf(config);
  const roleQueues = roles.map((role) => {
    const endpoint = endpointOf(config, role);
    return [
      role,
      endpoint.queue ?? queue(config.queues.model, 'model', request.isLocalModel(endpoint)),
    ] as const;
  });
  const [[, modelQueue]] = roleQueues as [(typeof roleQueues)[number]];
  // One queue for all is how most runs are, and how plans have always been.
  const differ = roleQueues.some(([, name]) => name !== modelQueue);
  const { clarify } = config;
  const { role } = agentOf(config.agents.workflow);
  const inProcess = (of: AgentRole): boolean =>
    request.isLocalModel(endpointOf(config, of)) || samplesNearby(config, of);
  return {
    runId: request.runId,
    language: config.language === 'auto' ? detectLanguage(question) : config.language,
    workflow: config.agents.workflow,
    role,
    profile: config.agents.profile,
    limits: {
      lead: limitsFor('lead', config.agents),
      subagent: limitsFor('subagent', config.agents),
      single: limitsFor('single', config.agents),
    },
    planRef: await blobs.put(JSON.stringify(document)),
    queues: {
      model: modelQueue,
      search: queue(config.queues.search, 'search', request.isLocalSearch),
      pages: queue(config.queues.pages, 'pages', request.isLocalSearch),
      ...(differ ? { roles: Object.fromEntries(roleQueues) } : {}),
    },
    modelInProcess: inProcess('subagent'),
    ...(request.unattended && inProcess(role) ? { leadInProcess: true } : {}),
    ...(clarify.seconds > 0 ? { clarify } : {}),
    ...(request.summary ? { summary: request.summary } : {}),
    retry: config.retry,
    callSeconds: Math.max(...roles.map((role) => endpointOf(config, role).timeoutSeconds)),
    deadline: now + config.budget.minutes * 60_000,
    minutes: config.budget.minutes,
    historyEvents: config.historyEvents,
    policy: request.policy,
  };
}

/** Whoever keeps a token model's calls with the workflow's own worker says that its engine answers at once. */
const samplesNearby = (config: RunConfig, role: AgentRole): boolean =>
  config.queues.model === 'local' && endpointOf(config, role).provider === 'tokens';

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
