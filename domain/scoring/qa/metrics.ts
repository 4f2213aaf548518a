import { f1 } from '../evaluation.ts';
import { exactForm, isChinese, tokensOf } from './text.ts';

export interface QaScores {
  /** Exact match after normalisation, 0 or 1. */
  em: number;
  /** F1 over token sets, in [0, 1]. */
  f1: number;
  /** 1 where every word of the gold answer occurs in the prediction, order-free. */
  cem: number;
}

/** Best score over the accepted answers, each metric by itself (ASearcher 4.2). No prediction is 0 everywhere. */
export function scoreQa(prediction: string | null, answers: readonly string[]): QaScores {
  const scores = prediction === null ? [] : answers.map((answer) => scoreOne(prediction, answer));
  const best = (name: keyof QaScores): number => Math.max(0, ...scores.map((score) => score[name]));
  return { em: best('em'), f1: best('f1'), cem: best('cem') };
}

function scoreOne(prediction: string, answer: string): QaScores {
  const em = exactForm(prediction) === exactForm(answer) ? 1 : 0;
  const chinese = isChinese(prediction) || isChinese(answer);
  const found = tokensOf(prediction, chinese);
  const gold = tokensOf(answer, chinese);
  if (found.size === 0 || gold.size === 0) return { em, f1: em, cem: em };
  const common = [...gold].filter((token) => found.has(token)).length;
  return { em, f1: f1(common / found.size, common / gold.size), cem: common === gold.size ? 1 : 0 };
}
