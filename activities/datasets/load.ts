import { resolve } from 'node:path';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { CATALOGUE, type DatasetEntry, type DatasetFormat } from './catalogue.ts';
import { locate } from './folder.ts';
import { convertAny } from './formats/auto.ts';
import type { Convert } from './formats/converted.ts';
import { convertQa } from './formats/qa.ts';
import { convertWideSearch } from './formats/widesearch.ts';
import { convertWideSeek } from './formats/wideseek.ts';
import { miniQuestions } from './mini/questions.ts';
import type { EvalQuestion } from './question.ts';
import { type BrokenRecord, isBroken, readRows } from './rows.ts';
import { deepSample, wideSample } from './sample-questions.ts';

export interface DatasetSpec {
  /** A name of the catalogue; any other name needs a `path`, and its records are read by what they hold. */
  name: string;
  /** File or folder. Default: the data set's folder below the data folder. */
  path?: string;
  /** Default: the whole file, or the split of the published results where splits are files. */
  split?: string;
  /** The first so many usable questions. */
  limit?: number;
}

export interface Remark {
  where: string;
  id: string | null;
  text: string;
}

export interface DatasetReading {
  /** The file that was read; null for questions that are made in memory. */
  file: string | null;
  questions: EvalQuestion[];
  broken: BrokenRecord[];
  /** Repaired when scoring. */
  warnings: Remark[];
  /** Well-formed records that are not asked, e.g. because they need an attached file. */
  skipped: Remark[];
}

/** How a file of each format is read; the first three are made in memory where no path is given. */
const CONVERT: Record<DatasetFormat, Convert> = {
  'sample-wide': convertWideSearch,
  'sample-deep': convertQa,
  mini: convertWideSearch,
  widesearch: convertWideSearch,
  wideseek: convertWideSeek,
  qa: convertQa,
  auto: convertAny,
};

const IN_MEMORY: ReadonlyMap<DatasetFormat, () => EvalQuestion[]> = new Map([
  ['sample-wide', wideSample],
  ['sample-deep', deepSample],
  ['mini', () => miniQuestions()],
]);

/** How many broken records an error names. */
const NAMED = 5;

/**
 * The questions of a data set. A broken record is an error that names file, line and field; with `lenient` it is left
 * out and handed to `onBroken`. Throws `InvalidInput` (unknown name, broken or no records), `NotFound` (no file).
 */
export async function loadDataset(
  spec: DatasetSpec,
  options: { lenient?: boolean; onBroken?: (record: BrokenRecord) => void; env?: NodeJS.ProcessEnv } = {},
): Promise<EvalQuestion[]> {
  const { questions, broken, file } = await readDataset(spec, options);
  if (broken.length > 0 && !options.lenient) throw brokenError(broken);
  for (const record of broken) options.onBroken?.(record);
  if (questions.length > 0) return questions;
  const splits = spec.split === undefined ? '' : ` of split "${spec.split}"`;
  throw invalidInput('dataset', `${file ?? spec.name} has no questions${splits}`);
}

/** Reads everything and judges nothing: for `wideseek data check`. Throws as `loadDataset` does without a file. */
export async function readDataset(
  spec: DatasetSpec,
  options: { env?: NodeJS.ProcessEnv } = {},
): Promise<DatasetReading> {
  const entry = entryOf(spec);
  const inMemory = IN_MEMORY.get(entry.format);
  if (spec.path === undefined && inMemory !== undefined)
    return { file: null, questions: cut(inMemory(), spec), broken: [], warnings: [], skipped: [] };
  const file = await locate(entry, { ...spec, env: options.env });
  const reading = await readFileWith(file, CONVERT[entry.format], spec.split ?? entry.split);
  return { ...reading, questions: cut(reading.questions, spec) };
}

function entryOf({ name, path }: DatasetSpec): DatasetEntry {
  const known = CATALOGUE.get(name.toLowerCase());
  if (known !== undefined) return known;
  if (path !== undefined)
    return { name, format: 'auto', folder: name, files: ['test.jsonl', 'questions.jsonl'] };
  throw invalidInput(
    'dataset',
    `there is no data set "${name}"`,
    `Known: ${[...CATALOGUE.keys()].join(', ')}`,
  );
}

async function readFileWith(
  file: string,
  convert: Convert,
  split: string | undefined,
): Promise<DatasetReading> {
  const reading: DatasetReading = {
    file: resolve(file),
    questions: [],
    broken: [],
    warnings: [],
    skipped: [],
  };
  const firstSeen = new Map<string, string>();
  for (const row of await readRows(file)) {
    if (isBroken(row)) {
      reading.broken.push(row);
      continue;
    }
    const { where, index, value } = row;
    const made = await convert(value, { index, file, split });
    if ('problems' in made) {
      reading.broken.push({ where, ...made });
      continue;
    }
    if ('skipped' in made) {
      reading.skipped.push({ where, id: made.id, text: made.skipped });
      continue;
    }
    const { id } = made.question;
    const earlier = firstSeen.get(id);
    if (earlier !== undefined) {
      reading.broken.push({ where, id, problems: [`id: is already used at ${earlier}`] });
      continue;
    }
    firstSeen.set(id, where);
    reading.questions.push(made.question);
    reading.warnings.push(...made.warnings.map((text) => ({ where, id, text })));
  }
  return reading;
}

/** The asked split and the first `limit`. Records that name no split belong to every one. */
function cut(questions: EvalQuestion[], { split, limit }: DatasetSpec): EvalQuestion[] {
  const wanted =
    split === undefined ? questions : questions.filter((each) => (each.split ?? split) === split);
  return limit === undefined ? wanted : wanted.slice(0, limit);
}

function brokenError(broken: readonly BrokenRecord[]): WideseekError {
  const named = broken
    .slice(0, NAMED)
    .map(({ where, id, problems }) => `${where}${id === null ? '' : ` (${id})`}: ${problems.join('; ')}`);
  const rest = broken.length - named.length;
  const more = rest > 0 ? `\nand ${rest} more` : '';
  return new WideseekError('InvalidInput', `${named.join('\n')}${more}`, {
    hint: 'Correct the records, or leave them out with --lenient',
  });
}
