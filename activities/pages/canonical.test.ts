import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanUrl, pageKey } from './canonical.ts';

describe('cleanUrl', () => {
  it.each([
    ['https://a.example/x?utm_source=n&id=4&fbclid=Z#top', 'https://a.example/x?id=4'],
    ['https://a.example/x?gclid=1', 'https://a.example/x'],
    ['https://en.m.wikipedia.org/wiki/Oslo#History', 'https://en.wikipedia.org/wiki/Oslo'],
    ['https://m.shop.example/p/1', 'https://m.shop.example/p/1'],
    ['HTTP://A.Example:80/Path', 'http://a.example/Path'],
    ['no url', 'no url'],
  ])('%s', (url, expected) => expect(cleanUrl(url)).toBe(expected));
});

describe('pageKey', () => {
  it.each([
    ['https://www.a.example/x/', 'http://a.example/x'],
    ['https://m.a.example/x?b=2&a=1', 'https://www.a.example/x?a=1&b=2#c'],
    ['https://en.m.wikipedia.org/wiki/New_York', 'https://en.wikipedia.org/w/index.php?title=New%20York'],
    ['https://a.example/%7Ejo?utm_campaign=x', 'https://a.example/~jo'],
  ])('%s is %s', (left, right) => expect(pageKey(left)).toBe(pageKey(right)));

  it.each([
    ['https://a.example/x?id=1', 'https://a.example/x?id=2'],
    ['https://a.example/x', 'https://a.example/X'],
    ['https://mobile.de/x', 'https://de/x'],
    ['http://10.0.0.1/', 'http://0.0.1/'],
    ['http://a.example/', 'http://a.example:8080/'],
  ])('%s is not %s', (left, right) => expect(pageKey(left)).not.toBe(pageKey(right)));

  it('does not change once an address is clean', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(cleanUrl(cleanUrl(url))).toBe(cleanUrl(url));
        expect(pageKey(cleanUrl(url))).toBe(pageKey(url));
      }),
    );
  });
});
