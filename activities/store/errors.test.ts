import { describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { storeError } from './errors.ts';

const coded = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code });

describe('storeError', () => {
  it.each([
    ['SQLITE_FULL', 'StorageFull'],
    ['SQLITE_IOERR_WRITE', 'StorageFull'],
    ['ENOSPC', 'StorageFull'],
    ['53100', 'StorageFull'],
    ['53300', 'Overloaded'],
    ['SQLITE_BUSY_SNAPSHOT', 'Overloaded'],
    ['57P03', 'Overloaded'],
    ['40P01', 'Overloaded'],
    ['ECONNREFUSED', 'Overloaded'],
    ['SQLITE_CANTOPEN', 'ConfigError'],
    ['28P01', 'ConfigError'],
    ['3D000', 'ConfigError'],
    ['ENOTFOUND', 'ConfigError'],
    ['42P01', 'Internal'],
    ['', 'Internal'],
  ])('%s is %s', (code, type) => {
    expect(storeError(coded(code), 'sqlite:x').type).toBe(type);
  });

  it('knows a lost connection without a code, and several refusals at once', () => {
    expect(storeError(new Error('Connection terminated unexpectedly'), 'x').type).toBe('Overloaded');
    expect(storeError(new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]), 'x').type).toBe(
      'Overloaded',
    );
  });

  it('blots out secrets and drops the cause', () => {
    const error = storeError(coded('28P01', 'p@ss and p%40ss failed'), 'postgres://h/d', ['p@ss', 'p%40ss']);
    expect(error.message).toContain('postgres://h/d');
    expect(error.message).not.toMatch(/p(@|%40)ss/);
    expect(error.cause).toBeUndefined();
  });

  it('leaves our own errors as they are', () => {
    const own = new WideseekError('NotFound', 'x');
    expect(storeError(own, 'label')).toBe(own);
  });

  it('reads what is not an error at all', () => {
    expect(storeError('just text', 'x').message).toContain('just text');
    expect(storeError(undefined, 'x').type).toBe('Internal');
  });
});
