import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { freePort } from '../../infra/local/ports.ts';
import { readTelemetry } from '../../workers/telemetry.ts';
import { clubModel, clubSearch } from '../support/clubs.ts';
import { installRuntime, startEngine, startTestServer } from '../support/engine.ts';

const spans: string[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    spans.push(
      ...[
        ...Buffer.concat(chunks)
          .toString()
          .matchAll(/"name":"([^"]+)"/g),
      ].map((match) => match[1]!),
    );
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
});
afterAll(() => void collector.close());

it('serves Prometheus metrics and sends a trace of every workflow and activity', async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const metrics = `127.0.0.1:${await freePort()}`;
  const telemetry = readTelemetry({
    WIDESEEK_METRICS: metrics,
    WIDESEEK_OTLP_URL: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
  });
  installRuntime(telemetry.runtime);
  const server = await startTestServer();
  const engine = await startEngine(server.address, {
    model: clubModel({ clubs: 1 }),
    search: clubSearch(1),
    plugins: [telemetry.tracing!],
  });
  try {
    const options = {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId('traced'),
      args: [{ question: 'Clubs?' }],
    };
    await server.client.workflow.execute('seek', options);
    // The worker counts a completion when the server has confirmed it; the client may hear of it earlier.
    await expect
      .poll(async () => (await fetch(`http://${metrics}/metrics`)).text(), { timeout: 60_000 })
      .toMatch(/temporal_workflow_completed\{[^}]*workflow_type="seek"[^}]*\} 1/);
    // Workflow spans leave through a sink, a moment after the workflow itself.
    await expect
      .poll(() => telemetry.flush().then(() => spans), { timeout: 60_000 })
      .toEqual(expect.arrayContaining(['RunWorkflow:seek', 'RunWorkflow:subagent', 'RunActivity:takeTurn']));
  } finally {
    await engine.stop();
    await server.stop();
  }
});

it('names the variable that is wrong', () => {
  expect(() => readTelemetry({ WIDESEEK_METRICS: 'everywhere' })).toThrow(
    /WIDESEEK_METRICS: must be host:port/,
  );
  expect(() => readTelemetry({ WIDESEEK_OTLP_URL: 'collector' })).toThrow(/WIDESEEK_OTLP_URL/);
});
