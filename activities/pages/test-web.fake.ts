import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface TestSite {
  /** `http://127.0.0.1:<port>` or the same with `https`. */
  url: string;
  port: number;
  /** Sockets that were opened to it, whatever they asked. */
  connections: () => number;
  /** Paths that were asked for, oldest first. */
  paths: () => string[];
  /** Bytes written to all its sockets. */
  sent: () => number;
  stop: () => Promise<void>;
}

/** A real server on loopback that knows nothing but its handler; robots.txt is a 404 unless the handler answers it. */
export async function startSite(
  handler: Handler,
  tls?: { key: string; cert: string },
  host = '127.0.0.1',
): Promise<TestSite> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  let opened = 0;
  let gone = 0;
  const listener: Handler = (request, response) => {
    asked.push(request.url ?? '');
    handler(request, response);
  };
  const server: Server = tls ? createTlsServer(tls, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    opened++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      gone += socket.bytesWritten;
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    connections: () => opened,
    paths: () => asked,
    sent: () => gone + [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    stop: () =>
      new Promise((resolve) => {
        sockets.forEach((socket) => socket.destroy());
        server.close(() => resolve());
      }),
  };
}

/** A handler that answers by path and with 404 elsewhere. */
export const byPath =
  (routes: Record<string, Handler>): Handler =>
  (request, response) => {
    const route = routes[(request.url ?? '').split('?')[0] ?? ''];
    if (route) return route(request, response);
    response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here');
  };

/** Answers 200 with this body. */
export const body =
  (
    content: string | Buffer,
    type = 'text/html; charset=utf-8',
    headers: Record<string, string> = {},
  ): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(content);
  };

export const redirect =
  (location: string, status = 302): Handler =>
  (_request, response) => {
    response.writeHead(status, { location }).end();
  };

const PROSE =
  'The lighthouse was lit for the first time in 1871, and its lamp could be seen for nineteen miles. Its keepers lived in the tower with their families until 1967, when the light was made automatic and the last of them moved to the town. ';

/** A small article that every part of the reader takes for one. */
export const article = (title: string, text = PROSE.repeat(2)): string =>
  `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
