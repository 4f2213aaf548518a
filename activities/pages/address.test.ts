import { describe, expect, it } from 'vitest';
import { createAddressRule, isPublicAddress } from './address.ts';

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '93.184.216.34', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001::200e'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );
  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '100.64.1.1',
    '::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::',
    'fe80::1%eth0',
    '4000::1',
    'example.org',
    '127.1',
    '',
    '8.8.8',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('createAddressRule', () => {
  const { allowsAddress, allowsName } = createAddressRule([
    '10.1.0.0/16',
    '192.168.5.5',
    'fd00:1::/32',
    'wiki.corp',
    '*.lan.example',
    '169.254.10.10',
  ]);

  it.each([
    ['x.example', '10.1.2.3', true],
    ['x.example', '10.2.0.1', false],
    ['x.example', '192.168.5.5', true],
    ['x.example', '192.168.5.6', false],
    ['x.example', '::ffff:10.1.2.3', true],
    ['x.example', 'fd00:1::9', true],
    ['x.example', 'fd00:2::9', false],
    ['wiki.corp', '10.9.9.9', true],
    ['a.wiki.corp', '10.9.9.9', false],
    ['a.lan.example', '192.168.1.1', true],
    ['lan.example', '192.168.1.1', false],
    ['wiki.corp', '169.254.169.254', false],
    ['wiki.corp', 'fe80::1', false],
    ['x.example', '169.254.10.10', true],
    ['x.example', '8.8.8.8', true],
  ])('%s at %s: %s', (host, address, allowed) => {
    expect(allowsAddress(host, address)).toBe(allowed);
  });

  it('lets only named private hosts be looked up', () => {
    expect(allowsName('wiki.corp')).toBe(true);
    expect(allowsName('other.corp')).toBe(false);
    expect(allowsName('example.org')).toBe(true);
  });

  it.each(['10.0.0.0/33', 'http://x/', 'a b', ''])('refuses the entry %j', (entry) => {
    expect(() => createAddressRule([entry])).toThrow(/pages\.allow/);
  });
});
