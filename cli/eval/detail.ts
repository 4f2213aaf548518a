import type { z } from 'zod';
import { type EvalQuestion, evalQuestionSchema } from '../../activities/datasets/question.ts';
import { type ScoreDocument, scoreDocumentSchema } from '../../activities/judge/document.ts';
import { readTurns, type TurnRecord } from '../../activities/run/turn-records.ts';
import type { PageRead, Store } from '../../activities/store/port.ts';
import { type SeekResult, seekResultSchema, type Table } from '../../domain/run.ts';
import { readGold } from '../../domain/scoring/gold.ts';
import type { SampleRecord } from '../../domain/scoring/samples.ts';

/** Everything the store knows about one sample; null for what is not there or cannot be read. */
export interface SampleDetail {
  question: EvalQuestion | null;
  /** Gold table in the columns that count; null for single answers and gold that cannot be read. */
  gold: Table | null;
  result: SeekResult | null;
  score: ScoreDocument | null;
  /** Pages that the run's agents read. */
  reads: PageRead[];
  /** What the agents said, turn by turn; null where it is not known. */
  turns: TurnRecord[] | null;
}

export type DetailStore = Pick<Store, 'get' | 'pages' | 'conversations' | 'journal'>;

/** A stored JSON document; null where it is missing or is something else. */
const readDocument = async <T>(
  store: Pick<Store, 'get'>,
  ref: string | null,
  schema: z.ZodType<T>,
): Promise<T | null> => {
  if (ref === null) return null;
  try {
    return schema.safeParse(JSON.parse(await store.get(ref))).data ?? null;
  } catch {
    return null;
  }
};

const goldOf = (question: EvalQuestion | null): Table | null => {
  if (question?.kind !== 'table') return null;
  const gold = readGold(question.goldCsv, question.record.evaluation.required);
  return 'table' in gold ? gold.table : null;
};

/** Gathers a sample's documents. A report about half the documents is better than none, so nothing here throws. */
export const loadDetail = async (store: DetailStore, sample: SampleRecord): Promise<SampleDetail> => {
  const [question, result, score] = await Promise.all([
    readDocument(store, sample.questionRef, evalQuestionSchema),
    readDocument(store, sample.resultRef, seekResultSchema),
    readDocument(store, sample.scoreRef, scoreDocumentSchema),
  ]);
  const reads = result ? await store.pages.reads(result.runId).catch((): PageRead[] => []) : [];
  const turns = result?.agentTurns ? await readTurns(result.agentTurns, store).catch(() => null) : null;
  return { question, gold: goldOf(question), result, score, reads, turns };
};
