import { describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { parseStoreUrl } from './url.ts';

describe('parseStoreUrl', () => {
  it.each([
    ['sqlite:/var/lib/store.db', '/var/lib/store.db'],
    ['sqlite:///var/lib/store.db', '/var/lib/store.db'],
    ['sqlite:data/store.db', 'data/store.db'],
    ['sqlite::memory:', ':memory:'],
    ['  ./store.db ', './store.db'],
    ['C:\\data\\store.db', 'C:\\data\\store.db'],
  ])('takes %s for a SQLite file', (url, file) => {
    expect(parseStoreUrl(url)).toMatchObject({ dialect: 'sqlite', file });
  });

  it.each([
    'postgres://u:p%40ss@db:5433/w',
    'postgresql://db:5433/w?password=p%40ss',
    'POSTGRES://db:5433/w',
  ])('takes %s for Postgres and labels it without user and password', (url) => {
    expect(parseStoreUrl(url)).toMatchObject({ dialect: 'postgres', label: 'postgres://db:5433/w' });
  });

  it('knows a password in both its spellings', () => {
    expect(parseStoreUrl('postgres://u:p%40ss@db/w')).toMatchObject({ secrets: ['p%40ss', 'p@ss'] });
  });

  it.each([
    '',
    '  ',
    'sqlite:',
    'mysql://u:hunter2@host/db',
    'https://host/db',
    'postgres://u:hunter2@host:99999/x',
  ])('refuses %s without repeating it', (url) => {
    const refused = (): unknown => parseStoreUrl(url);
    expect(refused).toThrow(WideseekError);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ type: 'ConfigError', retryable: false });
      expect(String(error)).not.toMatch(/hunter2/);
      expect((error as WideseekError).cause).toBeUndefined();
    }
  });
});
