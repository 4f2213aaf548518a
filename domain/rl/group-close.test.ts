import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EQUAL_REWARDS_FILTER } from './filter.ts';
import { closeGroup } from './group-close.ts';
import type { GroupPolicy, SampleState } from './group-close.ts';

const policy: GroupPolicy = { maxAttempts: 3, minScored: 2, filter: EQUAL_REWARDS_FILTER };
const running: SampleState = { kind: 'running' };
const scored = (reward: number): SampleState => ({ kind: 'scored', reward });
const failed = (attempts: number, permanent = false): SampleState => ({
  kind: 'failed',
  reason: 'tool_outage',
  attempts,
  permanent,
});
const unscored = (attempts: number): SampleState => ({ kind: 'unscored', reason: 'judge down', attempts });
const decide = (samples: SampleState[], deadlinePassed = false) =>
  closeGroup(samples, policy, { deadlinePassed });

describe('closeGroup', () => {
  it('closes a complete group and says whether it teaches', () => {
    expect(decide([scored(1), scored(0)])).toEqual({
      kind: 'close',
      reason: 'complete',
      scored: [0, 1],
      excluded: [],
      unusable: null,
    });
    expect(decide([scored(1), scored(1)])).toMatchObject({ reason: 'complete', unusable: 'equal_rewards' });
  });

  it('retries failed rollouts and judgings while others run, and waits otherwise', () => {
    expect(decide([running, failed(1), unscored(2)])).toEqual({
      kind: 'retry',
      retries: [
        { sample: 1, what: 'rollout' },
        { sample: 2, what: 'judging' },
      ],
    });
    expect(decide([running, failed(3), scored(1)])).toEqual({ kind: 'wait' });
    expect(decide([running, failed(1, true)])).toEqual({ kind: 'wait' });
  });

  it('never scores an outage: what stays broken is excluded by name (R-04)', () => {
    expect(decide([scored(1), scored(0), unscored(3), failed(1, true)])).toEqual({
      kind: 'close',
      reason: 'partial',
      scored: [0, 1],
      excluded: [
        { sample: 2, reason: 'unscored: judge down' },
        { sample: 3, reason: 'failed: tool_outage' },
      ],
      unusable: null,
    });
  });

  it('closes at the deadline with what there is', () => {
    expect(decide([scored(1), scored(0), running, failed(1)], true)).toMatchObject({
      reason: 'deadline',
      excluded: [
        { sample: 2, reason: 'deadline' },
        { sample: 3, reason: 'failed: tool_outage' },
      ],
      unusable: null,
    });
  });

  it('says when every rollout failed', () => {
    expect(decide([failed(3), failed(3)])).toMatchObject({
      reason: 'all_failed',
      unusable: 'too_few_scored',
    });
  });

  it('asks for as many scored rollouts as configured, two at least', () => {
    const states = [scored(1), scored(0), failed(3)];
    const strict = closeGroup(states, { ...policy, minScored: 3 }, { deadlinePassed: false });
    expect(strict).toMatchObject({ unusable: 'too_few_scored' });
    const lax = closeGroup([scored(1), failed(3)], { ...policy, minScored: 0 }, { deadlinePassed: false });
    expect(lax).toMatchObject({ unusable: 'too_few_scored' });
  });

  const state = fc.oneof(
    fc.constant(running),
    fc.double({ min: 0, max: 1, noNaN: true }).map(scored),
    fc.integer({ min: 1, max: 4 }).map(unscored),
    fc
      .tuple(fc.integer({ min: 1, max: 4 }), fc.boolean())
      .map(([attempts, permanent]) => failed(attempts, permanent)),
  );

  it('loses no sample and always ends', () => {
    fc.assert(
      fc.property(fc.array(state, { minLength: 1, maxLength: 10 }), fc.boolean(), (start, deadlinePassed) => {
        const samples = [...start];
        for (let round = 0; ; round += 1) {
          expect(round).toBeLessThan(50);
          const decision = closeGroup(samples, policy, { deadlinePassed });
          if (decision.kind === 'close') {
            const named = [...decision.scored, ...decision.excluded.map(({ sample }) => sample)];
            expect(named.sort((a, b) => a - b)).toEqual(samples.map((_, index) => index));
            expect(decision.scored.every((sample) => samples[sample]?.kind === 'scored')).toBe(true);
            return;
          }
          if (decision.kind === 'wait')
            samples.splice(
              samples.findIndex(({ kind }) => kind === 'running'),
              1,
              failed(1),
            );
          else
            for (const { sample } of decision.retries) {
              const before = samples[sample];
              if (before?.kind === 'failed' || before?.kind === 'unscored')
                samples[sample] = { ...before, attempts: before.attempts + 1 };
            }
        }
      }),
    );
  });
});
