import type { AgentProfile } from '../profile.ts';
import { LONG_RULES, longOpening, longTools } from './long.ts';

/** The baseline of Search-R1 (spec asearcher 1.3): one transcript, searches only, a handful of turns. */
export const searchR1: AgentProfile = {
  summary: 'one transcript, searches only, few turns (Search-R1)',
  role: 'single',
  opening: (input) => longOpening('search-r1', input),
  tools: (role, max, language) => longTools(role, max, language).filter((tool) => tool.name === 'search'),
  view: (messages) => [...messages],
  rules: (published) => ({
    ...LONG_RULES,
    reads: { pages: false, searches: false },
    generatedTokens: null,
    fitted: false,
    reuse: !published,
    published: published ? { stopAfter: 10, failures: 10 } : null,
  }),
};
