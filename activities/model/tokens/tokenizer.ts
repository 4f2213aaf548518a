import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as library from '@huggingface/tokenizers';
import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import { compileTemplate, type Render } from './template.ts';

/** A model's tokenizer and chat template, from the files that come with the model. */
export interface ChatTokenizer {
  /** Ids of a text in which added tokens (`<|im_end|>`, `<tool_call>`) are read as such; nothing is put around it. */
  encode(text: string): Int32Array;
  /** Text of ids, added tokens included. Bytes that are no UTF-8 become U+FFFD. */
  decode(ids: ArrayLike<number>): string;
  render: Render;
  /** Ids that end a reply. */
  stopIds: readonly number[];
  /** Texts of added tokens that act as control text, such as `<|im_start|>`: what a text from outside must not contain. */
  controlTokens: readonly string[];
  /** Ids are below this: the embedding's rows where config.json says so, else the largest id and one. */
  vocabSize: number;
  largestId: number;
  /** Hash of tokenizer and template. */
  fingerprint: string;
}

/** The part of the library's tokenizer that we use; the package's own types do not resolve under Node's rules. */
interface Tokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] };
  decode(
    ids: number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string;
  token_to_id(text: string): number | undefined;
  get_vocab(withAddedTokens: boolean): Map<string, number>;
}
const { Tokenizer } = library as unknown as {
  Tokenizer: new (definition: object, settings: object) => Tokenizer;
};

const tokenText = z.union([
  z.string(),
  z.looseObject({ content: z.string() }).transform(({ content }) => content),
]);
const namedTemplates = z.array(z.looseObject({ name: z.string(), template: z.string() }));
const settingsSchema = z.looseObject({
  chat_template: z.union([z.string(), namedTemplates]).nullish(),
  bos_token: tokenText.nullish(),
  eos_token: tokenText.nullish(),
  pad_token: tokenText.nullish(),
  unk_token: tokenText.nullish(),
});
const tokenizerSchema = z.looseObject({
  model: z.looseObject({ type: z.string().optional() }),
  added_tokens: z
    .array(z.looseObject({ id: z.int(), content: z.string(), special: z.boolean().default(false) }))
    .default([]),
});
const ids = z.union([z.int(), z.array(z.int())]).transform((value) => [value].flat());
const generationSchema = z.looseObject({ eos_token_id: ids.nullish() });
const modelSchema = z.looseObject({ vocab_size: z.int().positive().optional() });

/**
 * Reads `tokenizer.json`, `tokenizer_config.json` and the chat template (`chat_template.jinja`, or a field of the
 * configuration), and where they are there `generation_config.json` (stop tokens) and `config.json` (vocabulary size).
 * Throws `ConfigError` naming the file, also for a tokenizer with more ids than the model has.
 */
export async function loadTokenizer(dir: string): Promise<ChatTokenizer> {
  const [tokenizerText, settingsText, templateText, generationText, modelText] = await Promise.all([
    readNeeded(dir, 'tokenizer.json'),
    readNeeded(dir, 'tokenizer_config.json'),
    readOptional(dir, 'chat_template.jinja'),
    readOptional(dir, 'generation_config.json'),
    readOptional(dir, 'config.json'),
  ]);
  const definition = parse(tokenizerText, tokenizerSchema, dir, 'tokenizer.json');
  const settings = parse(settingsText, settingsSchema, dir, 'tokenizer_config.json');
  const generation = parse(generationText ?? '{}', generationSchema, dir, 'generation_config.json');
  const model = parse(modelText ?? '{}', modelSchema, dir, 'config.json');

  const tokenizer = build(definition, settings, dir);
  const template = templateText ?? templateOf(settings.chat_template);
  if (template === undefined)
    throw broken(dir, 'tokenizer_config.json', 'there is no chat template', 'Add chat_template.jinja');
  const named = Object.entries(settings).flatMap(([name, value]) =>
    name.endsWith('_token') && tokenText.safeParse(value).success
      ? [[name, tokenText.parse(value)] as const]
      : [],
  );
  const stopIds = [
    ...(generation.eos_token_id ?? []),
    ...[settings.eos_token ?? '', '<|im_end|>'].flatMap((text) => tokenizer.token_to_id(text) ?? []),
  ];
  if (stopIds.length === 0)
    throw broken(dir, 'tokenizer_config.json', 'eos_token names no token', 'A reply could never end');

  let largest = 0;
  for (const id of tokenizer.get_vocab(true).values()) if (id > largest) largest = id;
  if (model.vocab_size !== undefined && largest >= model.vocab_size)
    throw broken(
      dir,
      'tokenizer.json',
      `has token id ${largest}, but the model has ${model.vocab_size} (config.json)`,
      'Tokenizer and model must come from the same model',
    );

  return {
    encode: (text) =>
      text === ''
        ? new Int32Array(0)
        : Int32Array.from(tokenizer.encode(text, { add_special_tokens: false }).ids),
    decode: (list) =>
      list.length === 0
        ? ''
        : tokenizer.decode(Array.from(list), {
            skip_special_tokens: false,
            clean_up_tokenization_spaces: false,
          }),
    render: compileTemplate(template, Object.fromEntries(named), `chat template of ${dir}`),
    stopIds: [...new Set(stopIds)],
    controlTokens: definition.added_tokens
      .filter(({ content, special }) => special || /^<.+>$|^\[.+\]$/s.test(content))
      .map(({ content }) => content),
    vocabSize: model.vocab_size ?? largest + 1,
    largestId: largest,
    fingerprint: createHash('sha256').update(`${tokenizerText}\0${template}`).digest('hex'),
  };
}

function build(definition: object, settings: object, dir: string): Tokenizer {
  try {
    return new Tokenizer(definition, settings);
  } catch (error) {
    throw broken(dir, 'tokenizer.json', error instanceof Error ? error.message : String(error));
  }
}

function templateOf(value: z.infer<typeof settingsSchema>['chat_template']): string | undefined {
  if (typeof value === 'string') return value;
  return (value?.find(({ name }) => name === 'tool_use') ?? value?.find(({ name }) => name === 'default'))
    ?.template;
}

function parse<T>(text: string, schema: z.ZodType<T>, dir: string, file: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw broken(dir, file, error instanceof Error ? error.message : String(error));
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw broken(dir, file, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
}

async function readNeeded(dir: string, file: string): Promise<string> {
  const text = await readOptional(dir, file);
  if (text !== undefined) return text;
  throw broken(dir, file, 'does not exist', 'tokens.tokenizer is the folder with the files of the model');
}

async function readOptional(dir: string, file: string): Promise<string | undefined> {
  try {
    return await readFile(join(dir, file), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw broken(dir, file, error instanceof Error ? error.message : String(error));
  }
}

const broken = (dir: string, file: string, problem: string, hint?: string): WideseekError =>
  new WideseekError('ConfigError', `tokens.tokenizer: ${join(dir, file)}: ${problem}`, { hint });
