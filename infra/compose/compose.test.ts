import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadQueues } from '../../configs/workers-schema.ts';
import { DYNAMIC_CONFIG } from '../local/server.ts';

const read = async (name: string): Promise<unknown> =>
  parse(await readFile(new URL(name, import.meta.url), 'utf8'), { merge: true });
const service = z.object({
  ports: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
});

it('binds every published port to loopback', async () => {
  const { services } = z
    .object({ services: z.record(z.string(), service) })
    .parse(await read('./docker-compose.yaml'));
  const ports = Object.values(services).flatMap((one) => one.ports);
  expect(ports.length).toBeGreaterThan(2);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

it('serves every queue of configs/workers.yaml by some worker, and no unknown one', async () => {
  const { services } = z
    .object({ services: z.record(z.string(), service) })
    .parse(await read('./docker-compose.yaml'));
  const served = Object.values(services).flatMap((one) => one.environment.WIDESEEK_QUEUES?.split(',') ?? []);
  expect(new Set(served)).toEqual(new Set((await loadQueues()).keys()));
});

it('keeps the engine, which knows no keys, inside the network, and starts it only for training', async () => {
  const { services } = z
    .object({
      services: z.record(
        z.string(),
        z.object({ profiles: z.array(z.string()).optional(), ports: z.unknown().optional() }),
      ),
    })
    .parse(await read('./docker-compose.yaml'));
  expect(services.engine).toEqual({ profiles: ['training'], ports: undefined });
  expect(services.trainer?.profiles).toEqual(['training']);
});

it('tunes the server as the local one is tuned', async () => {
  const config = z
    .record(z.string(), z.array(z.object({ value: z.unknown() })))
    .parse(await read('./dynamic-config.yaml'));
  for (const setting of DYNAMIC_CONFIG) {
    const [key, value] = setting.split('=') as [string, string];
    expect(config[key]?.[0]?.value, key).toBe(Number(value));
  }
});
