import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';
import { describeExit, startChild, type Child } from './child.ts';
import { connect } from './connect.ts';
import { choosePort } from './ports.ts';
import {
  missingSearchAttributes,
  registerSearchAttributes,
  searchAttributeFlags,
} from './search-attributes.ts';

export const DEFAULT_PORTS = { grpc: 7233, ui: 8233 } as const;

/**
 * What makes the development server fit for agents: every dispatch may otherwise wait 50 ms, because its one
 * shard polls each queue 20 times a second. For other servers set the same keys in their dynamic configuration.
 */
export const DYNAMIC_CONFIG = [
  'history.transferProcessorMaxPollRPS=5000',
  'history.timerProcessorMaxPollRPS=5000',
  'history.visibilityProcessorMaxPollRPS=200',
] as const;

export interface ServerOptions {
  /** The `temporal` command-line program. */
  binary: string;
  /** SQLite file; made when it is missing, carried on with when it exists. */
  dbFile: string;
  log: string;
  /** gRPC port. Left out: 7233, or any free one when that is taken. Given and taken: `InvalidInput`. */
  port?: number;
  /** Port of the web UI. Left out: 8233, or any free one. */
  uiPort?: number;
  /** Ports to prefer to 7233 and 8233: a restart keeps the addresses that clients already know. */
  preferred?: { grpc: number; ui: number };
  env?: NodeJS.ProcessEnv;
  /** How long the server may take to answer, ms. */
  timeoutMs?: number;
  /** Told as soon as the process runs, long before it answers. */
  onSpawn?: (child: Child) => void;
}

export interface TemporalServer {
  /** `127.0.0.1:<port>` */
  address: string;
  uiUrl: string;
  ports: { grpc: number; ui: number };
  child: Child;
}

const serverArgs = (dbFile: string, ports: { grpc: number; ui: number }): string[] => [
  ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'],
  ...['--port', String(ports.grpc), '--ui-port', String(ports.ui), '--db-filename', dbFile],
  ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=normal'],
  ...DYNAMIC_CONFIG.flatMap((setting) => ['--dynamic-config-value', setting]),
  ...searchAttributeFlags(),
];

/** True when the server at `address` serves the default namespace with every search attribute. */
const answers = async (address: string, env: NodeJS.ProcessEnv): Promise<boolean> => {
  const connection = await connect(address, { env, timeoutMs: 1_000 }).catch(() => null);
  if (!connection) return false;
  try {
    await connection.workflowService.describeNamespace({ namespace: 'default' });
    await registerSearchAttributes(connection, 'default');
    return (await missingSearchAttributes(connection, 'default')).length === 0;
  } catch {
    return false; // comes up service by service; the deadline of the caller bounds the wait
  } finally {
    await connection.close();
  }
};

const untilItAnswers = async (child: Child, address: string, options: ServerOptions): Promise<void> => {
  const end = Date.now() + (options.timeoutMs ?? 60_000);
  let dead = false;
  const death = child.exited.then((exit) => {
    dead = true;
    throw new WideseekError(
      'Internal',
      `the Temporal server ended with ${describeExit(exit)}: ${child.lastWords(3)}`,
      { hint: `Its log is ${child.log}` },
    );
  });
  const ready = (async () => {
    // A plain local server needs no key, whatever the environment has for another one.
    const env = { ...options.env, TEMPORAL_API_KEY: '', TEMPORAL_TLS: '' };
    while (!dead && !(await answers(address, env))) {
      if (Date.now() > end) {
        throw new WideseekError('Timeout', `the Temporal server did not answer at ${address} in time`, {
          hint: `Its log is ${child.log}`,
        });
      }
      await sleep(100);
    }
  })();
  await Promise.race([death, ready]);
};

/**
 * Starts `temporal server start-dev` on 127.0.0.1 with the settings above and waits until it answers. Throws
 * `InvalidInput` for a taken port, `Internal` when the server dies, `Timeout` when it never answers.
 */
export const startTemporalServer = async (options: ServerOptions): Promise<TemporalServer> => {
  const preferred = options.preferred ?? DEFAULT_PORTS;
  const ports = {
    grpc: await choosePort('port', options.port, preferred.grpc),
    ui: await choosePort('ui-port', options.uiPort, preferred.ui),
  };
  const address = `127.0.0.1:${ports.grpc}`;
  const child = await startChild({
    name: 'server',
    command: options.binary,
    args: serverArgs(options.dbFile, ports),
    env: options.env,
    log: options.log,
  });
  options.onSpawn?.(child);
  try {
    await untilItAnswers(child, address, options);
  } catch (error) {
    await child.stop(2_000);
    throw error;
  }
  return { address, uiUrl: `http://127.0.0.1:${ports.ui}`, ports, child };
};
