import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fresh, measure } from '../measure.ts';
import { expectedCalls, type Work } from '../workload.ts';
import { type Contestant, takeFrom } from './contestant.ts';
import { createLanggraph } from './langgraph.ts';
import { createOurs, type Ours } from './ours.ts';
import { createPlain } from './plain.ts';

const shape = { fanouts: 2, width: 3, turns: 4 };
const question = (): Work => fresh({ ...shape, modelMs: 0, toolMs: 0 });

describe('every contestant does all of the work', () => {
  let ours: Ours;
  const all = new Map<string, Contestant>();
  beforeAll(async () => {
    ours = await createOurs();
    all.set('local', ours.contestants.local).set('remote', ours.contestants.remote);
    all.set('plain', createPlain()).set('langgraph', await createLanggraph());
  });
  afterAll(async () => {
    await all.get('langgraph')?.close();
    await ours?.close();
  });

  it.each(['local', 'remote', 'plain', 'langgraph'])('%s', async (name) => {
    const contestant = all.get(name)!;
    await contestant.takeCounts();
    const result = await contestant.run(question());
    expect(await contestant.takeCounts()).toEqual(expectedCalls(shape));
    expect(result).toMatch(name === 'plain' || name === 'langgraph' ? /merged_table/ : /colour of .*-5/);
  });

  it('and does questions at the same time', async () => {
    for (const contestant of all.values()) {
      const use = await measure(contestant, [[question(), question()], [question()]]);
      expect(use.wallMs).toBeGreaterThan(0);
    }
  });

  it('leaves one workflow per agent behind', async () => {
    await ours.contestants.local.run(question());
    const { workflows, events, bytes } = await ours.lastHistory();
    expect(workflows).toBe(1 + shape.fanouts * shape.width);
    expect(events).toBeGreaterThan(expectedCalls(shape).model * 3);
    expect(bytes).toBeGreaterThan(events * 20);
  });
});

it('a contestant that skips a call is found out', async () => {
  const counts = { model: 0, tool: 0 };
  const lazy: Contestant = {
    name: 'lazy',
    pids: {},
    run: async (work) => {
      counts.model += expectedCalls(work).model - 1;
      return '';
    },
    takeCounts: async () => takeFrom(counts),
    close: async () => {},
  };
  await expect(measure(lazy, [[question()]])).rejects.toThrow(/lazy made 26 model calls, the work needs 27/);
});
