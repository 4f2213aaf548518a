/** When a child that died is started again, and when it is not. */
export interface RestartRules {
  /** A life shorter than this counts as a quick death, ms. */
  quickMs: number;
  /** So many quick deaths in a row, and the supervisor gives up. */
  maxQuickDeaths: number;
  /** Delay before the first restart, ms; doubles with each quick death. */
  firstDelayMs: number;
  maxDelayMs: number;
}

export const RESTART_RULES: RestartRules = {
  quickMs: 15_000,
  maxQuickDeaths: 4,
  firstDelayMs: 250,
  maxDelayMs: 10_000,
};

/** The exit status of a child for which starting again cannot help (`EX_CONFIG`): its configuration is wrong. */
export const EXIT_CONFIG = 78;

/** Counts the deaths of one child. `died` answers with the delay in ms before the next start, or gives up. */
export const restartCounter = (rules: RestartRules = RESTART_RULES) => {
  let quickDeaths = 0;
  return {
    died(livedMs: number, exitCode: number | null): { delayMs: number } | 'give up' {
      if (exitCode === EXIT_CONFIG) return 'give up';
      quickDeaths = livedMs < rules.quickMs ? quickDeaths + 1 : 1;
      if (quickDeaths >= rules.maxQuickDeaths) return 'give up';
      return { delayMs: Math.min(rules.maxDelayMs, rules.firstDelayMs * 2 ** (quickDeaths - 1)) };
    },
  };
};
