import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { collectRollout } from '../../activities/model/tokens/collect.ts';
import { type FakeEngine, startFakeEngine } from '../../activities/trainer/fake-engine.ts';
import { closeBatchNow } from '../../workflows/train-state.ts';
import { startTestServer, type TestServer } from '../support/engine.ts';
import { fatesIn, outcomeOf, progressOf, startTraining, stepsIn } from '../support/training-run.ts';
import { startTrainingWorld, type TrainingWorld, type WorkersOptions } from '../support/training.ts';

const WAIT = { timeout: 90_000 };
const groupIn = (session: string): number => Number(/\/g(\d+)\//.exec(session)?.[1]);

/** Something that others wait for until it is opened. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('how batches of a training close', { timeout: 240_000 }, () => {
  let server: TestServer;
  let engine: FakeEngine;
  let world: TrainingWorld;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(async () => {
    await world.stop();
    await engine.close();
  });
  afterAll(() => server.stop());

  const boot = async (options: Partial<WorkersOptions> | null = {}): Promise<void> => {
    engine = await startFakeEngine();
    world = await startTrainingWorld(server.address, engine);
    if (options) await world.workers({ rollouts: true, host: 'a', ...options });
  };
  const start = (run: string, set: Record<string, unknown>) => startTraining(server.client, world, run, set);

  /**
   * A synchronous run whose first batch was closed without its first group. That group goes on with `late`, the groups of
   * the second batch with `rest`.
   */
  const closeWithoutFirst = async (run: string, collect?: WorkersOptions['collect']) => {
    const [late, rest] = [gate(), gate()];
    await boot({
      collect,
      before: ({ session }) => {
        const group = groupIn(session);
        return group === 0 ? late.opened : group === 1 ? undefined : rest.opened;
      },
    });
    const handle = await start(run, { steps: 2, groupSize: 8 });
    await expect.poll(async () => (await progressOf(handle)).buffered, WAIT).toBe(1);
    expect(await handle.executeUpdate(closeBatchNow)).toMatch(/1 groups now/);
    await expect.poll(async () => (await progressOf(handle)).step, WAIT).toBe(1);
    /** The late group ends first, and the training has heard of it; only then the others go on. */
    const endLate = async (): Promise<void> => {
      late.open();
      await expect.poll(async () => (await progressOf(handle)).buffered, WAIT).toBe(1);
      rest.open();
    };
    return { handle, late, rest, endLate };
  };

  it('takes what is there when told so, and records a group that comes too late for its step as expired', async () => {
    const { handle, endLate } = await closeWithoutFirst('now');
    await endLate();
    expect(await outcomeOf(handle)).toMatchObject({ steps: 2, trained: 3, expired: 1 });
    const [first, second] = await stepsIn(world.store, 'train-now');
    expect(first).toMatchObject({ groups: ['g00000001'], expired: [] });
    expect(second).toMatchObject({ expired: ['g00000000'], metrics: { 'groups/expired': 1 } });
    expect(second!.groups).toHaveLength(2);
    expect(second!.groups).not.toContain('g00000000');
    expect((await fatesIn(world.store, 'train-now')).get('g00000000')).toEqual({ kind: 'expired', step: 1 });
  });

  it('counts an expired group also where the batch that left it out holds nothing to train on', async () => {
    const barren = new Set<string>();
    const collect: WorkersOptions['collect'] = async (id, sample) => {
      const rollout = await collectRollout(world.store, id, sample);
      const index = groupIn(`/${id}/`.replaceAll('-', '/'));
      const empty = index === 2 || index === 3;
      if (empty) barren.add(id);
      return { ...rollout, turns: empty ? [] : rollout.turns };
    };
    const { handle, endLate } = await closeWithoutFirst('empty', collect);
    await endLate();
    const outcome = await outcomeOf(handle);
    expect(barren.size).toBe(16);
    expect(outcome).toMatchObject({ steps: 2, trained: 3, expired: 1, filtered: 2 });
    const fates = await fatesIn(world.store, 'train-empty');
    expect(fates.get('g00000000')).toEqual({ kind: 'expired', step: 1 });
    for (const id of ['g00000002', 'g00000003'])
      expect(fates.get(id)).toEqual({ kind: 'filtered', reason: 'no_tokens' });
    expect((await stepsIn(world.store, 'train-empty')).map(({ groups }) => groups.length)).toEqual([1, 2]);
    expect(engine.done().optim_step).toBe(2);
  });

  it('goes on after an early close that left more groups of one age than a step can take in time', async () => {
    const late = gate();
    await boot({ before: ({ session }) => (groupIn(session) === 0 ? undefined : late.opened) });
    const handle = await start('surplus', { steps: 3, groupSize: 8, maxStaleness: 1 });
    await expect.poll(async () => (await progressOf(handle)).buffered, WAIT).toBe(1);
    await handle.executeUpdate(closeBatchNow);
    await expect.poll(async () => (await progressOf(handle)).step, WAIT).toBe(1);
    // Three groups of version 0 are left, and the step at version 1 takes two of them.
    late.open();
    expect(await outcomeOf(handle)).toMatchObject({ steps: 3, trained: 5, expired: 1 });
    const fates = [...(await fatesIn(world.store, 'train-surplus')).values()];
    expect(fates.filter(({ kind }) => kind === 'expired')).toEqual([{ kind: 'expired', step: 2 }]);
  });

  it('does not wait for a running group that no step can take any more', async () => {
    const { handle, late, rest } = await closeWithoutFirst('doomed');
    rest.open();
    expect(await outcomeOf(handle)).toMatchObject({ steps: 2, trained: 3 });
    late.open();
  });

  it('does what it was asked before it had a plan', async () => {
    await boot(null);
    const handle = await start('early', { steps: 3 });
    const answer = handle.executeUpdate<string, [number]>('stopAfterStep', { args: [1] });
    await sleep(1_000);
    await world.workers({ rollouts: true, host: 'a' });
    expect(await answer).toBe('ends after step 1');
    expect(await outcomeOf(handle)).toMatchObject({ steps: 1, reason: 'stopped' });
  });
});
