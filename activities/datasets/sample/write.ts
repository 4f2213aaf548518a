import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WideseekError } from '../../../domain/errors.ts';
import { buildSampleCorpus } from './corpus.ts';
import { buildSampleQuestions } from './questions/build.ts';

export interface SampleCounts {
  pages: number;
  wide: number;
  deep: number;
}

/**
 * Writes `pages.jsonl`, `questions.jsonl`, `gold/<instance_id>.csv` and `deep.jsonl` under `dir`, which is made
 * if need be; existing files of these names are replaced. Throws `StorageFull` when the disk refuses and
 * `InvalidInput` when `dir` cannot be used.
 */
export async function writeSample(dir: string): Promise<SampleCounts> {
  const { pages } = buildSampleCorpus();
  const { wide, deep } = buildSampleQuestions();
  const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  try {
    await mkdir(path.join(dir, 'gold'), { recursive: true });
    await writeFile(path.join(dir, 'pages.jsonl'), jsonl(pages));
    await writeFile(path.join(dir, 'questions.jsonl'), jsonl(wide.map(({ record }) => record)));
    for (const { record, goldCsv } of wide)
      await writeFile(path.join(dir, 'gold', `${record.instance_id}.csv`), goldCsv);
    await writeFile(path.join(dir, 'deep.jsonl'), jsonl(deep));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new WideseekError(
      code === 'ENOSPC' || code === 'EDQUOT' ? 'StorageFull' : 'InvalidInput',
      `cannot write the sample to ${dir} (${code})`,
      { hint: 'Name a directory that can be written to.', cause },
    );
  }
  return { pages: pages.length, wide: wide.length, deep: deep.length };
}
