import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closeBatch } from './batch-close.ts';
import type { BatchPolicy, BatchState, ReadyGroup } from './batch-close.ts';

const policy: BatchPolicy = { groups: 2, minGroups: 1, maxStaleness: null };
const ready = (id: string, admittedAt = 0, finished = 0): ReadyGroup => ({ id, admittedAt, finished });
const state = (change: Partial<BatchState>): BatchState => ({
  ready: [],
  running: [],
  version: 0,
  deadlinePassed: false,
  closeRequested: false,
  inputsDone: false,
  ...change,
});
const one = [ready('a')];
const three = [ready('late', 1, 0), ready('b', 0, 2), ready('a', 0, 1)];

describe('closeBatch', () => {
  it('waits for groups and says how many are missing', () => {
    expect(closeBatch(state({ ready: one, running: [0] }), policy)).toEqual({
      kind: 'wait',
      for: 'groups',
      missing: 1,
    });
  });

  it('closes by count, oldest admission first, then by finishing; the surplus stays', () => {
    const decision = closeBatch(state({ ready: three, version: 1 }), policy);
    expect(decision).toEqual({ kind: 'close', reason: 'count', take: ['a', 'b'], expired: [] });
  });

  it('does not depend on the order of the buffer', () => {
    const same = [ready('y', 0, 1), ready('x', 0, 1), ready('z', 0, 1)];
    const take = { kind: 'close', take: ['x', 'y'] };
    expect(closeBatch(state({ ready: same }), policy)).toMatchObject(take);
    expect(closeBatch(state({ ready: [...same].reverse() }), policy)).toMatchObject(take);
  });

  it('closes smaller by deadline, by request and at the end of the inputs, and says which', () => {
    const reason = (change: Partial<BatchState>) =>
      closeBatch(state({ ready: one, running: [0], ...change }), policy);
    expect(reason({ deadlinePassed: true })).toMatchObject({ reason: 'deadline', take: ['a'] });
    expect(reason({ closeRequested: true })).toMatchObject({ reason: 'explicit', take: ['a'] });
    expect(reason({ inputsDone: true })).toMatchObject({ kind: 'wait' });
    expect(reason({ inputsDone: true, running: [] })).toMatchObject({ reason: 'inputs_done', take: ['a'] });
  });

  it('reports a buffer that is too small at the deadline instead of hanging', () => {
    const strict = { ...policy, minGroups: 2 };
    const decision = closeBatch(state({ ready: one, running: [0], deadlinePassed: true }), strict);
    expect(decision).toEqual({ kind: 'starved', ready: 1, needed: 2, inputsDone: false });
    expect(closeBatch(state({ inputsDone: true }), policy)).toEqual({
      kind: 'starved',
      ready: 0,
      needed: 1,
      inputsDone: true,
    });
    expect(closeBatch(state({ ready: one, running: [0], closeRequested: true }), strict)).toMatchObject({
      kind: 'wait',
    });
  });

  it('synchronous training waits for every group of the version', () => {
    const sync = { ...policy, maxStaleness: 0 };
    const full = [ready('a'), ready('b')];
    expect(closeBatch(state({ ready: full, running: [] }), sync)).toMatchObject({ reason: 'count' });
    expect(closeBatch(state({ ready: full, running: [0] }), sync)).toEqual({
      kind: 'wait',
      for: 'expiring_groups',
      missing: 1,
    });
  });

  it('waits early enough: three running groups due in one more step do not fit a batch of two', () => {
    const strict = { ...policy, maxStaleness: 1 };
    const full = [ready('a', 1), ready('b', 1)];
    const decide = (running: number[]) => closeBatch(state({ ready: full, running, version: 1 }), strict);
    expect(decide([1, 1])).toMatchObject({ kind: 'close' });
    expect(decide([1, 1, 1])).toEqual({ kind: 'wait', for: 'expiring_groups', missing: 1 });
    expect(decide([0])).toEqual({ kind: 'wait', for: 'expiring_groups', missing: 1 });
  });

  it('does not wait for what no wait can save: groups that are here and do not fit, or are too old already', () => {
    const strict = { ...policy, maxStaleness: 1 };
    const decide = (admitted: number[], running: number[], version: number) => {
      const groups = admitted.map((at, index) => ready(`g${index}`, at, index));
      return closeBatch(state({ ready: groups, running, version }), strict);
    };
    // A batch that closed early left three groups that are due now.
    expect(decide([0, 0, 0], [], 1)).toMatchObject({ kind: 'close', take: ['g0', 'g1'] });
    expect(decide([0, 0, 0], [1], 1)).toMatchObject({ kind: 'close' });
    expect(decide([0, 0, 0], [0], 1)).toEqual({ kind: 'wait', for: 'expiring_groups', missing: 1 });
    expect(decide([2, 2], [0], 2)).toMatchObject({ kind: 'close' });
    expect(decide([2, 2], [1], 2)).toMatchObject({ kind: 'wait', for: 'expiring_groups' });
  });

  it('always closes a full batch when nothing runs, whatever the ages in the buffer', () => {
    const ages = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 });
    fc.assert(
      fc.property(ages, fc.nat(4), fc.integer({ min: 1, max: 4 }), (admitted, maxStaleness, groups) => {
        const buffer = admitted.map((at, index) => ready(`g${index}`, at, index));
        const decision = closeBatch(state({ ready: buffer, version: 6 }), {
          groups,
          minGroups: 1,
          maxStaleness,
        });
        const usable = admitted.filter((at) => 6 - at <= maxStaleness).length;
        expect(decision.kind).toBe(usable >= groups ? 'close' : 'wait');
      }),
    );
  });

  it('never trains on a group beyond the bound and names it', () => {
    const strict = { ...policy, maxStaleness: 1 };
    const mixed = [ready('old', 0), ready('a', 2), ready('b', 1)];
    const decision = closeBatch(state({ ready: mixed, version: 2 }), strict);
    expect(decision).toEqual({ kind: 'close', reason: 'count', take: ['b', 'a'], expired: ['old'] });
  });
});
