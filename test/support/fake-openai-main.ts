import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Script, startFakeOpenAi, text } from './fake-openai.ts';

/**
 * The fake server as a process of its own, for tests that kill workers:
 * `node --import tsx test/support/fake-openai-main.ts [--port n] [--latency ms] [--log file] [--script module]`.
 * The script module exports a `Script` as its default; without one every answer is "ok". Prints one line of JSON,
 * `{"port": …, "baseUrl": …}`, when it listens.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    latency: { type: 'string', default: '0' },
    log: { type: 'string' },
    script: { type: 'string' },
  },
});
const scriptModule = z.object({
  default: z.custom<Script>(
    (value) => typeof value === 'function' || Array.isArray(value),
    'no default script',
  ),
});
const script: Script = values.script
  ? scriptModule.parse(await import(pathToFileURL(path.resolve(values.script)).href)).default
  : () => text('ok');

const server = await startFakeOpenAi(script, {
  port: z.coerce.number().int().parse(values.port),
  latencyMs: z.coerce.number().nonnegative().parse(values.latency),
  logFile: values.log,
});
process.stdout.write(`${JSON.stringify({ port: server.port, baseUrl: server.baseUrl })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void server.close().then(() => process.exit(server.problems.length ? 1 : 0)));
