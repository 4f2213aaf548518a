import robotsParserModule from 'robots-parser';
import type { Fetched } from './fetch-page.ts';
import type { UnreadableReason } from './reasons.ts';
import { createSingleFlight } from './single-flight.ts';

export interface RobotsOptions {
  /** The product token that robots files name, e.g. `wideseek`. */
  agent: string;
  fetch: (url: string, signal: AbortSignal) => Promise<Fetched | UnreadableReason>;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** The package's types describe an ES module; it is a CommonJS function. */
const robotsParser = robotsParserModule as unknown as (
  url: string,
  text: string,
) => { isAllowed(url: string, agent: string): boolean | undefined };

type Verdict = (url: string) => UnreadableReason | undefined;
interface Site {
  verdict: Verdict;
  until: number;
}

const MAX_SITES = 2_000;
const KNOWN_MS = 60 * 60_000;
/** A file that could not be read is asked for again soon. */
const UNKNOWN_MS = 60_000;

/** Where these happen to the file, the page would meet them too; the page's reader should see the real trouble. */
const SHARED_TROUBLE: ReadonlySet<UnreadableReason> = new Set([
  'dns_failed',
  'private_address',
  'unreachable',
  'certificate_error',
  'timeout',
]);

/**
 * Why robots.txt keeps us from a URL, or undefined where it does not (RFC 9309): no file (4xx, a redirect loop)
 * permits all; a file that the server fails to give (5xx) permits nothing for a minute. Files are kept for an hour,
 * for at most 2 000 sites.
 */
export function createRobots({
  agent,
  fetch,
  now = Date.now,
}: RobotsOptions): (url: URL, signal: AbortSignal) => Promise<UnreadableReason | undefined> {
  const sites = new Map<string, Site>();
  const once = createSingleFlight<Site>();

  const ask = async (origin: string, signal: AbortSignal): Promise<Site> => {
    const address = `${origin}/robots.txt`;
    const file = await fetch(address, signal);
    const unknown = (reason: UnreadableReason): Site => ({
      verdict: () => reason,
      until: now() + UNKNOWN_MS,
    });
    const known = (verdict: Verdict): Site => ({ verdict, until: now() + KNOWN_MS });
    if (typeof file === 'string') return SHARED_TROUBLE.has(file) ? unknown(file) : known(() => undefined);
    if (file.status >= 500 || file.status === 429) return unknown('robots');
    if (file.status >= 400) return known(() => undefined);
    const rules = robotsParser(address, file.body.toString('utf8'));
    return known((url) => (rules.isAllowed(url, agent) === false ? 'robots' : undefined));
  };

  const remember = (origin: string, site: Site): void => {
    sites.delete(origin);
    sites.set(origin, site);
    const oldest = sites.keys().next().value;
    if (sites.size > MAX_SITES && oldest !== undefined) sites.delete(oldest);
  };

  return async (url, signal) => {
    if (url.pathname === '/robots.txt') return undefined;
    const kept = sites.get(url.origin);
    if (kept && kept.until > now()) return kept.verdict(url.href);
    const site = await once(url.origin, signal, (shared) => ask(url.origin, shared));
    remember(url.origin, site);
    return site.verdict(url.href);
  };
}
