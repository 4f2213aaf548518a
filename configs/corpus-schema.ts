import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { invalidInput, WideseekError } from '../domain/errors.ts';

const CORPUS_DIR = fileURLToPath(new URL('./corpus/', import.meta.url));

/** JSON Lines; a path that is not absolute starts at `WIDESEEK_DATA` (default: `data` in the project's home). */
const file = z.string().min(1);

const sourceSchema = z.discriminatedUnion('kind', [
  /** The built-in encyclopedia of countries and elements. */
  z.strictObject({ kind: z.literal('sample') }),
  /** The invented world of the miniature experiment: 36 groups and their members, a short page each. */
  z.strictObject({ kind: z.literal('mini') }),
  /** Whole pages: `url`, `title`, `contents`. Cut into passages too, unless another source has those already. */
  z.strictObject({ kind: z.literal('pages'), path: file, searchable: z.boolean().default(true) }),
  /** Ready-made passages: `contents` (shown and embedded as it is) and `url`. */
  z.strictObject({ kind: z.literal('passages'), path: file }),
]);
export type CorpusSource = z.infer<typeof sourceSchema>;

const storeSchema = z.discriminatedUnion('kind', [
  /** Files under the project's home. */
  z.strictObject({ kind: z.literal('embedded') }),
  /** Read into memory when it is opened and searched by words: nothing to build. For some thousand passages. */
  z.strictObject({ kind: z.literal('memory') }),
  /** A Qdrant server; graph parameters as in spec 2.7. */
  z.strictObject({
    kind: z.literal('qdrant'),
    /** Default: the environment's `QDRANT_URL`. */
    url: z.url().optional(),
    collection: z.string().regex(/^[\w-]+$/),
    m: z.int().min(4).max(128).default(32),
    efConstruct: z.int().min(16).max(4096).default(512),
    hnswEf: z.int().min(16).max(4096).default(256),
  }),
]);
export type CorpusStore = z.infer<typeof storeSchema>;

/** One corpus: `configs/corpus/<name>.yaml` after defaults. Unknown keys are errors. */
export const corpusSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be lower-case letters, digits, - and _'),
    sources: z.array(sourceSchema).min(1),
    /** `minilm`: pinned, 384 dimensions. `e5`: e5-base-v2 from WIDESEEK_ENCODER_MODEL. `none`: words only. */
    encoder: z.enum(['minilm', 'e5', 'none']).default('minilm'),
    /** Length of a passage cut from a page; a Chinese character counts as a word. */
    chunkWords: z.int().min(20).max(2000).default(200),
    /** Words of a passage that the encoder sees; null: all of them. Full text always sees all. */
    embedWords: z.int().min(8).max(2000).nullable().default(null),
    /** `latin`: text in other scripts has no vector and is searched by words, for encoders that know English only. */
    vectors: z.enum(['all', 'latin']).default('all'),
    /** Passages written and checkpointed together. */
    batch: z.int().min(1).max(4096).default(256),
    store: storeSchema.default({ kind: 'embedded' }),
  })
  .refine(({ store, vectors }) => store.kind === 'embedded' || vectors === 'all', {
    path: ['vectors'],
    message: 'only the embedded store can search by words what has no vector',
  });
export type CorpusConfig = z.infer<typeof corpusSchema>;

/** Checks a corpus given inline. Throws `InvalidInput` naming the field. */
export const parseCorpus = (value: unknown, where = 'corpus'): CorpusConfig => {
  const parsed = corpusSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = [
    ...(issue?.path ?? []),
    ...(issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []),
  ];
  throw invalidInput(
    [where, ...field].join('.'),
    issue?.code === 'unrecognized_keys' ? 'unknown key' : (issue?.message ?? 'is not a corpus'),
  );
};

/**
 * Reads a corpus by name (`sample`) or by path (`configs/corpus/sample.yaml`).
 * Throws `InvalidInput` for an unknown name or a bad key, `ConfigError` for a file that is no YAML.
 */
export const loadCorpus = async (config: string, dir = CORPUS_DIR): Promise<CorpusConfig> => {
  const isName = /^[\w-]+$/.test(config);
  const from = isName ? path.join(dir, `${config}.yaml`) : path.resolve(config);
  const text = await readFile(from, 'utf8').catch((cause: unknown) => {
    throw new WideseekError('InvalidInput', `config: there is no corpus configuration ${from}`, { cause });
  });
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error) throw new WideseekError('ConfigError', `${from}: ${error.message}`);
  return parseCorpus(document.toJS(), path.basename(from));
};
