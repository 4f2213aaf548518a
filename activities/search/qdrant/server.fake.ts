import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';

interface Point {
  id: number | string;
  vector: number[] | Record<string, never>;
  payload: Record<string, unknown>;
}
interface Collection {
  config: Record<string, unknown>;
  points: Map<number | string, Point>;
}

const points = z.object({
  points: z.array(
    z.object({
      id: z.union([z.int().min(0), z.guid()]),
      vector: z.union([z.array(z.number()), z.object({}).strict()]),
      payload: z.record(z.string(), z.unknown()),
    }),
  ),
});
const queryBody = z.object({ query: z.array(z.number()), limit: z.int() });
const aliasBody = z.object({
  actions: z.array(
    z.object({
      create_alias: z.object({ alias_name: z.string(), collection_name: z.string() }).optional(),
      delete_alias: z.object({ alias_name: z.string() }).optional(),
    }),
  ),
});

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

/**
 * The part of Qdrant's HTTP interface that this project uses, in memory and exact. Answers 404 for what does
 * not exist, as the server does. `statuses` are given out by `getCollection` one after another, then `green`.
 */
export const startFakeQdrant = async () => {
  const all = new Map<string, Collection>();
  const aliases = new Map<string, string>();
  const statuses: string[] = [];
  const find = (name: string) => all.get(aliases.get(name) ?? name);
  const ok = (result: unknown) => ({ result, status: 'ok', time: 0 });
  const app = new Hono();
  const missing = { status: { error: 'Not found: Collection does not exist' }, time: 0 };

  app.get('/collections', (c) => c.json(ok({ collections: [...all.keys()].map((name) => ({ name })) })));
  app.get('/aliases', (c) =>
    c.json(
      ok({
        aliases: [...aliases].map(([alias_name, collection_name]) => ({ alias_name, collection_name })),
      }),
    ),
  );
  app.post('/collections/aliases', async (c) => {
    for (const { create_alias, delete_alias } of aliasBody.parse(await c.req.json()).actions) {
      if (delete_alias) aliases.delete(delete_alias.alias_name);
      if (create_alias) aliases.set(create_alias.alias_name, create_alias.collection_name);
    }
    return c.json(ok(true));
  });
  app.get('/collections/:name/exists', (c) =>
    c.json(ok({ exists: find(c.req.param('name')) !== undefined })),
  );
  app.get('/collections/:name', (c) => {
    const found = find(c.req.param('name'));
    if (!found) return c.json(missing, 404);
    return c.json(ok({ status: statuses.shift() ?? 'green', config: { params: found.config } }));
  });
  app.put('/collections/:name', async (c) => {
    all.set(c.req.param('name'), { config: await c.req.json(), points: new Map() });
    return c.json(ok(true));
  });
  app.delete('/collections/:name', (c) => c.json(ok(all.delete(c.req.param('name')))));
  app.put('/collections/:name/points', async (c) => {
    const found = find(c.req.param('name'));
    if (!found) return c.json(missing, 404);
    for (const point of points.parse(await c.req.json()).points) found.points.set(point.id, point);
    return c.json(ok({ operation_id: 0, status: 'completed' }));
  });
  app.post('/collections/:name/points', async (c) => {
    const { ids } = z.object({ ids: z.array(z.union([z.int(), z.guid()])) }).parse(await c.req.json());
    const found = find(c.req.param('name'));
    if (!found) return c.json(missing, 404);
    return c.json(ok(ids.flatMap((id) => found.points.get(id) ?? [])));
  });
  app.post('/collections/:name/points/count', (c) => {
    const found = find(c.req.param('name'));
    return found ? c.json(ok({ count: found.points.size })) : c.json(missing, 404);
  });
  app.post('/collections/:name/points/query', async (c) => {
    const { query, limit } = queryBody.parse(await c.req.json());
    const found = find(c.req.param('name'));
    if (!found) return c.json(missing, 404);
    const scored = [...found.points.values()].map(({ id, vector, payload }) => ({
      id,
      version: 0,
      payload,
      score: Array.isArray(vector) ? dot(query, vector) : 0,
    }));
    return c.json(ok({ points: scored.sort((a, b) => b.score - a.score).slice(0, limit) }));
  });

  let listening: (port: number) => void;
  const port = new Promise<number>((resolve) => (listening = resolve));
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info) => listening(info.port));
  return {
    url: `http://127.0.0.1:${await port}`,
    collections: all,
    aliases,
    statuses,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};
