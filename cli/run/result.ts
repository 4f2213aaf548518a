import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve } from 'node:path';
import type { Store } from '../../activities/store/port.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { type SeekResult, seekResultSchema } from '../../domain/run.ts';
import { type Format, FORMATS, formatNamed, formatResult, terminalTable } from '../formats/index.ts';
import { type Io, say, sayJson, tell } from '../io.ts';
import { dollars } from './estimate.ts';

export interface DeliveryOptions {
  /** As typed; `checkDelivery` makes it one of `FORMATS`. */
  format?: string;
  output?: string;
  evidence?: boolean;
  json?: boolean;
}

/** Options that fit together. */
export type Delivery = Omit<DeliveryOptions, 'format'> & { format?: Format };

/** Reads a stored result. Throws `NotFound` when it is not in the store, `BadReply` when it is not a result. */
export const loadResult = async (store: Store, ref: string): Promise<SeekResult> => {
  const text = await store.get(ref);
  try {
    return seekResultSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new WideseekError('BadReply', `the stored result ${ref} cannot be read`, {
      hint: 'Was it written by another version of wideseek?',
      cause,
    });
  }
};

/**
 * Checks `--format`, `--output` and `--json` against each other before anything runs, and fills in the format from
 * the file's ending. Throws `InvalidInput`.
 */
export const checkDelivery = (options: DeliveryOptions): Delivery => {
  const { output } = options;
  const asked = options.format ?? (output && extname(output) ? output : undefined);
  if (output && !asked) {
    throw invalidInput('--output', `"${output}" has no ending`, `Add --format ${FORMATS.join('|')}`);
  }
  const format = asked === undefined ? undefined : formatNamed(asked);
  if (format === 'xlsx' && !output) {
    throw invalidInput('--format', 'xlsx is not text and needs a file', 'Add --output answer.xlsx');
  }
  if (options.json && format && format !== 'json' && !output) {
    throw invalidInput(
      '--format',
      `"${format}" and --json both want stdout`,
      'Add --output FILE or leave one out',
    );
  }
  return { ...options, format };
};

const save = async (file: string, content: string | Uint8Array): Promise<void> => {
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new WideseekError(
      code === 'ENOSPC' ? 'StorageFull' : 'InvalidInput',
      `cannot write ${file}: ${message}`,
      {
        cause,
      },
    );
  }
};

/** Writes `wideseek-runs/<run>/answer.md`, `answer.csv` and `result.json` below `cwd`; returns the folder. */
export const saveRunFiles = async (cwd: string, result: SeekResult): Promise<string> => {
  const folder = join(cwd, 'wideseek-runs', result.runId);
  await save(join(folder, 'answer.md'), await formatResult(result, 'markdown', { evidence: true }));
  if (result.table)
    await save(join(folder, 'answer.csv'), await formatResult(result, 'csv', { evidence: false }));
  await save(join(folder, 'result.json'), await formatResult(result, 'json', { evidence: true }));
  return relative(cwd, folder);
};

const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** Prints a result on stdout in the asked form, or writes it to the asked file. */
export const deliver = async (io: Io, result: SeekResult, options: Delivery): Promise<void> => {
  const { format, output, evidence = false } = options;
  if (output) {
    const file = resolve(io.cwd, output);
    await save(file, await formatResult(result, format ?? 'markdown', { evidence }));
    tell(io, `Written: ${output}`);
    if (!options.json) return;
  }
  if (options.json) return sayJson(io, result);
  if (format) return io.stdout.write(withNewline(String(await formatResult(result, format, { evidence }))));
  if (io.stdout.isTTY && result.table && !evidence)
    return say(io, terminalTable(result.table, io.stdout.columns));
  io.stdout.write(withNewline(String(await formatResult(result, 'markdown', { evidence }))));
};

const STATUS_WORDS = { ok: 'Answered', partial: 'Partial answer', failed: 'Nothing found' } as const;

/** A few lines on stderr: how the run ended, what to know about it, and where things are. */
export const tellEnd = (
  io: Io,
  result: SeekResult,
  places: { folder?: string; page?: string | null },
): void => {
  const { status, stopReason, usage, agents, table, policy } = result;
  const cells = result.evidence.length;
  const supported = result.evidence.filter((each) => each.status === 'supported').length;
  const facts = [
    ...(table ? [`${table.rows.length} rows`] : []),
    ...(cells > 0 ? [`${supported} of ${cells} cells with a source`] : []),
    `${agents} agents`,
    `${usage.searches} searches`,
    `${usage.pagesRead} pages`,
    ...(usage.microUsd > 0 ? [`${dollars(usage.microUsd)} spent`] : []),
    `model: ${policy}`,
  ];
  tell(
    io,
    `${STATUS_WORDS[status]}${stopReason === 'answered' ? '' : ` (${stopReason})`}: ${facts.join(', ')}.`,
  );
  for (const note of result.notes) tell(io, `! ${note}`);
  if (places.folder) tell(io, `Files:  ${places.folder}`);
  if (places.page) tell(io, `Run:    ${places.page}`);
};
