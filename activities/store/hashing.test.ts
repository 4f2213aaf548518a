import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, sha256 } from './hashing.ts';

describe('canonicalJson', () => {
  it('does not depend on the order of keys', () => {
    const shuffled = fc
      .dictionary(fc.string(), fc.jsonValue())
      .chain((value) =>
        fc.tuple(
          fc.constant(value),
          fc.shuffledSubarray(Object.keys(value), { minLength: Object.keys(value).length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([value, keys]) => {
        const other = Object.fromEntries(keys.map((key) => [key, value[key]]));
        expect(canonicalJson({ outer: [other] })).toBe(canonicalJson({ outer: [value] }));
      }),
    );
  });

  it('is the JSON of the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('drops what is undefined, as JSON does', () => {
    expect(canonicalJson({ b: 1, a: undefined })).toBe('{"b":1}');
  });
});

describe('sha256', () => {
  it('is the published value for a known text', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sha256(new TextEncoder().encode('月'))).toBe(sha256('月'));
  });
});
