import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { WideseekError } from '../domain/errors.ts';

const DEFAULT_FILE = fileURLToPath(new URL('./prices.yaml', import.meta.url));

const pricesSchema = z.strictObject({
  models: z
    .array(
      z.strictObject({
        /** A model's name; `*` stands for any characters. */
        model: z.string().min(1),
        promptUsdPerMillion: z.number().min(0),
        completionUsdPerMillion: z.number().min(0),
      }),
    )
    .default([]),
});

/** US dollars per million tokens. */
export interface TokenPrices {
  promptUsdPerMillion: number;
  completionUsdPerMillion: number;
}
export type PriceList = z.infer<typeof pricesSchema>['models'];

/** Reads `configs/prices.yaml`, or the file that WIDESEEK_PRICES names. Throws `ConfigError` naming file and field. */
export async function loadPrices(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PriceList> {
  const file = env.WIDESEEK_PRICES || DEFAULT_FILE;
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new WideseekError('ConfigError', `${file}: cannot be read: ${cause.message}`, { cause });
  });
  const document = parseDocument(text);
  if (document.errors[0]) throw new WideseekError('ConfigError', `${file}: ${document.errors[0].message}`);
  const parsed = pricesSchema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data.models;
  const issue = parsed.error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys';
  const field = [...issue.path, ...(unknown ? issue.keys.slice(0, 1) : [])].join('.') || 'the file';
  throw new WideseekError('ConfigError', `${file}: ${field}: ${unknown ? 'unknown key' : issue.message}`);
}

/** The first entry whose pattern fits the whole name, whatever its case; undefined where none does. */
export function priceOf(model: string, list: PriceList): TokenPrices | undefined {
  const found = list.find(({ model: pattern }) => {
    const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 'isu').test(model);
  });
  return found && pick(found);
}

const pick = ({ promptUsdPerMillion, completionUsdPerMillion }: TokenPrices): TokenPrices => ({
  promptUsdPerMillion,
  completionUsdPerMillion,
});
