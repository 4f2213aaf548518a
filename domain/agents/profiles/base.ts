import type { AgentProfile } from '../profile.ts';
import { fitTranscript, shortenRead } from '../transcript.ts';
import { LONG_RULES, longOpening, longTools } from './long.ts';

/**
 * ASearcher's simple agent (spec asearcher 1.1): one growing transcript, pages read part by part, of which only the
 * model's own notes stay. Ours counts parts in tokens, does not search twice for the same, and fits its window.
 */
export const base: AgentProfile = {
  summary: 'one growing transcript, pages read part by part with notes after each (ASearcher)',
  role: 'single',
  opening: (input) => longOpening('base', input),
  tools: longTools,
  view: (messages, { rules, budget }) => {
    const transcript = shortenRead(messages);
    return rules?.fitted ? fitTranscript(transcript, budget) : transcript;
  },
  rules: (published) =>
    published
      ? {
          ...LONG_RULES,
          reads: { pages: true, searches: true },
          chunk: { size: 25_000, unit: 'characters', most: 10 },
          generatedTokens: null,
          reuse: false,
          fitted: false,
          published: { stopAfter: 64, failures: 1_000 },
        }
      : LONG_RULES,
};
