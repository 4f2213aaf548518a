import type { AgentProfile } from '../profile.ts';
import { openingMessages } from '../prompts.ts';
import { toolsFor } from '../tools.ts';

/** A lead with parallel subagents (WideSeek-R1). */
export const mas: AgentProfile = {
  summary: 'a lead that delegates to parallel subagents',
  role: 'lead',
  opening: openingMessages,
  tools: toolsFor,
  view: (messages) => [...messages],
  rules: () => null,
};

/** One agent that searches and reads by itself (WideSeek-R1's baseline). */
export const sa: AgentProfile = {
  ...mas,
  summary: 'one agent that searches and reads by itself, everything in one conversation',
  role: 'single',
};
