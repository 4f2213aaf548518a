import type { AgentProfile } from './profile.ts';
import { base } from './profiles/base.ts';
import { mas, sa } from './profiles/plain.ts';
import { reasoning } from './profiles/reasoning.ts';
import { searchR1 } from './profiles/search-r1.ts';

/** Every agent by the name that configurations use. One line adds one: docs/own-agent.md. */
export const AGENTS = {
  mas,
  sa,
  base,
  reasoning,
  'search-r1': searchR1,
} as const satisfies Record<string, AgentProfile>;

export type AgentName = keyof typeof AGENTS;
export const AGENT_NAMES = Object.keys(AGENTS) as [AgentName, ...AgentName[]];

/** The profile behind a configured name. */
export const agentOf = (name: AgentName): AgentProfile => AGENTS[name];
