import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCorpusActivities } from '../../activities/corpus/activities.ts';
import { openEmbeddedSearch } from '../../activities/search/embedded/open.ts';
import type { Encoder } from '../../activities/search/port.ts';
import { createWordEncoder } from '../../activities/search/word-encoder.fake.ts';
import { heartbeatInterceptor } from '../../workers/heartbeat.ts';
import { indexCorpus, indexState } from '../../workflows/index-corpus.ts';
import { installRuntime, startTestServer } from '../support/engine.ts';
import type { TestServer } from '../support/engine.ts';

const workflowsPath = fileURLToPath(new URL('../../workflows/index-corpus.ts', import.meta.url));
const taskQueue = 'corpus';
let server: TestServer;
let connection: NativeConnection;
let dir: string;

beforeAll(async () => {
  installRuntime();
  server = await startTestServer();
  connection = await NativeConnection.connect({ address: server.address });
  dir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-index-corpus-'));
});
afterAll(async () => {
  await connection.close();
  await server.stop();
  await rm(dir, { recursive: true, force: true });
});

const writePages = (name: string, count: number, extra = '') =>
  writeFile(
    path.join(dir, name),
    Array.from(
      { length: count },
      (_, n) =>
        `${JSON.stringify({ url: `https://a.org/${n}`, title: `Page ${n}`, contents: `number${n}` })}\n`,
    ).join('') + extra,
  );
const corpusOf = (name: string, file: string) => ({
  corpus: { name, sources: [{ kind: 'pages', path: file }], batch: 5 },
});

/** Runs one workflow with a worker of its own. */
const run = async (id: string, input: Parameters<typeof indexCorpus>[0], encoder: Encoder) => {
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath,
    activities: createCorpusActivities({ indexDir: dir, dataDir: dir, encoder: async () => encoder }),
    interceptors: { activity: [heartbeatInterceptor] },
  });
  return worker.runUntil(async () => {
    const handle = await server.client.workflow.start(indexCorpus, {
      workflowId: id,
      taskQueue,
      args: [input],
    });
    const result = await handle.result();
    return { result, state: await handle.query(indexState) };
  });
};

describe('indexCorpus', () => {
  it('builds an index that can be searched, and finds it there the second time', async () => {
    await writePages('small.jsonl', 12);
    const encoder = createWordEncoder();
    const first = await run('index/small/1', corpusOf('small', 'small.jsonl'), encoder);
    expect(first.result).toMatchObject({ corpus: 'small', passages: 12, pages: 12, reused: false });
    expect(first.state).toMatchObject({ phase: 'done', corpus: 'small' });
    expect(first.state.estimate?.passages).toBe(12);
    const search = await openEmbeddedSearch({ dir: path.join(dir, 'small'), encoder });
    const [hit] = await search.search('number7', 1, new AbortController().signal);
    expect(hit?.title).toBe('Page 7');
    const second = await run('index/small/2', corpusOf('small', 'small.jsonl'), encoder);
    expect(second.result).toMatchObject({ generation: first.result.generation, reused: true });
  });

  it('goes on at the last checkpoint when an attempt fails half-way', async () => {
    await writePages('long.jsonl', 20);
    const encoder = createWordEncoder();
    let batches = 0;
    const failing: Encoder = {
      ...encoder,
      embed: async (texts, kind) => {
        batches += kind === 'passage' ? 1 : 0;
        // The first passages are the estimate's; then two batches go through.
        if (batches === 4) throw Object.assign(new Error('socket closed'), { code: 'ECONNRESET' });
        return encoder.embed(texts, kind);
      },
    };
    const { result } = await run('index/long', corpusOf('long', 'long.jsonl'), failing);
    expect(result).toMatchObject({ passages: 20, pages: 20, resumedAt: 10, reused: false });
  });

  it.each([
    ['an unknown name', { config: 'no-such-corpus' }, /no corpus configuration/],
    [
      'an unknown key',
      { corpus: { name: 'x', sources: [{ kind: 'sample' }], chunk: 1 } },
      /corpus\.chunk: unknown key/,
    ],
    ['nothing', {} as { config: string }, /input: must be/],
  ])('refuses %s at once', async (name, input, message) => {
    const failed = run(`index/bad/${name}`, input, createWordEncoder());
    const error: unknown = await failed.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    const cause = (error as WorkflowFailedError).cause?.cause;
    expect(cause).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect(String(cause)).toMatch(message);
  });

  it('names file and line of a corrupt record, without trying again', async () => {
    await writePages('corrupt.jsonl', 250, '{"url": "https://a.org/x", "conte');
    const failed = run('index/corrupt', corpusOf('corrupt', 'corrupt.jsonl'), createWordEncoder());
    const error: unknown = await failed.catch((cause: unknown) => cause);
    const cause = (error as WorkflowFailedError).cause?.cause;
    expect(cause).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect(String(cause)).toMatch(/corrupt\.jsonl:251: is not JSON/);
  });
});
