import { readFile } from 'node:fs/promises';
import { Tokenizer as UntypedTokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';

/** Token ids of one text, special tokens included, at most `maxTokens` long. */
export type Tokenise = (text: string) => number[];

/** The package's own declarations do not resolve under Node's module rules; this is the part that is used. */
interface Tokenizer {
  encode(text: string): { ids: number[] };
}
const TokenizerOf = UntypedTokenizer as unknown as new (file: object, config: object) => Tokenizer;

const tokenizerFile = z.looseObject({ model: z.looseObject({}) });

/** A text longer than this many characters per token is cut first: tokenising a whole book for 256 ids is waste. */
const CHARACTERS_PER_TOKEN = 40;

const commonPrefix = (a: readonly number[], b: readonly number[]): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

/**
 * Reads a `tokenizer.json`. Truncation keeps the closing special tokens, as the reference tokenizers do.
 * Throws `ConfigError` when the file is missing or is no tokenizer.
 */
export const loadTokeniser = async (path: string, maxTokens: number): Promise<Tokenise> => {
  let tokenizer: Tokenizer;
  try {
    tokenizer = new TokenizerOf(tokenizerFile.parse(JSON.parse(await readFile(path, 'utf8'))), {});
  } catch (cause) {
    throw new WideseekError('ConfigError', `${path} is not a readable tokenizer.json`, {
      hint: 'Point the encoder to the tokenizer.json that belongs to its model.',
      cause,
    });
  }
  const frame = tokenizer.encode('').ids;
  return (text) => {
    const { ids } = tokenizer.encode(text.slice(0, maxTokens * CHARACTERS_PER_TOKEN));
    if (ids.length <= maxTokens) return ids;
    const closing = frame.slice(commonPrefix(frame, ids));
    return [...ids.slice(0, maxTokens - closing.length), ...closing];
  };
};
