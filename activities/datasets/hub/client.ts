import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import { fromHttp } from '../../provider-http.ts';
import { toWideseekError } from '../../provider-errors.ts';

/** One file of a repository on the hub. */
export interface HubFile {
  path: string;
  /** Bytes. */
  size: number;
  /** What its content must hash to: SHA-256 of large files, else git's SHA-1 of the blob. */
  checksum: { algorithm: 'sha256' | 'git-sha1'; hex: string };
}

export interface Hub {
  /** The commit that a branch, tag or commit means; the name itself where the server cannot say. */
  resolve(revision: string): Promise<string>;
  /** All files of a revision. */
  files(revision: string): Promise<HubFile[]>;
  /** Opens a file from byte `from` on. Status 206 honours the range, 200 starts over, 416 has nothing there. */
  open(path: string, revision: string, from: number, signal: AbortSignal): Promise<Response>;
}

export interface HubOptions {
  /** `owner/name` of the data set. */
  id: string;
  /** Names HF_ENDPOINT (another hub of the same layout) and HF_TOKEN (for gated sets). */
  env: Readonly<Record<string, string | undefined>>;
}

const DEFAULT_ENDPOINT = 'https://huggingface.co';
/** Milliseconds for lists and until a download starts. */
const TIMEOUT_MS = 60_000;
const MAX_PAGES = 1_000;

const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    oid: z.string(),
    size: z.number().int().nonnegative(),
    lfs: z.object({ oid: z.string(), size: z.number() }).nullish(),
  }),
);
const COMMIT = /^[0-9a-f]{40}$/;
const revisionSchema = z.object({ sha: z.string().regex(COMMIT) });

/**
 * A data set on the Hugging Face hub, or on a server that lays files out as the hub does. Throws `Unauthorized` for a
 * gated set or a wrong token, `NotFound` for an unknown set, revision or file, else as any provider.
 */
export function openHub({ id, env }: HubOptions): Hub {
  const endpoint = (env.HF_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/+$/, '');
  const token = env.HF_TOKEN?.trim();
  const service = `hub ${new URL(endpoint).host}: ${id}`;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

  async function request(url: string, extra: Record<string, string>, signal: AbortSignal): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(url, { headers: { ...headers, ...extra }, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw toWideseekError(error, service, { secrets: token ? [token] : [] });
    }
    if (response.ok || response.status === 416) return response;
    throw await refusal(response, token);
  }

  async function refusal(response: Response, secret: string | undefined): Promise<WideseekError> {
    const body = await response.text().catch(() => '');
    if (response.status === 401 || response.status === 403) {
      return new WideseekError('Unauthorized', `${service}: HTTP ${response.status}: access is refused`, {
        hint: `Accept its conditions at ${endpoint}/datasets/${id} and set HF_TOKEN to a token of yours`,
      });
    }
    if (response.status === 404)
      return new WideseekError(
        'NotFound',
        `${service}: HTTP 404: there is no ${new URL(response.url).pathname}`,
      );
    return fromHttp({ status: response.status, headers: response.headers, body }, service, {
      secrets: secret ? [secret] : [],
    });
  }

  async function json<T>(url: string, schema: z.ZodType<T>): Promise<{ value: T; next: string | null }> {
    const response = await request(url, {}, AbortSignal.timeout(TIMEOUT_MS));
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (!parsed.success)
      throw new WideseekError('BadReply', `${service}: ${url} is not what the hub answers`);
    const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
    return { value: parsed.data, next: next === null ? null : new URL(next, url).href };
  }

  return {
    async resolve(revision) {
      if (COMMIT.test(revision)) return revision;
      const url = `${endpoint}/api/datasets/${id}/revision/${encodeURIComponent(revision)}`;
      try {
        return (await json(url, revisionSchema)).value.sha;
      } catch (error) {
        // A mirror may serve files and lists only; an unknown set or revision fails at its list.
        if (error instanceof WideseekError && error.type === 'NotFound') return revision;
        throw error;
      }
    },

    async files(revision) {
      const found: HubFile[] = [];
      let url: string | null =
        `${endpoint}/api/datasets/${id}/tree/${encodeURIComponent(revision)}?recursive=true`;
      for (let page = 0; url !== null && page < MAX_PAGES; page += 1) {
        const { value, next }: { value: z.infer<typeof treeSchema>; next: string | null } = await json(
          url,
          treeSchema,
        );
        for (const { type, path, oid, size, lfs } of value) {
          if (type !== 'file') continue;
          const checksum = lfs
            ? ({ algorithm: 'sha256', hex: lfs.oid } as const)
            : ({ algorithm: 'git-sha1', hex: oid } as const);
          found.push({ path, size: lfs?.size ?? size, checksum });
        }
        url = next;
      }
      return found;
    },

    open(path, revision, from, signal) {
      const url = `${endpoint}/datasets/${id}/resolve/${encodeURIComponent(revision)}/${encoded(path)}`;
      return request(url, from > 0 ? { range: `bytes=${from}-` } : {}, signal);
    },
  };
}
