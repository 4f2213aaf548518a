import type { Counts, Work } from '../workload.ts';

/** Somebody who can act out a workload; the benchmark times it and counts what it did. */
export interface Contestant {
  name: string;
  /** Processes of its own, by the name that reports show. */
  pids: Record<string, number>;
  /** Does the whole question; resolves with the text of its result. */
  run(work: Work): Promise<string>;
  /** Model and tool calls since the last time that this was asked. */
  takeCounts(): Promise<Counts>;
  close(): Promise<void>;
}

/** Hands out what has been counted and starts again from 0. */
export const takeFrom = (counts: Counts): Counts => {
  const taken = { ...counts };
  counts.model = 0;
  counts.tool = 0;
  return taken;
};

/** Agents get a few turns more than they need: the last permitted one is told to answer. */
export const SPARE_TURNS = 5;
