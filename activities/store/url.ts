import { WideseekError } from '../../domain/errors.ts';

/** Where the store lives. `label` is safe to print: it never holds a password. */
export type StoreLocation =
  | { dialect: 'sqlite'; file: string; label: string }
  | { dialect: 'postgres'; url: string; label: string; secrets: string[] };

const HINT = 'Use sqlite:/path/file.db, a plain path, or postgres://user@host/database';

const wrong = (problem: string): WideseekError =>
  new WideseekError('ConfigError', `store URL: ${problem}`, { hint: HINT });

const sqliteLocation = (file: string): StoreLocation => {
  if (file === '') throw wrong('names no file');
  return { dialect: 'sqlite', file, label: `sqlite:${file}` };
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const postgresLocation = (url: string): StoreLocation => {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // The built-in error carries the whole URL, password included, so it is not passed on as a cause.
    throw wrong('is not a valid postgres:// URL');
  }
  const passwords = [parsed.password, parsed.searchParams.get('password') ?? ''];
  const secrets = [...new Set(passwords.flatMap((password) => [password, decoded(password)]))];
  const host = parsed.hostname || parsed.searchParams.get('host') || 'localhost';
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  return {
    dialect: 'postgres',
    url,
    label: `postgres://${host}${port}${parsed.pathname}`,
    secrets: secrets.filter((secret) => secret !== ''),
  };
};

/**
 * Reads a store URL: `sqlite:/path/file.db`, `sqlite::memory:`, a plain path, or `postgres://…`.
 * Throws `ConfigError` for anything else; the message never repeats the URL.
 */
export const parseStoreUrl = (url: string): StoreLocation => {
  const text = url.trim();
  if (text === '') throw wrong('is empty');
  // One letter before the colon is a Windows drive, not a scheme.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return sqliteLocation(text);
  if (scheme === 'sqlite') return sqliteLocation(text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''));
  if (scheme === 'postgres' || scheme === 'postgresql') return postgresLocation(text);
  throw wrong(`scheme "${scheme}" is not supported`);
};
