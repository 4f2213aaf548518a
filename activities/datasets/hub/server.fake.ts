import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeHub {
  endpoint: string;
  /** `GET path range`, in order. */
  requests: { path: string; range: string | undefined; authorization: string | undefined }[];
  close(): Promise<void>;
}

export interface FakeHubOptions {
  id: string;
  files: Readonly<Record<string, string>>;
  sha?: string;
  /** Paths that are large files: their checksum is SHA-256, and they answer from another place. */
  large?: readonly string[];
  /** Needs this token. */
  token?: string;
  /** Bytes after which the connection of a download is cut, by request number; absent: it is not. */
  cutAfter?: (path: string, n: number) => number | undefined;
  /** Sends other content than it promises. */
  corrupt?: (path: string, n: number) => boolean;
  ignoreRanges?: boolean;
  /** Entries per page of the list. */
  pageSize?: number;
  /** Has files and lists but cannot say which commit a branch is. */
  mirror?: boolean;
}

const sha = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');

/** A server on 127.0.0.1 that lays one data set out as the hub does. */
export async function startFakeHub(options: FakeHubOptions): Promise<FakeHub> {
  const { id, files, large = [], pageSize = 1_000 } = options;
  const commit = options.sha ?? 'a'.repeat(40);
  const requests: FakeHub['requests'] = [];
  const opened = new Map<string, number>();
  const entries = Object.entries(files).map(([path, text]) => ({
    type: 'file',
    path,
    size: Buffer.byteLength(text),
    oid: sha('sha1', `blob ${Buffer.byteLength(text)}\0${text}`),
    ...(large.includes(path)
      ? { lfs: { oid: sha('sha256', text), size: Buffer.byteLength(text), pointerSize: 130 } }
      : {}),
  }));

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const { range, authorization } = request.headers;
    requests.push({ path: url.pathname, range, authorization });
    const json = (status: number, value: unknown, headers: Record<string, string> = {}): void => {
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value));
    };
    const cdn = url.pathname.startsWith('/cdn/');
    if (options.token && !cdn && authorization !== `Bearer ${options.token}`)
      return json(401, { error: 'Access to dataset is restricted. You must be authenticated.' });
    const api = `/api/datasets/${id}`;
    if (url.pathname.startsWith(`${api}/revision/`) && !options.mirror) {
      const known = url.pathname.endsWith('/main') || url.pathname.endsWith(`/${commit}`);
      return known ? json(200, { id, sha: commit }) : json(404, { error: 'Invalid rev id' });
    }
    if (url.pathname === `${api}/tree/${commit}` || url.pathname === `${api}/tree/main`) {
      const at = Number(url.searchParams.get('cursor') ?? 0);
      const next = `<http://127.0.0.1:${port}${url.pathname}?recursive=true&cursor=${at + pageSize}>; rel="next"`;
      const more = at + pageSize < entries.length;
      return json(
        200,
        [{ type: 'directory', path: 'd', oid: 'x', size: 0 }, ...entries.slice(at, at + pageSize)],
        more ? { link: next } : {},
      );
    }
    const resolved = new RegExp(`^/(?:datasets/${id}/resolve/(?:${commit}|main)|cdn)/(.+)$`).exec(
      url.pathname,
    )?.[1];
    const path = decodeURIComponent(resolved ?? '');
    const text = files[path];
    if (text === undefined) return json(404, { error: 'Entry not found' });
    if (large.includes(path) && !cdn) return void response.writeHead(302, { location: `/cdn/${path}` }).end();

    const n = opened.get(path) ?? 0;
    opened.set(path, n + 1);
    const whole = Buffer.from(options.corrupt?.(path, n) ? text.replaceAll(/\w/g, 'x') : text);
    const from = options.ignoreRanges ? 0 : Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
    if (from > 0 && from >= whole.length) return void response.writeHead(416).end();
    const body = whole.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': String(body.length) });
    const cut = options.cutAfter?.(path, n);
    if (cut === undefined || cut >= body.length) return void response.end(body);
    response.write(body.subarray(0, cut), () => setTimeout(() => response.destroy(), 500));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
