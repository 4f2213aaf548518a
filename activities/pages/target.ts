import { isIP } from 'node:net';
import { lookup } from 'node:dns/promises';
import { abortable } from './abortable.ts';
import { createAddressRule, plainHost } from './address.ts';
import type { UnreadableReason } from './reasons.ts';

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}
/** All addresses of a host name. Rejects where there are none. */
export type Resolver = (host: string) => Promise<ResolvedAddress[]>;

/** A URL that may be connected to, with the only addresses that the connection may use. */
export interface Target {
  url: URL;
  addresses: ResolvedAddress[];
}

/** The operating system's own resolver, so that hosts files and split DNS count. */
export const systemResolver: Resolver = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

const LONGEST_URL = 8_192;

/** The URL of a page as text, parsed, or why it is refused without any look-up. */
export function parsePageUrl(text: string): URL | UnreadableReason {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST_URL || !URL.canParse(trimmed)) return 'invalid_url';
  const url = new URL(trimmed);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'unsupported_scheme';
  if (url.username !== '' || url.password !== '') return 'credentials_in_url';
  if (plainHost(url.hostname) === '') return 'invalid_url';
  url.hash = '';
  return url;
}

/**
 * Checks URLs before anything is connected to. The result carries the checked addresses; a connection that uses
 * only these cannot be sent elsewhere by a second answer of the DNS. One private address among several is
 * enough to refuse the host. Never throws, except the signal's reason.
 */
export function createTargetCheck(options: {
  allow?: readonly string[];
  resolve?: Resolver;
}): (url: string, signal: AbortSignal) => Promise<Target | UnreadableReason> {
  const { allowsName, allowsAddress } = createAddressRule(options.allow);
  const resolve = options.resolve ?? systemResolver;
  return async (text, signal) => {
    const url = parsePageUrl(text);
    if (!(url instanceof URL)) return url;
    const host = plainHost(url.hostname);
    const family = isIP(host);
    if (family !== 0)
      return allowsAddress(host, host)
        ? { url, addresses: [{ address: host, family: family === 6 ? 6 : 4 }] }
        : 'private_address';
    if (!allowsName(host)) return 'private_address';
    const addresses = await abortable(resolve(host), signal).catch(() => {
      signal.throwIfAborted();
      return [];
    });
    if (addresses.length === 0) return 'dns_failed';
    return addresses.every(({ address }) => allowsAddress(host, address))
      ? { url, addresses }
      : 'private_address';
  };
}
