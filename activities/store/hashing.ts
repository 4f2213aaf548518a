import { createHash } from 'node:crypto';
import type { Ref } from './port.ts';

/** SHA-256 as lower-case hex; text is hashed as UTF-8. */
export const sha256 = (content: string | Uint8Array): Ref =>
  createHash('sha256').update(content).digest('hex');

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
};

/** JSON in which the order of an object's keys cannot differ: equal values give equal text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));
