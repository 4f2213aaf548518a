import { Connection, type ConnectionOptions } from '@temporalio/client';
import { WideseekError } from '../../domain/errors.ts';

/** Namespace of everything this project runs: `TEMPORAL_NAMESPACE`, else `default`. */
export const namespaceOf = (env: NodeJS.ProcessEnv = process.env): string =>
  env.TEMPORAL_NAMESPACE || 'default';

/**
 * How to reach the Temporal server at `address`. `TEMPORAL_API_KEY` is sent over TLS; `TEMPORAL_TLS=1` asks for
 * TLS without a key. Fits the client's and the worker's connection alike.
 */
export const connectionOptions = (address: string, env: NodeJS.ProcessEnv = process.env) => ({
  address,
  ...(env.TEMPORAL_API_KEY
    ? { tls: true as const, apiKey: env.TEMPORAL_API_KEY }
    : env.TEMPORAL_TLS === '1'
      ? { tls: true as const }
      : {}),
});

/** Connects a client. Throws `Overloaded` naming the address when nothing answers within `timeoutMs`. */
export const connect = async (
  address: string,
  { env = process.env, timeoutMs = 5_000 }: { env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<Connection> => {
  const options: ConnectionOptions = { ...connectionOptions(address, env), connectTimeout: timeoutMs };
  try {
    return await Connection.connect(options);
  } catch (cause) {
    throw new WideseekError('Overloaded', `no Temporal server answers at ${address}`, {
      hint: 'Is it running, and is TEMPORAL_ADDRESS right? `wideseek doctor` says more',
      cause,
    });
  }
};
