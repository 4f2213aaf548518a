import { type PriceList, priceOf } from '../../configs/prices-schema.ts';
import type { ModelConfig, RunConfig } from '../../configs/schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import { endpointOf, rolesOf } from './endpoint.ts';

/**
 * The configuration with a price at every endpoint that the list knows; prices written at an endpoint stay.
 * `nameOf`: what answers behind an endpoint.
 */
export function withPrices(
  config: RunConfig,
  list: PriceList,
  nameOf: (endpoint: ModelConfig) => string,
): RunConfig {
  const defaultIsUsed = rolesOf(config).some((role) => config.models[role] === undefined);
  const models = Object.entries(config.models).map(([role, endpoint]): [string, ModelConfig | undefined] => {
    if (endpoint === undefined || endpoint.prices) return [role, endpoint];
    if (role === 'default' && !defaultIsUsed) return [role, endpoint];
    const prices = priceOf(nameOf(endpoint), list);
    return [role, prices ? { ...endpoint, prices } : endpoint];
  });
  return { ...config, models: { ...config.models, ...Object.fromEntries(models) } };
}

/**
 * A ceiling in money needs the price of every model that is paid for: without one, spending would count as nothing.
 * `isFree`: answered in this process. Throws `ConfigError` naming model and role, before anything is spent.
 */
export function requirePrices(
  config: RunConfig,
  isFree: (endpoint: ModelConfig) => boolean,
  nameOf: (endpoint: ModelConfig) => string,
): void {
  if (config.budget.usd === null) return;
  const used = rolesOf(config).map((role) => [role, endpointOf(config, role)] as const);
  // Others that are paid for out of the same budget, such as a summariser.
  const known: ReadonlySet<string> = new Set(['default', 'lead', 'subagent', 'single']);
  const further = Object.entries(config.models).filter(([role]) => !known.has(role));
  for (const [role, endpoint] of [...used, ...further]) {
    if (endpoint === undefined || endpoint.prices || isFree(endpoint)) continue;
    throw new WideseekError(
      'ConfigError',
      `budget.usd: the price of the model "${nameOf(endpoint)}" (${role}) is not known, so a ceiling of $${config.budget.usd} cannot be kept`,
      { hint: `Write its prices into configs/prices.yaml, or set models.${role}.prices` },
    );
  }
}
