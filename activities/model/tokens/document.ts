import { z } from 'zod';
import { agentRoleSchema } from '../../../domain/agents/messages.ts';
import { WideseekError } from '../../../domain/errors.ts';
import { stopReasonSchema } from '../../../domain/run.ts';

const count = z.int().min(0);

/** Where a turn's ids are. A plain object: the journal keeps it in place of the arrays. */
export const storedTokensSchema = z.strictObject({
  /** Blob of the prompt's ids that are new, the reply's ids and their log-probs (see `packTurn`). */
  ref: z.string(),
  /** Document of the turn that the prompt continues; null: the blob has the whole prompt. */
  previous: z.string().nullable(),
  /** Prompt ids in the blob. */
  added: count,
  /** Prompt ids in all. */
  promptTokens: count,
  responseTokens: z.int().min(1),
  /** Policy versions that wrote the reply, run by run: `[tokens, version]`. */
  versions: z.array(z.tuple([z.int().min(1), count])).min(1),
  mismatch: z.boolean(),
});
export type StoredTokens = z.infer<typeof storedTokensSchema>;

const turnSchema = z.strictObject({
  kind: z.literal('turn'),
  /** Workflow id of the agent. */
  agentId: z.string(),
  role: agentRoleSchema,
  /** From 1. */
  turn: z.int().min(1),
  /** The conversation before this turn's messages (null: the first turn), and with the reply. */
  parent: z.string().nullable(),
  head: z.string(),
  tokens: storedTokensSchema,
  searchCalls: count,
  accessCalls: count,
  /** Workflow ids of the subagents that this turn starts. */
  children: z.array(z.string()),
  /** If the agent ends with this turn, it has ended at its context or turn limit. */
  hitLimit: z.boolean(),
  repeats: z.boolean(),
});
const refusedSchema = z.strictObject({
  kind: z.literal('refused'),
  agentId: z.string(),
  role: agentRoleSchema,
  turn: z.int().min(1),
  parent: z.string().nullable(),
  stop: stopReasonSchema,
  hitLimit: z.boolean(),
});

/** One turn of one agent, as the collection `tokens/<run>` keeps it. `refused`: the call was not made. */
export const turnDocumentSchema = z.discriminatedUnion('kind', [turnSchema, refusedSchema]);
export type TurnDocument = z.infer<typeof turnDocumentSchema>;
export type TakenTurn = z.infer<typeof turnSchema>;

export const collectionOf = (runId: string): string => `tokens/${runId}`;
export const turnKey = (agentId: string, turn: number): string => `${agentId}#${turn}`;

/** A stored document, checked. Throws `Internal` naming collection, key and field. */
export function readTurnDocument(value: unknown, runId: string, key: string): TurnDocument {
  const parsed = turnDocumentSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = `${collectionOf(runId)} ${key}: ${issue?.path.join('.') ?? ''}`;
  throw new WideseekError('Internal', `${where}: ${issue?.message ?? 'invalid'}`);
}
