import { z } from 'zod';
import { agentRoleSchema } from '../agents/messages.ts';
import { WideseekError } from '../errors.ts';
import type { Group } from './types.ts';

/** Float32 sampling noise may push a certain token's log-prob slightly above 0. */
const LARGEST_LOGPROB = 1e-3;
const INT32 = 2 ** 31 - 1;

const count = z.int().min(0);

const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= INT32;
const isLogprob = (value: unknown): boolean =>
  typeof value === 'number' && Number.isFinite(value) && value <= LARGEST_LOGPROB;

/** An array checked in one plain loop: a schema per element takes most of a minute for one batch of 30 million tokens. */
const numbers = (holds: (value: unknown) => boolean, what: string, least = 0) =>
  z.custom<number[]>((input) => Array.isArray(input) && input.length >= least && input.every(holds), {
    error: ({ input }) => {
      if (!Array.isArray(input)) return 'not an array';
      if (input.length < least) return 'empty';
      const at = input.findIndex((value) => !holds(value));
      return `[${at}] is ${String(input[at])}, not ${what}`;
    },
  });
const tokens = numbers(isCount, 'a token id', 1);

/** A stored turn; tokens, log-probs and versions are checked against each other. */
export const turnRecordSchema = z
  .strictObject({
    id: z.string().min(1),
    agentId: count,
    role: agentRoleSchema,
    turnIdx: count,
    promptTokens: tokens,
    responseTokens: tokens,
    logprobs: numbers(isLogprob, 'a log-prob'),
    versions: numbers(isCount, 'a policy version'),
    searchCalls: count,
    accessCalls: count,
    hitLimit: z.boolean(),
    repeats: z.boolean(),
  })
  .superRefine((turn, context) => {
    for (const field of ['logprobs', 'versions'] as const)
      if (turn[field].length !== turn.responseTokens.length)
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `${turn[field].length} values for ${turn.responseTokens.length} response tokens`,
        });
  });

const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('scored'),
    reward: z.number(),
    rule: z.string(),
    trainable: z.array(z.string()),
    finalAnswerFormat: z.union([z.literal(0), z.literal(1)]),
  }),
  z.strictObject({ kind: z.literal('unscored'), reason: z.string() }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string() }),
]);

export const rolloutRecordSchema = z
  .strictObject({
    id: z.string().min(1),
    sample: count,
    agentsStarted: z.int().min(1),
    turns: z.array(turnRecordSchema),
    outcome: outcomeSchema,
  })
  .superRefine(({ turns, outcome, agentsStarted }, context) => {
    const complain = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    const ids = new Set(turns.map(({ id }) => id));
    if (ids.size !== turns.length) complain('turns', 'two turns share an id');
    if (new Set(turns.map(({ agentId, turnIdx }) => `${agentId}/${turnIdx}`)).size !== turns.length)
      complain('turns', 'two turns of one agent share a turnIdx');
    if (new Set(turns.map(({ agentId }) => agentId)).size > agentsStarted)
      complain('agentsStarted', `${agentsStarted} is below the number of agents with turns`);
    const unknown = outcome.kind === 'scored' ? outcome.trainable.find((id) => !ids.has(id)) : undefined;
    if (unknown !== undefined) complain('outcome', `trainable turn ${unknown} is not in turns`);
  });

export const groupRecordSchema = z.strictObject({
  id: z.string().min(1),
  questionId: z.string().min(1),
  rollouts: z.array(rolloutRecordSchema),
});
export type GroupRecord = z.infer<typeof groupRecordSchema>;

/** A group as stored or exported, checked. Throws `InvalidInput` naming `where` (file:line) and the field. */
export function readGroup(value: unknown, where: string): Group {
  const parsed = groupRecordSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    throw new WideseekError('InvalidInput', `${where}: ${field || 'group'}: ${issue?.message ?? 'invalid'}`, {
      hint: 'The record must be one that this program wrote',
    });
  }
  const { rollouts, ...group } = parsed.data;
  return {
    ...group,
    rollouts: rollouts.map(({ turns, ...rollout }) => ({
      ...rollout,
      turns: turns.map((turn) => ({
        ...turn,
        promptTokens: Int32Array.from(turn.promptTokens),
        responseTokens: Int32Array.from(turn.responseTokens),
        logprobs: Float32Array.from(turn.logprobs),
        versions: Int32Array.from(turn.versions),
      })),
    })),
  };
}

/** The group as plain JSON; `readGroup(writeGroup(g))` is g, log-probs bit for bit. */
export function writeGroup(group: Group): GroupRecord {
  return {
    ...group,
    rollouts: group.rollouts.map((rollout) => ({
      ...rollout,
      turns: rollout.turns.map((turn) => ({
        ...turn,
        promptTokens: [...turn.promptTokens],
        responseTokens: [...turn.responseTokens],
        logprobs: [...turn.logprobs],
        versions: [...turn.versions],
      })),
    })),
  };
}
