import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Behaviour, completionBody } from './fake-openai-replies.ts';

export * from './fake-openai-replies.ts';

const requestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.string().nullish(),
      tool_calls: z.array(z.looseObject({})).optional(),
    }),
  ),
  tools: z.array(z.looseObject({})).optional(),
});
/** The JSON body of a chat.completions request. */
export type FakeRequest = z.infer<typeof requestSchema>;

/** One request as the server saw it. */
export interface RecordedRequest {
  /** Counts from 0 in order of arrival. */
  n: number;
  /** SHA-256 of the messages: equal conversations have equal keys. */
  key: string;
  body: FakeRequest;
  authorization: string | undefined;
  /** Status that was sent completely; null while it is under way, and for stalls, cuts and dropped clients. */
  answered: number | null;
}

export interface FakeOpenAi {
  /** Ends in `/v1`. */
  baseUrl: string;
  port: number;
  requests: RecordedRequest[];
  /** Keys of conversations that were answered with a 200 more than once: calls that somebody repeated. */
  repeated(): string[];
  /** What went wrong in the fake itself: a script that ran out, a request that is no chat completion. */
  problems: string[];
  /** Closes all connections, also stalled ones. */
  close(): Promise<void>;
}

/** A queue of behaviours, each used once, or a function of the request and its number. */
export type Script =
  readonly Behaviour[] | ((request: FakeRequest, n: number) => Behaviour | Promise<Behaviour>);

export interface FakeOptions {
  /** Default: any free port. */
  port?: number;
  /** Milliseconds before every answer. */
  latencyMs?: number;
  /** Each request appends a line when it arrives and one when it has been answered. */
  logFile?: string;
}

/**
 * An OpenAI-compatible server on 127.0.0.1 that follows a script and remembers every request. When a queue
 * runs out, it answers 400 with a message that says so, and notes it in `problems`.
 */
export async function startFakeOpenAi(script: Script, options: FakeOptions = {}): Promise<FakeOpenAi> {
  const requests: RecordedRequest[] = [];
  const problems: string[] = [];

  const refuse = (message: string): Behaviour => {
    problems.push(message);
    return { kind: 'status', status: 400, message };
  };
  const log = (event: string, record: RecordedRequest): void => {
    const { n, key, answered } = record;
    const line = JSON.stringify({ event, n, key, answered, at: Date.now() });
    if (options.logFile) appendFileSync(options.logFile, `${line}\n`);
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    if (request.method === 'GET' && request.url === '/v1/models') return sendJson(response, 200, MODELS);
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
      return sendJson(response, 404, JSON.stringify({ error: { message: `no route ${request.url}` } }));
    const parsed = requestSchema.safeParse(parseJson(body));
    if (!parsed.success) {
      const problem = refuse(`not a chat completion: ${z.prettifyError(parsed.error)}`);
      return perform(problem, response, 'unknown', -1);
    }
    const n = requests.length;
    const record: RecordedRequest = {
      n,
      key: messagesKey(parsed.data.messages),
      body: parsed.data,
      authorization: request.headers.authorization,
      answered: null,
    };
    requests.push(record);
    log('received', record);
    const behaviour =
      typeof script === 'function'
        ? await script(parsed.data, n)
        : (script[n] ??
          refuse(`the fake's script has ${script.length} behaviours; this is request ${n + 1}`));
    response.on('finish', () => {
      record.answered = response.statusCode;
      log('answered', record);
    });
    if (options.latencyMs) await sleep(options.latencyMs);
    await perform(behaviour, response, parsed.data.model, n);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    problems,
    repeated: () => repeatedKeys(requests.filter((request) => request.answered === 200)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** SHA-256 of a request's messages, lower-case hex. */
export const messagesKey = (messages: FakeRequest['messages']): string =>
  createHash('sha256').update(JSON.stringify(messages)).digest('hex');

/** Keys that stand in the list more than once. */
export function repeatedKeys(list: readonly { key: string }[]): string[] {
  const counts = new Map<string, number>();
  for (const { key } of list) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
}

async function perform(
  behaviour: Behaviour,
  response: ServerResponse,
  model: string,
  n: number,
): Promise<void> {
  switch (behaviour.kind) {
    case 'reply': {
      if (behaviour.delayMs) await sleep(behaviour.delayMs);
      const body = completionBody(behaviour, model, n);
      if (behaviour.chunkMs === undefined) return sendJson(response, 200, body);
      return drip(response, body, behaviour.chunkMs);
    }
    case 'status': {
      const { status, message = 'fake failure', code, headers } = behaviour;
      return sendJson(response, status, JSON.stringify({ error: { message, code, type: 'fake' } }), headers);
    }
    case 'raw':
      response.writeHead(behaviour.status ?? 200, {
        'content-type': behaviour.type ?? 'application/json',
        ...behaviour.headers,
      });
      return void response.end(behaviour.body);
    case 'truncated':
      return sendJson(response, 200, '{"id":"x","choices":[{"index":0,"message":{"role":"assis');
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"id":"x","choices":[');
      await sleep(20);
      return void response.destroy();
    case 'reset':
      return void response.socket?.resetAndDestroy();
    case 'stall':
      return;
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body);
}

/** Sends a body in ten pieces; stops when the client has gone. */
async function drip(response: ServerResponse, body: string, chunkMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  const size = Math.ceil(body.length / 10);
  for (let start = 0; start < body.length; start += size) {
    if (response.destroyed) return;
    response.write(body.slice(start, start + size));
    await sleep(chunkMs);
  }
  response.end();
}

const MODELS = JSON.stringify({ object: 'list', data: [{ id: 'fake', object: 'model' }] });

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
