import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../../domain/errors.ts';
import type { EngineCapabilities } from '../../../domain/rl/engine.ts';
import { toWideseekError } from '../../provider-errors.ts';
import type { WireHttp } from './http.ts';
import { type ServerCapabilities, serverCapabilitiesSchema } from './protocol.ts';

/** How often a server that is not up yet is asked again, in milliseconds. */
const KNOCK_MS = 1_000;

export type ReadServer = (signal: AbortSignal) => Promise<ServerCapabilities>;

/** What the engine says about itself; an engine without that call says nothing, which is no error. */
export const readServer =
  (http: WireHttp, deadlineMs: number): ReadServer =>
  (signal) =>
    http.within('get_server_capabilities', deadlineMs, signal, async (inner) => {
      try {
        return await http.get('get_server_capabilities', serverCapabilitiesSchema, inner);
      } catch (error) {
        if (error instanceof WideseekError && error.type === 'BadRequest') return { supported_models: [] };
        throw error;
      }
    });

/** Asks until the server is up. Only "down" and "slow" are waited for; anything else will not mend itself. */
export async function untilUp(read: ReadServer, signal: AbortSignal): Promise<ServerCapabilities> {
  for (;;) {
    try {
      return await read(signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const { type } = toWideseekError(error, 'engine');
      if (type !== 'Overloaded' && type !== 'Timeout') throw error;
      await sleep(KNOCK_MS, undefined, { signal });
    }
  }
}

/**
 * Throws `ConfigError` where the engine says of itself something else than what the run was configured for: a wrong
 * reduction would scale every gradient wrongly, and nothing else would show it.
 */
export function checkAgreement(
  server: ServerCapabilities,
  capabilities: EngineCapabilities,
  service: string,
): void {
  const said = server.training;
  if (said === undefined) return;
  const pairs: [string, string | boolean | undefined, string | boolean][] = [
    ['reduction', said.reduction, capabilities.reduction],
    ['meanOver', capabilities.reduction === 'sum' ? undefined : said.mean_over, capabilities.meanOver],
    ['clip', said.clip, capabilities.clip],
    ['dualClip', said.dual_clip, capabilities.dualClip],
    ['forward', said.forward, capabilities.forward],
    ['gradientNormClip', said.gradient_norm_clip, capabilities.gradientNormClip],
    ['adam', said.adam, capabilities.adam],
  ];
  for (const [name, theirs, ours] of pairs)
    if (theirs !== undefined && theirs !== ours)
      throw new WideseekError(
        'ConfigError',
        `${service} says ${name} is ${theirs}, but ${capabilities.name} has ${ours}`,
        { hint: 'Name the kind of engine that really runs there' },
      );
}
