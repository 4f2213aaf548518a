import { createHash } from 'node:crypto';

/** Key of a turn's call in the journal: a retry computes it again. `head`: the conversation that the model answers. */
export const turnKey = (agentId: string, turn: number, head: string, mustAnswer: boolean): string =>
  `turn:${createHash('sha256')
    .update(JSON.stringify([agentId, turn, head, mustAnswer]))
    .digest('hex')}`;
