import { z } from 'zod';
import type { AgentRole } from './messages.ts';
import { AGENT_NAMES, agentOf } from './registry.ts';
import type { AgentRules } from './rules.ts';

const agentLimits = (turns: number, toolCalls: number) =>
  z
    .strictObject({
      /** Model calls of one agent, the final answer included. */
      turns: z.int().min(1).max(1000).default(turns),
      /** Searches or page reads in one turn. */
      toolCalls: z.int().min(1).max(20).default(toolCalls),
      /** Window of the conversation, reply included, in tokens. */
      contextTokens: z.int().min(512).max(4_000_000).default(32_000),
      /** Longest reply of one turn, in tokens; cut to what the window leaves. */
      replyTokens: z.int().min(16).max(1_000_000).default(8_000),
    })
    .prefault({});

/** Rules of the long-horizon agents, where they differ from the agent's own; null: the agent's own. */
const longSchema = z
  .strictObject({
    /** Searches after which an answer is accepted (only `reasoning` and agents that have phases). */
    documents: z.int().min(0).max(10_000).nullable().default(null),
    /** Turns after which an answer is accepted, whatever was found. */
    forceTurns: z.int().min(0).max(10_000).nullable().default(null),
    /** Size of one part of a page, in tokens; in characters for the reference profile. */
    chunk: z.int().min(50).max(1_000_000).nullable().default(null),
    /** Parts of one page that are read at most. */
    chunks: z.int().min(1).max(1_000).nullable().default(null),
    /** Notes and history in a prompt that is written anew each turn; unit as for `chunk`. */
    history: z.int().min(0).max(1_000_000).nullable().default(null),
    /** Tokens that an agent may generate in all before it has to answer. */
    generatedTokens: z.int().min(1_000).nullable().default(null),
    /** Turns in a row without a page not seen before, after which the agent has to answer. */
    barren: z.int().min(1).max(1_000).nullable().default(null),
    /** Results of one search. */
    topK: z.int().min(1).max(50).nullable().default(null),
    /** Reference profile: the first published release, which stops before its answer phase can open. */
    firstRelease: z.boolean().default(false),
  })
  .prefault({});

/**
 * Who works on a question and within which limits. Defaults are those of the paper (spec 1.1): 10 subagents a
 * turn, 5 tool calls a turn, 10 / 20 / 50 turns, a window of 32,000 tokens.
 */
export const agentsSchema = z
  .strictObject({
    /**
     * Which agent: `mas`, a lead with subagents; `sa`, one agent that searches and reads itself; `base`, `reasoning` and
     * `search-r1`, long-horizon agents. All of them: domain/agents/registry.ts.
     */
    workflow: z.enum(AGENT_NAMES).default('mas'),
    /** `reference` reproduces the published behaviour with its faults; `improved` is ours. */
    profile: z.enum(['improved', 'reference']).default('improved'),
    /** `terse`: next to no words around the task, for small models that learned the protocol from examples alone. */
    prompts: z.enum(['standard', 'terse']).default('standard'),
    /** Subagents that one lead turn may start. */
    width: z.int().min(1).max(100).default(10),
    lead: agentLimits(10, 5),
    subagent: agentLimits(20, 5),
    single: agentLimits(50, 1),
    long: longSchema,
    /** Corrections in a row before an agent ends as `protocol_error`. */
    corrections: z.int().min(0).max(10).default(2),
    /** Turns in a row that only repeat earlier requests before the agent has to answer. */
    repeats: z.int().min(1).max(20).default(3),
    /** Turns in a row in which every tool call met an outage before the agent ends as `tool_outage`. */
    outages: z.int().min(1).max(20).default(3),
  })
  .prefault({})
  .superRefine((agents, context) => {
    if (agents.profile === 'reference' && agents.width > 10) {
      context.addIssue({
        code: 'custom',
        path: ['width'],
        message: `is ${agents.width}; the reference profile allows 1 to 10`,
      });
    }
  });
export type AgentsConfig = z.infer<typeof agentsSchema>;

/** What one agent needs to know of its limits: a flat, small object that travels in workflow inputs. */
export interface AgentLimits {
  turns: number;
  /** Requests of one turn: subtasks for the lead, tool calls for the others. */
  requests: number;
  contextTokens: number;
  replyTokens: number;
  corrections: number;
  repeats: number;
  outages: number;
  /** Only for long-horizon agents. */
  rules?: AgentRules;
}

export function limitsFor(role: AgentRole, agents: AgentsConfig): AgentLimits {
  const own = agents[role];
  return {
    turns: own.turns,
    requests: role === 'lead' ? agents.width : own.toolCalls,
    contextTokens: own.contextTokens,
    replyTokens: own.replyTokens,
    corrections: agents.corrections,
    repeats: agents.repeats,
    outages: agents.outages,
    ...rulesFor(role, agents),
  };
}

function rulesFor(role: AgentRole, agents: AgentsConfig): { rules?: AgentRules } {
  const profile = agentOf(agents.workflow);
  const published = agents.profile === 'reference';
  const own = role === profile.role ? profile.rules(published) : null;
  if (own === null) return {};
  const { long } = agents;
  const phase = own.phase && {
    documents: long.documents ?? own.phase.documents,
    turns: long.forceTurns ?? own.phase.turns,
  };
  return {
    rules: {
      ...own,
      phase,
      chunk: { ...own.chunk, size: long.chunk ?? own.chunk.size, most: long.chunks ?? own.chunk.most },
      history: { ...own.history, size: long.history ?? own.history.size },
      generatedTokens: long.generatedTokens ?? own.generatedTokens,
      barren: long.barren ?? own.barren,
      topK: long.topK ?? own.topK,
      published: own.published && {
        ...own.published,
        stopAfter:
          long.firstRelease && phase ? phase.turns : Math.min(own.published.stopAfter, agents[role].turns),
      },
    },
  };
}
