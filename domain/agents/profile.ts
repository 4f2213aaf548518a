import type { AgentRole, Language, Message, ToolSchema } from './messages.ts';
import type { PromptInput } from './prompts.ts';
import type { AgentRules } from './rules.ts';

/** What a prompt of one turn is made for. */
export interface ViewInput {
  language: Language;
  question: string;
  answer: PromptInput['answer'];
  today: string | null;
  /** From 1. */
  turn: number;
  turns: number;
  /** A turn for taking notes on what has just been shown; no tools. */
  reading: boolean;
  /** No tools: the model has to answer. */
  mustAnswer: boolean;
  phase: 'search' | 'answer';
  rules: AgentRules | null;
  /** Tokens that the messages may take. */
  budget: number;
}

/**
 * An agent of the one step machine: what it is told, what it can call, and what it sees of its past. Everything is a
 * pure function of its input, so a turn that is taken again sees the same. docs/own-agent.md adds one.
 */
export interface AgentProfile {
  /** One line for lists and messages. */
  summary: string;
  /** `lead` delegates to subagents, `single` searches and reads itself. */
  role: Extract<AgentRole, 'lead' | 'single'>;
  /** System and first user message of the lead or single agent, or of a subagent. */
  opening: (input: PromptInput) => Message[];
  /** Tools of an acting turn. `max`: requests that one call may carry. */
  tools: (role: AgentRole, max: number, language: Language) => ToolSchema[];
  /** What the model sees of the stored conversation, which itself stays whole. */
  view: (messages: readonly Message[], input: ViewInput) => Message[];
  /** How it differs from the plain machine; null: not at all. `published`: the behaviour of the reference. */
  rules: (published: boolean) => AgentRules | null;
}
