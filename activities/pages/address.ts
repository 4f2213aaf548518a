import ipaddr from 'ipaddr.js';
import { invalidInput } from '../../domain/errors.ts';

/** Says whether one address of a host may be connected to. `host` is a lower-case name or an address. */
export type AddressRule = (host: string, address: string) => boolean;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Names that clouds and containers give to their metadata services and to the machine itself. */
const PRIVATE_NAMES = [
  /(^|\.)localhost(\.localdomain)?$/,
  /^localhost6?(\.localdomain6?)?$/,
  /\.(internal|local|lan|home|corp|intranet|home\.arpa|cluster\.local)$/,
  /^(metadata|instance-data|metadata\.goog|kubernetes(\.default)?(\.svc)?|host\.docker\.internal)$/,
];

/** Global unicast (RFC 4291): everything outside is special, whatever its name. */
const GLOBAL_V6: Range = [ipaddr.parse('2000::'), 3];

/** `host` in lower case without brackets and without the dot that ends a fully qualified name. */
export const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '');

/**
 * Whether an address is on the public internet. Private, loopback, link-local, unique-local, shared (CGNAT),
 * multicast, documentation and translated addresses (mapped, NAT64, 6to4, Teredo) are not; text that is
 * no address is not either.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (!parsed || parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_V6);
}

/** Whether a name may be looked up at all: refuses names that only exist inside a network. */
export const isPublicName = (host: string): boolean =>
  ipaddr.isValid(host) || (host.includes('.') && !PRIVATE_NAMES.some((pattern) => pattern.test(host)));

/**
 * The rule for one allow-list. Entries are addresses, CIDR ranges, host names, or `*.name` for a name's subdomains.
 * An allowed name may resolve to private addresses but not to link-local ones, where clouds serve
 * credentials; those need a range of their own. Throws `InvalidInput` for an entry that is none of these.
 */
export function createAddressRule(allow: readonly string[] = []): {
  allowsName: (host: string) => boolean;
  allowsAddress: AddressRule;
} {
  const ranges: Range[] = [];
  const names: string[] = [];
  for (const entry of allow) {
    const text = plainHost(entry.trim());
    if (ipaddr.isValidCIDR(text)) ranges.push(ipaddr.parseCIDR(text));
    else if (ipaddr.isValid(text)) ranges.push(single(ipaddr.process(text)));
    else if (/^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(text)) names.push(text);
    else throw invalidInput('pages.allow', `${JSON.stringify(entry)} is no address, CIDR range or host name`);
  }
  const named = (host: string): boolean =>
    names.some((name) => (name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name));
  const ranged = (address: Address): boolean =>
    ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
  return {
    allowsName: (host) => named(host) || isPublicName(host),
    allowsAddress: (host, address) => {
      if (isPublicAddress(address)) return true;
      const parsed = unmapped(parse(address));
      if (!parsed) return false;
      return ranged(parsed) || (named(host) && parsed.range() !== 'linkLocal');
    },
  };
}

const single = (address: Address): Range => [address, address.kind() === 'ipv4' ? 32 : 128];

/** Four-part decimal IPv4 or IPv6; `ipaddr.isValid` alone would also take `127.1`, which sockets read differently. */
function parse(address: string): Address | undefined {
  const bare = address.replace(/%.*$/, '');
  if (!ipaddr.IPv6.isValid(bare) && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return undefined;
  return ipaddr.parse(bare);
}

/** The IPv4 address that a socket reaches through a mapped one; allow-lists name that. */
const unmapped = (address: Address | undefined): Address | undefined =>
  address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
