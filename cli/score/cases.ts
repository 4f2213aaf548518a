import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WideseekError } from '../../domain/errors.ts';
import { type Compat, scoreCase } from '../../domain/scoring/conformance.ts';
import { type Io, say } from '../io.ts';

/**
 * Scores a conformance file and prints one JSON line a case, in the file's order. Throws `NotFound` without the file and
 * `InvalidInput` with file:line at the first line that is no case.
 */
export async function scoreCases(io: Io, path: string, compat: Compat): Promise<void> {
  const file = resolve(io.cwd, path);
  const content = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new WideseekError('NotFound', `there is no readable file ${path}`, { cause });
  });
  for (const [index, line] of content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    try {
      say(io, JSON.stringify(scoreCase(line, compat)));
    } catch (cause) {
      if (!(cause instanceof WideseekError)) throw cause;
      throw new WideseekError(cause.type, `${path}:${index + 1}: ${cause.message}`, { cause });
    }
  }
}
