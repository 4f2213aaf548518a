import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/**
 * `GET /ready`: 200 once every Worker of the process runs, else 503 with the state of each: a process that lost one
 * Worker must not look healthy. Binds to loopback. Returns how to close it.
 */
export async function serveHealth(
  port: number,
  states: () => Record<string, string>,
): Promise<{ port: number; close: () => void }> {
  const app = new Hono();
  app.get('/ready', (context) => {
    const queues = states();
    const ready =
      Object.keys(queues).length > 0 && Object.values(queues).every((state) => state === 'RUNNING');
    return context.json({ ready, queues }, ready ? 200 : 503);
  });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, (info) =>
      resolve({ port: info.port, close: () => void server.close() }),
    );
    server.on('error', reject);
  });
}
