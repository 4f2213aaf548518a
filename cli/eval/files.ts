import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WideseekError } from '../../domain/errors.ts';

const failed = (file: string, cause: unknown): WideseekError => {
  const { code, message } = cause as NodeJS.ErrnoException;
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new WideseekError(full ? 'StorageFull' : 'InvalidInput', `cannot write ${file}: ${message}`, {
    cause,
    ...(full ? { hint: 'Free some space and run `wideseek eval --report RUN` again' } : {}),
  });
};

export interface Draft {
  write(text: string): Promise<void>;
  /** Puts the file in place. */
  finish(): Promise<void>;
  /** Forgets what was written. Safe after `finish`. */
  discard(): Promise<void>;
}

/**
 * A file that is written in pieces and appears whole: readers see the old one or the new one. Throws `StorageFull` and
 * `InvalidInput` naming the file.
 */
export const draft = async (file: string): Promise<Draft> => {
  const part = `${file}.part`;
  try {
    await mkdir(dirname(file), { recursive: true });
    const handle = await open(part, 'w');
    let over = false;
    return {
      write: async (text) => {
        await handle.write(text).catch((cause: unknown) => {
          throw failed(file, cause);
        });
      },
      finish: async () => {
        try {
          await handle.close();
          await rename(part, file);
          over = true;
        } catch (cause) {
          throw failed(file, cause);
        }
      },
      discard: async () => {
        if (over) return;
        over = true;
        await handle.close().catch(() => undefined); // closed already where the rename failed
        await rm(part, { force: true });
      },
    };
  } catch (cause) {
    throw failed(file, cause);
  }
};

/** Writes a whole file through a draft. */
export const writeWhole = async (file: string, text: string): Promise<void> => {
  const one = await draft(file);
  try {
    await one.write(text);
    await one.finish();
  } finally {
    await one.discard();
  }
};
