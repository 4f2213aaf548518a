import { reasonOfFailure } from './failure-reason.ts';
import type { UnreadableReason } from './reasons.ts';
import { requestTarget, type RequestLimits } from './request.ts';
import type { Target } from './target.ts';

/** A document as a server sent it, after redirects and decompression. */
export interface Fetched {
  /** Where the redirects ended. */
  url: string;
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export const MAX_REDIRECTS = 5;

export interface FetchDeps {
  check: (url: string, signal: AbortSignal) => Promise<Target | UnreadableReason>;
  /** Why a request must not be made, asked before each one, also those that a redirect leads to. */
  objection?: (url: URL, signal: AbortSignal) => Promise<UnreadableReason | undefined>;
}

/**
 * Follows redirects by hand, checking the target of each one like the first. Whatever goes wrong with the site is
 * a reason; only cancellation of `signal` is thrown, as the signal's own reason.
 */
export async function fetchPage(
  address: string,
  deps: FetchDeps,
  limits: RequestLimits,
  signal: AbortSignal,
): Promise<Fetched | UnreadableReason> {
  const seen = new Set<string>();
  let next = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const target = await deps.check(next, signal);
    if (typeof target === 'string') return target;
    const url = target.url.href;
    if (seen.has(url)) return 'too_many_redirects';
    seen.add(url);
    const objection = await deps.objection?.(target.url, signal);
    if (objection) return objection;
    const answer = await requestTarget(target, limits, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return reasonOfFailure(error);
    });
    if (typeof answer === 'string') return answer;
    const { status, headers, body } = answer;
    if (body !== undefined) return typeof body === 'string' ? body : { url, status, headers, body };
    if (!URL.canParse(headers.location ?? '', url)) return 'bad_response';
    next = new URL(headers.location ?? '', url).href;
  }
  return 'too_many_redirects';
}
