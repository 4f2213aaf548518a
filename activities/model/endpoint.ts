import type { ModelConfig, RunConfig } from '../../configs/schema.ts';
import type { AgentRole } from '../../domain/agents/messages.ts';
import { agentOf } from '../../domain/agents/registry.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Roles whose endpoints a run calls. */
export const rolesOf = ({ agents }: Pick<RunConfig, 'agents'>): readonly AgentRole[] =>
  agentOf(agents.workflow).role === 'lead' ? ['lead', 'subagent'] : ['single'];

/** The endpoint of a role: its own entry, else the default one. */
export const endpointOf = ({ models }: Pick<RunConfig, 'models'>, role: AgentRole): ModelConfig =>
  models[role] ?? models.default;

/**
 * What answers behind an endpoint's configuration in this environment: `extractive` for the built-in policy, else the
 * model's name; empty where neither configuration nor environment names one.
 */
export function modelNameIn({ provider, model, baseUrls, tokens }: ModelConfig, env: Env): string {
  if (provider === 'tokens') return model || tokens?.policy || tokens?.tokenizer || '';
  const hasUrl = baseUrls.length > 0 || Boolean(env.WIDESEEK_MODEL_URL);
  if (provider === 'extractive' || (provider === 'auto' && !hasUrl)) return 'extractive';
  return model || env.WIDESEEK_MODEL || '';
}

/** The models that answer a run's questions, each once: `big + small`. */
export const policyOf = (config: RunConfig, nameOf: (endpoint: ModelConfig) => string): string =>
  [...new Set(rolesOf(config).map((role) => nameOf(endpointOf(config, role))))].join(' + ');
