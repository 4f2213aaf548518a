/** Keys that sort like the numbers they stand for. */
export const numberKey = (value: number): string => String(value).padStart(8, '0');

/** Id of a training group by its place in the order of admission. */
export const groupId = (index: number): string => `g${numberKey(index)}`;
export const groupIndex = (id: string): number => Number(id.slice(1));

/** Id of the group that answers one dev question in the evaluation after a step. */
export const evalGroupId = (step: number, mode: 'sampled' | 'greedy', question: number): string =>
  `eval-${numberKey(step)}-${mode}/g${numberKey(question)}`;
