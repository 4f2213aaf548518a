import type { RunUsage, StopReason } from '../run.ts';
import type { AgentLimits } from './limits.ts';
import type { AgentRole, Language } from './messages.ts';
import type { ToolRequest } from './requests.ts';
import type { AgentRules } from './rules.ts';
import type { Profile, TurnFacts } from './step.ts';
import type { AgentCalls } from './turns.ts';

/** How often and how long a provider's calls are retried. Seconds. */
export interface RetryPlan {
  attempts: number;
  firstSeconds: number;
  maxSeconds: number;
}

/**
 * What a run's workflows need to know, resolved once from question, config and environment. Small: the full
 * configuration stays in the store under `configRef`. No secrets.
 */
export interface Plan {
  runId: string;
  language: Language;
  /** Name in the registry of agents (domain/agents/registry.ts). */
  workflow: string;
  /** Who takes the question. Not there in plans of earlier versions: the lead for `mas`, else the single agent. */
  role?: Extract<AgentRole, 'lead' | 'single'>;
  profile: Profile;
  limits: Record<AgentRole, AgentLimits>;
  /** Hash of the stored `PlanDocument`. */
  planRef: string;
  /** Task queues of slow calls; null: the workflow's own worker does it. */
  queues: {
    model: string | null;
    search: string | null;
    pages: string | null;
    /** Where a role's model has a queue of its own. Not there in plans of earlier versions. */
    roles?: Partial<Record<AgentRole, string | null>>;
  };
  /** Questions that the lead may ask the person. Not there: none. */
  clarify?: { seconds: number; questions: number };
  /** Another model reads pages for the agents. Not there: they read them themselves. */
  summary?: { queue: string | null; seconds: number };
  /** The subagents' model answers within the worker's process: fast, free to repeat. Not there in plans of earlier versions. */
  modelInProcess?: boolean;
  /** The same of the lead's or single agent's model, in a run that no person steers. Not there: false. */
  leadInProcess?: boolean;
  retry: { model: RetryPlan; tools: RetryPlan };
  /** Deadline of one model or tool call, seconds. */
  callSeconds: number;
  /** Milliseconds since the epoch after which the run ends with what it has. */
  deadline: number;
  /** The run's allowance of wall clock; a resumed run gets it anew. */
  minutes: number;
  historyEvents: number;
  /** Names of the models, for reports. */
  policy: string;
}

/** A part of a tool message, by reference where it is long. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'stored'; ref: string }
  /** A part of a page whose whole text is stored: cut and printed when it is read. */
  | { kind: 'chunk'; url: string; title: string; ref: string; part: number; parts: number }
  | { kind: 'report'; n: number; prompt: string; report: AgentReport }
  /** Where the lead learns that the reports' tables were merged. */
  | { kind: 'merged'; columns: string[]; rows: number };

/** A message to add before the next turn. */
export type Append =
  { role: 'tool'; callId: string; name: string; parts: Part[] } | { role: 'user'; text: string; part?: Part };

export interface TurnInput {
  runId: string;
  planRef: string;
  /** Workflow id of the agent: keys its calls and its session. */
  agentId: string;
  role: AgentRole;
  limits: AgentLimits;
  profile: Profile;
  language: Language;
  /** From 1. */
  turn: number;
  /** No tools: the model has to answer. */
  mustAnswer: boolean;
  /** Why this turn is the agent's last; absent where it is not known to be. */
  lastTurn?: StopReason;
  /** Only for agents with rules: a turn for notes, and whether answers are accepted yet. */
  long?: { reading: boolean; phase: 'search' | 'answer' };
  /** Null on the first turn: the activity writes the opening messages, with `subtask` for subagents. */
  head: string | null;
  subtask: string | null;
  append: Append[];
  /** The agent may ask the person a question. Not there: no. */
  mayAsk?: boolean;
}

export type TurnResult =
  | { kind: 'turn'; head: string; facts: TurnFacts; textRef: string | null; usage: RunUsage; model: string }
  /** The call was not made. */
  | { kind: 'refused'; reason: StopReason; head: string };

/** What a subagent hands back. `outcome` is `answered` for a proper report. */
export interface AgentReport {
  agentId: string;
  outcome: StopReason;
  /** Hash of the report's text: the answer, or the last thing it said; null if it said nothing. */
  reportRef: string | null;
  turns: number;
  usage: RunUsage;
  /** What went wrong, one line, or empty. */
  note: string;
  /** Its stored conversation and what it called. Not there in reports of earlier versions and of lost subagents. */
  head?: string | null;
  calls?: AgentCalls;
}

/** Result of one search or page read. */
export interface ToolResult {
  status: 'ok' | 'empty' | 'unreadable' | 'outage';
  part: Part;
  /** Of a page that is to be summarised: hash of what the summary needs. */
  source?: string;
  /** What it cost to make the result. */
  usage?: RunUsage;
  /** Told before the result: that it is an earlier one. */
  note?: string;
  /** For agents with rules: short hashes of the pages that the result shows. */
  pages?: string[];
}

/** A table built from reports, by reference. */
export interface MergedTable {
  ref: string;
  columns: string[];
  rows: number;
}

export interface SearchInput {
  runId: string;
  planRef: string;
  request: Extract<ToolRequest, { tool: 'search' }>;
  /** For agents with rules: say which pages the result shows. */
  listPages?: boolean;
}
export interface AccessInput {
  runId: string;
  planRef: string;
  agentId: string;
  request: Extract<ToolRequest, { tool: 'access' }>;
  /** Leave what a summary of the page needs. */
  summarise?: boolean;
  /** For agents that read pages in parts: how they are cut. */
  chunk?: AgentRules['chunk'];
}
export interface SummaryInput {
  runId: string;
  planRef: string;
  agentId: string;
  language: Language;
  request: Extract<ToolRequest, { tool: 'access' }>;
  source: string;
  /** How often this call is tried; the last attempt gives the page's text instead. */
  attempts: number;
}

export const noUsage = (): RunUsage => ({
  promptTokens: 0,
  completionTokens: 0,
  modelCalls: 0,
  searches: 0,
  pagesRead: 0,
  microUsd: 0,
});

export function addUsage(a: RunUsage, b: RunUsage): RunUsage {
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    modelCalls: a.modelCalls + b.modelCalls,
    searches: a.searches + b.searches,
    pagesRead: a.pagesRead + b.pagesRead,
    microUsd: a.microUsd + b.microUsd,
  };
}
