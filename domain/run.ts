import { z } from 'zod';
import { agentRoleSchema, languageSchema } from './agents/messages.ts';

/** What a person types in the Temporal UI to start `seek`: `{"question": "…"}` is enough. */
export const seekInputSchema = z.strictObject({
  question: z.string().trim().min(1, 'must not be empty').max(20_000),
  /** Name of a file in `configs/` without its ending. */
  config: z.string().default('ask'),
  /** Overrides by dotted path, e.g. `{"agents.width": 4}`. */
  set: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
});
export type SeekInput = z.input<typeof seekInputSchema>;

/** Why an agent, and a whole run, stopped. One line each; the order has no meaning. */
export const stopReasonSchema = z.enum([
  'answered', // gave its final answer within its limits
  'turn_limit', // used all its turns; the last one had to answer
  'no_progress', // repeated itself; was made to answer
  'context_limit', // the conversation no longer fits the model's window
  'budget', // tokens or money reached the run's ceiling
  'deadline', // wall clock reached the run's ceiling
  'tool_outage', // search or pages stayed unavailable
  'model_outage', // the model stayed unavailable
  'protocol_error', // malformed calls again and again, after corrections
  'cancelled', // a person or the parent cancelled it
]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** `ok`: the agent wrote the answer. `partial`: assembled from what had been found. `failed`: nothing was found. */
export const runStatusSchema = z.enum(['running', 'ok', 'partial', 'failed']);
export type RunStatus = z.infer<typeof runStatusSchema>;

/** A rectangular table; every row has one cell per column. */
export const tableSchema = z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.string())) });
export type Table = z.infer<typeof tableSchema>;

/** Where one cell comes from: a page that was read in this run and a quote that stands in its stored text. */
export const cellEvidenceSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('supported'),
    /** 0-based row of the answer table. */
    row: z.number().int().nonnegative(),
    column: z.string(),
    url: z.string(),
    title: z.string(),
    /** Exact substring of the page's stored text. */
    quote: z.string(),
    /** Hash of the page's stored text. */
    page: z.string(),
  }),
  z.object({ status: z.literal('unsupported'), row: z.number().int().nonnegative(), column: z.string() }),
]);
export type CellEvidence = z.infer<typeof cellEvidenceSchema>;

/** One step to a single answer: a claim and the words of a page that was read which carry it. */
const chainLinkSchema = z.object({
  claim: z.string(),
  url: z.string(),
  title: z.string(),
  /** Exact substring of the page's stored text. */
  quote: z.string(),
  /** Hash of the page's stored text. */
  page: z.string(),
});

export const usageSchema = z.object({
  promptTokens: z.number().int(),
  completionTokens: z.number().int(),
  modelCalls: z.number().int(),
  searches: z.number().int(),
  pagesRead: z.number().int(),
  /** Millionths of a US dollar; 0 where no price is configured. */
  microUsd: z.number().int(),
});
export type RunUsage = z.infer<typeof usageSchema>;

/** One agent's turns in a run. */
export const agentTurnsSchema = z.object({
  /** Workflow id; the run's own for the lead or the single agent. */
  agentId: z.string(),
  role: agentRoleSchema,
  /** Turn of the lead that started it, from 1; 0 for the lead and the single agent. */
  startedIn: z.number().int(),
  turns: z.number().int(),
  /** Its stored conversation, one assistant message a turn; null where it has none. */
  head: z.string().nullable(),
  calls: z.object({
    turns: z.number().int(),
    subtasks: z.number().int(),
    searches: z.number().int(),
    accesses: z.number().int(),
  }),
});
export type AgentTurns = z.infer<typeof agentTurnsSchema>;

/** The stored result of one question; `wideseek ask --json` prints it. */
export const seekResultSchema = z.object({
  runId: z.string(),
  question: z.string(),
  language: languageSchema,
  status: runStatusSchema.exclude(['running']),
  stopReason: stopReasonSchema,
  /** Names of the models that answered, e.g. `extractive`. */
  policy: z.string(),
  /** Null where the question asked for a single answer or nothing was found. */
  table: tableSchema.nullable(),
  /** The final answer as the agent wrote it; for single answers the content of `\boxed{}`. */
  answer: z.string(),
  evidence: z.array(cellEvidenceSchema),
  /** What leads to a single answer, first step first. Not there for tables and in results of earlier versions. */
  chain: z.array(chainLinkSchema).optional(),
  usage: usageSchema,
  agents: z.number().int(),
  turns: z.number().int(),
  /** Subagents in the order of their requests, then the lead or the single agent. Not there in earlier versions' results. */
  agentTurns: z.array(agentTurnsSchema).optional(),
  /** What the reader should know: outages, dropped columns, limits that were hit. */
  notes: z.array(z.string()),
});
export type SeekResult = z.infer<typeof seekResultSchema>;

/** A question that the lead asks the person; without an answer by `until` it goes on with `fallback`. */
export const clarificationSchema = z.object({
  id: z.string(),
  question: z.string(),
  fallback: z.string(),
  /** Milliseconds since the epoch. */
  until: z.number(),
});
export type Clarification = z.infer<typeof clarificationSchema>;

/** Answer of the `progress` query of `seek`: small whatever the size of the run. */
export const progressSchema = z.object({
  runId: z.string(),
  phase: z.enum(['starting', 'thinking', 'delegating', 'reading', 'grounding', 'done']),
  turn: z.number().int(),
  maxTurns: z.number().int(),
  agents: z.array(
    z.object({
      id: z.string(),
      role: agentRoleSchema,
      task: z.string(),
      state: z.string(),
      turns: z.number().int(),
    }),
  ),
  usage: usageSchema,
  rowsSoFar: z.number().int(),
  notes: z.array(z.string()),
  /** What waits for the person's answer, if anything does. */
  asks: clarificationSchema.nullish(),
});
export type Progress = z.infer<typeof progressSchema>;

/** A line of `wideseek runs`; written when a run starts and again when it ends. */
export const runRecordSchema = z.object({
  runId: z.string(),
  kind: z.enum(['seek', 'index', 'evaluate', 'train', 'synthesize']),
  workflowId: z.string(),
  title: z.string(),
  config: z.string(),
  status: runStatusSchema,
  stopReason: stopReasonSchema.nullable(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  finishedAt: z.number().nullable(),
  /** Content hash of the result document in the store. */
  resultRef: z.string().nullable(),
  /** Content hash of a question's plan document; not there before it was prepared, nor in other kinds of runs. */
  planRef: z.string().optional(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

export { SEEK_HANDLERS, seekWorkflowId, TASK_QUEUE } from './names.ts';
