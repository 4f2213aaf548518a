import { createHash } from 'node:crypto';

/** Seed of one turn, 31 bits: agents and turns of a run differ, and the same run samples the same again. */
export const turnSeed = (seed: number, session: string, turn: number): number =>
  createHash('sha256')
    .update(JSON.stringify([seed, session, turn]))
    .digest()
    .readUInt32LE(0) >>> 1;
