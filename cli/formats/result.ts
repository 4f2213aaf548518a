import type { SeekResult } from '../../domain/run.ts';
import { invalidInput } from '../../domain/errors.ts';
import { formatCsv } from './csv.ts';
import { formatMarkdown } from './markdown.ts';
import { formatXlsx } from './xlsx.ts';

export const FORMATS = ['markdown', 'csv', 'json', 'xlsx'] as const;
export type Format = (typeof FORMATS)[number];

/** The format that a file name or a `--format` value asks for (`out.xlsx`, `md`). Throws `InvalidInput` for any other. */
export const formatNamed = (name: string): Format => {
  const ending = name.toLowerCase().split('.').at(-1) ?? '';
  const found = ending === 'md' ? 'markdown' : FORMATS.find((format) => format === ending);
  if (!found) throw invalidInput('format', `"${name}" is not known`, `Use one of ${FORMATS.join(', ')}`);
  return found;
};

/** A result in one of the output formats: text, or bytes for `xlsx`. JSON is the result object itself. */
export const formatResult = async (
  result: SeekResult,
  format: Format,
  { evidence }: { evidence: boolean },
): Promise<string | Uint8Array> => {
  switch (format) {
    case 'markdown':
      return formatMarkdown(result, evidence);
    case 'csv':
      return formatCsv(result, evidence);
    case 'json':
      return `${JSON.stringify(result, null, 2)}\n`;
    case 'xlsx':
      return formatXlsx(result, evidence);
  }
};
