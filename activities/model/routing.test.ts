import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickReplica } from './routing.ts';

const urls = ['http://a/v1', 'http://b/v1', 'http://c/v1', 'http://d/v1'];
const sessions = Array.from({ length: 2000 }, (_, index) => `run-1/t0/sub/${index}`);

describe('pickReplica', () => {
  it('gives one session one replica, whatever the order of the list', () => {
    fc.assert(
      fc.property(fc.string(), fc.shuffledSubarray(urls, { minLength: 4 }), (session, shuffled) => {
        expect(pickReplica(session, shuffled)).toBe(pickReplica(session, urls));
      }),
    );
  });

  it('moves only the sessions of a replica that left', () => {
    const left = urls.slice(1);
    for (const session of sessions) {
      const before = pickReplica(session, urls);
      if (before !== urls[0]) expect(pickReplica(session, left)).toBe(before);
    }
  });

  it('spreads sessions evenly', () => {
    for (const url of urls) {
      const share = sessions.filter((session) => pickReplica(session, urls) === url).length / sessions.length;
      expect(share).toBeGreaterThan(0.2);
      expect(share).toBeLessThan(0.3);
    }
  });

  it('refuses an empty list', () => {
    expect(() => pickReplica('s', [])).toThrow(RangeError);
  });
});
