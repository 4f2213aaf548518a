/** One setting that differs between two configurations. */
export interface Difference {
  path: string;
  a: unknown;
  b: unknown;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Leaves that differ, by dotted path; a leaf that only one side has is undefined on the other. */
export const settingDifferences = (a: unknown, b: unknown, path = ''): Difference[] => {
  if (isTree(a) && isTree(b)) {
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      settingDifferences(a[key], b[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ path, a, b }];
};
