/** A size of text, in estimated tokens (ours) or in characters (as the published agents measure). */
export interface TextSize {
  size: number;
  unit: 'tokens' | 'characters';
}

/**
 * What sets a long-horizon agent apart in the step machine, as plain data: resolved once from profile and
 * configuration, carried in the agent's limits, so that a later change of defaults never touches a running agent.
 * Agents without rules (`mas`, `sa`) take the machine's plain path.
 */
export interface AgentRules {
  /** Observations that get a turn of their own, without tools, in which the model only takes notes. */
  reads: { pages: boolean; searches: boolean };
  /** How a page is cut; at most `most` parts of it are read. */
  chunk: TextSize & { most: number };
  /** Results of one search. */
  topK: number;
  /** An answer is accepted after so many searches or turns, whichever comes first; null: from the start. */
  phase: { documents: number; turns: number } | null;
  /** Answers given too early that are sent back for another check; the next one is accepted. Null: all are ignored. */
  earlyAnswers: number | null;
  /** Tokens that the agent may generate in all; null: no ceiling. */
  generatedTokens: number | null;
  /** How much of the past a prompt carries, for agents whose prompts are written anew each turn. */
  history: TextSize;
  /** A repeated request gets its earlier result, and nothing is paid. */
  reuse: boolean;
  /** Turns in a row without a page not seen before, after which the agent has to answer. */
  barren: number;
  /** Prompts are fitted to the window each turn, so a long past is no reason to stop. */
  fitted: boolean;
  /** The published behaviour: no forced answer; stop after this many turns. Null: ours. */
  published: { stopAfter: number; failures: number } | null;
}
