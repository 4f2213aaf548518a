import { join } from 'node:path';
import pLimit from 'p-limit';
import type { SampleRecord } from '../../domain/scoring/samples.ts';
import { type AgentFacts, agentTree } from './agents.ts';
import { type DetailStore, loadDetail } from './detail.ts';
import { type Draft, draft, writeWhole } from './files.ts';
import type { LoadedEvaluation } from './load.ts';
import { metricDocument, type MetricDocument } from './metrics.ts';
import { fileName, responseFile, responseRecord, resultEntry } from './records.ts';
import {
  embeddedQuestion,
  type EmbeddedQuestion,
  indexEntry,
  type IndexEntry,
  type Member,
  slimmer,
} from './report/embedded.ts';
import { questionBlock, reportEnd, reportStart } from './report/page.ts';

export interface WriteOptions {
  /** Folder that gets `wideseek-runs/`. */
  cwd: string;
  now: number;
  /** Subagents by their lead's workflow id, where Temporal still knows them. */
  agents?: ReadonlyMap<string, readonly AgentFacts[]>;
  /** Characters of the report that details of questions may take. */
  reportChars?: number;
}

export interface WrittenRun {
  folder: string;
  report: string;
  document: MetricDocument;
}

const REPORT_CHARS = 24_000_000;
const AT_ONCE = 8;

/** Samples of one question each, in order. */
const byQuestion = (samples: readonly SampleRecord[]): SampleRecord[][] => {
  const groups = new Map<string, SampleRecord[]>();
  for (const sample of samples) {
    const group = groups.get(sample.questionId);
    if (group) group.push(sample);
    else groups.set(sample.questionId, [sample]);
  }
  return [...groups.values()];
};

/**
 * Deals out the space for details: each question may take its share of what is left, and what small ones leave over
 * goes to those behind them. Questions that do not fit are slimmed, then left out.
 */
const allot = (chars: number, questions: number) => {
  let left = chars;
  let open = questions;
  return (full: EmbeddedQuestion): EmbeddedQuestion | null => {
    const share = left / Math.max(1, open--);
    for (const version of [() => full, () => slimmer(full, false), () => slimmer(full, true)]) {
      const made = version();
      const size = JSON.stringify(made).length;
      if (size > share) continue;
      left -= size;
      return made;
    }
    return null;
  };
};

/** `wideseek-runs/<run>` below `cwd`; a run id that is no file name is made one. */
export const runFolder = (cwd: string, runId: string): string => join(cwd, 'wideseek-runs', fileName(runId));

/**
 * Writes an evaluation's `metric.json`, `allresult.json`, `responses/` (spec 6.8) and `report.html`. One pass over the
 * samples, one question in memory at a time. Writing again replaces the files. Throws `StorageFull` and `InvalidInput`.
 */
export const writeRun = async (
  store: DetailStore,
  { evaluation, samples }: LoadedEvaluation,
  options: WriteOptions,
): Promise<WrittenRun> => {
  const folder = runFolder(options.cwd, evaluation.runId);
  const file = (name: string): string => join(folder, name);
  const document = metricDocument(evaluation, samples);
  await writeWhole(file('metric.json'), `${JSON.stringify(document, null, 2)}\n`);

  const groups = byQuestion(samples);
  const fit = allot(options.reportChars ?? REPORT_CHARS, groups.length);
  const limit = pLimit(AT_ONCE);
  const index: IndexEntry[] = [];
  const drafts: Draft[] = [];
  const open = async (name: string): Promise<Draft> => {
    const made = await draft(file(name));
    drafts.push(made);
    return made;
  };
  try {
    const all = await open('allresult.json');
    const report = await open('report.html');
    const page = { evaluation, samples, document, writtenAt: options.now };
    await report.write(reportStart(page).markup);
    await all.write('[');
    for (const [position, group] of groups.entries()) {
      const members = await Promise.all(
        group.map((sample) =>
          limit(async (): Promise<Member> => {
            const detail = await loadDetail(store, sample);
            const agents = agentTree(sample.workflowId, detail.reads, options.agents?.get(sample.workflowId));
            const line = `${JSON.stringify(responseRecord(sample, detail))}\n`;
            await writeWhole(join(folder, 'responses', responseFile(evaluation.runId, sample)), line);
            return { sample, detail, agents };
          }),
        ),
      );
      const entry = resultEntry(position, evaluation.samples, members);
      await all.write(`${position === 0 ? '\n' : ',\n'}${JSON.stringify(entry)}`);
      index.push(indexEntry(members));
      const shown = fit(embeddedQuestion(members));
      if (shown) await report.write(questionBlock(position, shown).markup);
    }
    await all.write('\n]\n');
    await report.write(reportEnd(index).markup);
    await all.finish();
    await report.finish();
  } finally {
    for (const each of drafts) await each.discard();
  }
  return { folder, report: file('report.html'), document };
};
