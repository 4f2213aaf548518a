import { createServer } from 'node:net';
import { WideseekError } from '../../domain/errors.ts';

/** Binds 127.0.0.1 for a moment; 0 asks the system for any free port. Null when the port is taken. */
const probe = (port: number): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(null) : reject(error),
    );
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null));
    });
  });

/** True when nothing listens on 127.0.0.1:`port`. */
export const isFree = async (port: number): Promise<boolean> => (await probe(port)) !== null;

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const port = await probe(0);
  if (port === null) throw new WideseekError('Internal', 'the system has no free port on 127.0.0.1');
  return port;
};

/**
 * The port to bind. A port that a person asked for must be free, else `InvalidInput` names it; a port that is
 * only preferred gives way to any free one.
 */
export const choosePort = async (
  name: string,
  asked: number | undefined,
  preferred: number,
): Promise<number> => {
  if (asked === undefined) return (await isFree(preferred)) ? preferred : freePort();
  if (await isFree(asked)) return asked;
  throw new WideseekError('InvalidInput', `${name}: port ${asked} on 127.0.0.1 is in use`, {
    hint: 'Stop what listens there, choose another port, or leave the port out so that a free one is picked',
  });
};
