/**
 * ASearcher's simple agent: 1 only if every generation is well formed. Tags open and close equally often, at most one
 * action in the generation, no role name in it, at most one closing think tag (3.6).
 */
export function isWellFormed(generations: readonly string[]): boolean {
  return generations.every((text) => {
    const count = (part: string): number => text.split(part).length - 1;
    const actions = ['search', 'access', 'answer'].map(
      (tag) => [count(`<${tag}>`), count(`</${tag}>`)] as const,
    );
    const balanced = actions.every(([open, close]) => open === close);
    const total = actions.reduce((sum, [open]) => sum + open, 0);
    return balanced && total <= 1 && !/Assistant|assistant/.test(text) && count('</think>') <= 1;
  });
}

/**
 * Terminal reward of the simple agent (3.6): score × format, 0.7 / 0.3 with an augmented answer, −0.5 for a forced answer
 * that dodges the question. `score` is F1 or EM in [0, 1]; the result lies in [−0.5, 1].
 */
export function simpleAgentReward(input: {
  score: number;
  augmentedScore: number | null;
  wellFormed: boolean;
  forcedAnswer: string | null;
}): number {
  if (input.forcedAnswer !== null && /question|invalid|appropriate|valid/.test(input.forcedAnswer))
    return -0.5;
  const score =
    input.augmentedScore === null
      ? input.score
      : 0.7 * input.score + 0.3 * Math.max(input.score, input.augmentedScore);
  return input.wellFormed ? score : 0;
}
