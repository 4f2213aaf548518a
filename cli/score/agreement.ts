/** One labelled pair with what the judge said; null: it said nothing that can be read. */
export interface Labelled {
  label: 0 | 1;
  verdict: 0 | 1 | null;
}

export interface Agreement {
  pairs: number;
  unscored: number;
  /** Of the scored pairs; 1 means that the pair is right. */
  confusion: { truePositive: number; falsePositive: number; falseNegative: number; trueNegative: number };
  /** Share of scored pairs on which judge and label agree; null where none is scored. */
  agreement: number | null;
  /** Of the pairs that the judge calls right, the share that are; null where it calls none so. */
  precision: number | null;
  /** Of the pairs that are right, the share that the judge calls so; null where none is. */
  recall: number | null;
  /** Cohen's kappa: agreement beyond chance, 1 at best; null where chance alone would agree on everything. */
  kappa: number | null;
}

/** How well a judge agrees with labels. Unscored pairs are counted and left out of every rate. */
export function measureAgreement(list: readonly Labelled[]): Agreement {
  const count = (label: 0 | 1, verdict: 0 | 1): number =>
    list.filter((pair) => pair.label === label && pair.verdict === verdict).length;
  const [tp, fp, fn, tn] = [count(1, 1), count(0, 1), count(1, 0), count(0, 0)] as const;
  const scored = tp + fp + fn + tn;
  const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
  const agreement = ratio(tp + tn, scored);
  const chance = scored === 0 ? 1 : ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / scored ** 2;
  return {
    pairs: list.length,
    unscored: list.length - scored,
    confusion: { truePositive: tp, falsePositive: fp, falseNegative: fn, trueNegative: tn },
    agreement,
    precision: ratio(tp, tp + fp),
    recall: ratio(tp, tp + fn),
    kappa: agreement === null || chance === 1 ? null : (agreement - chance) / (1 - chance),
  };
}
