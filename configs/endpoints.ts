import { invalidInput } from '../domain/errors.ts';
import type { Overrides } from './load.ts';

type Tree = Record<string, unknown>;

const isSection = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Overrides that decide which endpoint a role has (`models.lead`, `endpoints.…`), and those that change what stands
 * there afterwards (`models.lead.temperature`): the first have to be applied before names are looked up.
 */
export const splitOverrides = (overrides: Overrides): { before: Overrides; after: Overrides } => {
  const entries = Object.entries(overrides);
  const isName = ([path]: [string, unknown]): boolean =>
    !path.startsWith('models.') || path.split('.').length === 2;
  return {
    before: Object.fromEntries(entries.filter(isName)),
    after: Object.fromEntries(entries.filter((entry) => !isName(entry))),
  };
};

/**
 * Puts the endpoint in the place of each name under `models`: with `endpoints: { big: {…}, small: {…} }` and
 * `models: { lead: big, subagent: small }` two roles are swapped in one line. A role with an entry of its own keeps it.
 * Each role gets a copy, so that what is changed for one does not change the other. Throws `InvalidInput` naming the
 * role and the known endpoints.
 */
export const nameEndpoints = (tree: Tree): Tree => {
  const { models, endpoints } = tree;
  if (!isSection(models)) return tree;
  const known = isSection(endpoints) ? endpoints : {};
  const resolved = Object.entries(models).map(([role, value]): [string, unknown] => {
    if (typeof value !== 'string') return [role, value];
    if (!Object.hasOwn(known, value)) {
      const names = Object.keys(known);
      throw invalidInput(
        `models.${role}`,
        `there is no endpoint "${value}"`,
        names.length > 0 ? `Known: ${names.join(', ')}` : 'The configuration has no `endpoints`',
      );
    }
    return [role, structuredClone(known[value])];
  });
  return { ...tree, models: Object.fromEntries(resolved) };
};
