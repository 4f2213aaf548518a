import { Client, type Connection } from '@temporalio/client';
import { mkdirSync } from 'node:fs';
import { createPayloadStorage } from '../../activities/store/external-storage.ts';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { WideseekError } from '../../domain/errors.ts';
import { connect, namespaceOf } from '../../infra/local/connect.ts';
import { homePaths, storeUrl, wideseekHome } from '../../infra/local/home.ts';
import { ensureStack, runningStack } from '../../infra/local/stack.ts';
import { readState } from '../../infra/local/state.ts';
import { type Io, tell } from '../io.ts';

/** The store of this home, made when it is missing. */
export const openRunStore = async (io: Io): Promise<Store> => {
  const home = wideseekHome(io.env);
  mkdirSync(home, { recursive: true });
  return openStore(storeUrl(home, io.env));
};

/** A connection to Temporal and the store, with server and worker running. */
export interface Session {
  /** Of the Temporal server. */
  address: string;
  connection: Connection;
  client: Client;
  store: Store;
  /** The Temporal UI's page of a workflow; null where we do not know the UI. */
  pageOf(workflowId: string): string | null;
  /**
   * Starts what died since; safe to call at any time. Throws `Overloaded` when somebody stopped the stack on
   * purpose: that is not ours to undo.
   */
  revive(): Promise<void>;
  /** The stack stays up when this process ends. */
  keep(): void;
  /** Calls that are still open are left to themselves when the session closes. */
  abandonCalls(): void;
  close(): Promise<void>;
}

/** Address of the UI: of the stack we run, else `TEMPORAL_UI_URL`. */
export const workflowPage = (uiUrl: string | null, namespace: string, workflowId: string): string | null =>
  uiUrl && `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`;

/** Opens everything that a run needs. Throws `Overloaded`, `Timeout` or `NotFound` when the stack cannot run. */
export const openSession = async (io: Io, options: { keep?: boolean } = {}): Promise<Session> => {
  const home = wideseekHome(io.env);
  const start = () =>
    ensureStack({ home, env: io.env, keep: options.keep, onStatus: (line) => tell(io, line) });
  const stack = await start();
  const handles = [stack];
  let abandoned = false;
  const namespace = namespaceOf(io.env);
  try {
    const connection = await connect(stack.address, { env: io.env });
    const store = await openRunStore(io);
    return {
      address: stack.address,
      connection,
      client: new Client({ connection, namespace, dataConverter: createPayloadStorage(store) }),
      store,
      pageOf: (workflowId) =>
        workflowPage(stack.uiUrl ?? io.env.TEMPORAL_UI_URL ?? null, namespace, workflowId),
      revive: async () => {
        if (runningStack(home)) return;
        if (!readState(homePaths(home).state)) {
          throw new WideseekError(
            'Overloaded',
            'the local stack was stopped; the run goes on when it is up again',
            {
              hint: 'Then `wideseek watch` follows it',
            },
          );
        }
        handles.push(await start());
      },
      keep: () => stack.keep(),
      abandonCalls: () => (abandoned = true),
      close: async () => {
        await store.close();
        // The client's retry timers throw into the void when the channel is closed under an open call.
        if (!abandoned) await connection.close();
        for (const handle of handles) await handle.release();
      },
    };
  } catch (error) {
    await stack.release();
    throw error;
  }
};

/** Opens a session, runs `body`, and closes the session whatever happens. */
export const withSession = async <T>(
  io: Io,
  options: { keep?: boolean },
  body: (session: Session) => Promise<T>,
): Promise<T> => {
  const session = await openSession(io, options);
  try {
    return await body(session);
  } finally {
    await session.close();
  }
};

/** Opens the store alone, runs `body`, and closes it. */
export const withStore = async <T>(io: Io, body: (store: Store) => Promise<T>): Promise<T> => {
  const store = await openRunStore(io);
  try {
    return await body(store);
  } finally {
    await store.close();
  }
};
