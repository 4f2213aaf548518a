import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import type { Datum } from '../../domain/rl/datum.ts';

/** One line: `weights[i]` weighs the prediction of `tokens[i]`; what nothing predicts, the first, has weight 0 or is ignored. */
const lineSchema = z.strictObject({
  tokens: z.array(z.int().min(0)).min(2),
  weights: z.array(z.number().min(0)),
});

export interface SftSequence {
  tokens: Int32Array;
  weights: Float32Array;
}
export interface SftData {
  file: string;
  /** SHA-256 of the file. */
  hash: string;
  sequences: SftSequence[];
}

/**
 * Reads a JSONL file of token sequences. Throws `NotFound` for no file, `InvalidInput` naming file, line and field for a
 * line that is no such sequence or has nothing to learn.
 */
export async function readSftData(file: string): Promise<SftData> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if ((error as { code?: string }).code === 'ENOENT')
      throw new WideseekError('NotFound', `data.file: there is no file ${file}`);
    throw error;
  });
  const hash = createHash('sha256').update(bytes).digest('hex');
  const sequences: SftSequence[] = [];
  for (const [index, line] of bytes.toString('utf8').split('\n').entries())
    if (line.trim() !== '') sequences.push(readLine(line, `${file}:${index + 1}`));
  if (sequences.length === 0) throw invalidInput('data.file', `${file} has no sequences`);
  return { file, hash, sequences };
}

function readLine(line: string, where: string): SftSequence {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw invalidInput(where, 'is not JSON');
  }
  const parsed = lineSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalidInput(`${where}: ${issue?.path.join('.') || 'line'}`, issue?.message ?? 'is no sequence');
  }
  const { tokens, weights } = parsed.data;
  if (weights.length !== tokens.length)
    throw invalidInput(`${where}: weights`, `${weights.length} weights for ${tokens.length} tokens`);
  if (!weights.some((weight, at) => at > 0 && weight > 0))
    throw invalidInput(`${where}: weights`, 'no token after the first has a weight above 0');
  return { tokens: Int32Array.from(tokens), weights: Float32Array.from(weights) };
}

/** Sum of the weights that count. */
export const weightOf = ({ weights }: SftSequence): number =>
  weights.subarray(1).reduce((sum, weight) => sum + weight, 0);

/** The wire's datum for cross-entropy: shifted, with weights divided by `denominator`. */
export function sftDatum({ tokens, weights }: SftSequence, denominator: number): Datum {
  const length = tokens.length - 1;
  return {
    tokens: tokens.slice(0, length),
    targets: tokens.slice(1),
    weights: weights.slice(1).map((weight) => weight / denominator),
    logprobs: new Float32Array(length),
    advantages: new Float32Array(length),
  };
}
