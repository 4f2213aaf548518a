import { parse } from 'yaml';
import { invalidInput } from '../domain/errors.ts';

export type Setting = string | number | boolean | null;

const scalar = (text: string): Setting => {
  try {
    const value: unknown = parse(text, { schema: 'core' });
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
    // Lists, maps and quoted text are taken as they were typed: a setting is one value.
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
};

/**
 * `--set a.b=4` pairs as an object: numbers, booleans and null as YAML reads them, anything else as text.
 * Throws `InvalidInput` for what is not `key=value`.
 */
export const parseSettings = (pairs: readonly string[]): Record<string, Setting> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      const key = pair.slice(0, at).trim();
      if (at < 1 || !/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/.test(key)) {
        throw invalidInput('--set', `"${pair}" is not key=value`, 'Write for example --set agents.width=4');
      }
      return [key, scalar(pair.slice(at + 1))];
    }),
  );

/** Collects a repeatable option. */
export const collect = (value: string, earlier: string[]): string[] => [...earlier, value];

/** An integer option from `min` on. Throws `InvalidInput` naming the option. */
export const integer =
  (option: string, min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    throw invalidInput(option, `"${text}" is not a whole number from ${min} to ${max}`);
  };
