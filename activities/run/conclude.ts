import { extractBoxed, visibleText } from '../../domain/agents/answer.ts';
import { fallbackAnswer } from '../../domain/agents/outcome.ts';
import { MERGED_TABLE } from '../../domain/agents/prompts.ts';
import { evidenceChain, groundAnswer, groundTable } from '../../domain/evidence/index.ts';
import type { CellEvidence, RunStatus, SeekResult, StopReason, Table } from '../../domain/run.ts';
import { extractTable, printMarkdown } from '../../domain/tables/markdown.ts';
import type { Store } from '../store/port.ts';
import type { ConcludeInput } from './activities.ts';
import type { PlanDocument } from './plan.ts';

/** What a workflow returns: small, readable in the UI; the whole result is stored under `resultRef`. */
export interface Conclusion {
  runId: string;
  status: Exclude<RunStatus, 'running'>;
  stopReason: StopReason;
  resultRef: string;
  rows: number;
  /** The table's first lines or the answer: at most `PREVIEW_CHARS` characters. */
  preview: string;
}

const PREVIEW_CHARS = 3_000;

/** Builds and stores a run's result out of the final answer or, without one, out of what the subagents had found. */
export async function concludeRun(
  input: ConcludeInput,
  plan: PlanDocument,
  store: Store,
  now: number,
): Promise<Conclusion> {
  const { plan: run } = input;
  const found = input.answerRef ? await store.get(input.answerRef) : await lookForAnswer(input, plan, store);
  const text = visibleText(found ?? '');
  // Terse agents have to write the answer: a table that the reports fell into would be none of their doing.
  const kept = plan.config.agents.prompts === 'terse' ? null : input.merged;
  const merged = kept ? (JSON.parse(await store.get(kept.ref)) as Table) : null;
  const written = text.includes(MERGED_TABLE) ? merged : plan.answer === 'boxed' ? null : extractTable(text);
  const boxed = plan.answer === 'table' ? null : extractBoxed(text);
  const answered =
    written !== null ||
    (boxed !== null && boxed !== '') ||
    (text !== '' && plan.answer !== 'table' && merged === null);
  const table = written ?? (answered ? null : merged);
  const given = answered && input.answerRef !== null;
  const status = given ? 'ok' : answered || table ? 'partial' : 'failed';

  const result: SeekResult = {
    runId: run.runId,
    question: plan.question,
    language: run.language,
    status,
    stopReason: input.stopReason,
    policy: run.policy,
    table,
    answer: table ? '' : (boxed ?? text),
    ...(await findEvidence(run.runId, plan.question, { table, answer: boxed ?? '', text }, store)),
    usage: input.usage,
    agents: input.agents,
    turns: input.turns,
    ...(input.agentTurns ? { agentTurns: input.agentTurns } : {}),
    notes: input.notes,
  };
  const resultRef = await store.put(JSON.stringify(result));
  const record = await store.runs.get(run.runId);
  if (record)
    await store.runs.save({ ...record, status, stopReason: input.stopReason, finishedAt: now, resultRef });
  return {
    runId: run.runId,
    status,
    stopReason: input.stopReason,
    resultRef,
    rows: table?.rows.length ?? 0,
    preview: preview(table, result.answer),
  };
}

/** What a long-horizon agent said on the way that has the form of an answer. */
async function lookForAnswer(
  { conversation, plan }: ConcludeInput,
  { answer }: PlanDocument,
  store: Store,
): Promise<string | null> {
  if (!conversation?.head) return null;
  const messages = await store.conversations.read(conversation.head);
  return fallbackAnswer(messages, answer, { ...conversation, published: plan.profile === 'reference' });
}

/** Evidence out of the pages that this run's agents read. */
async function findEvidence(
  runId: string,
  question: string,
  { table, answer, text }: { table: Table | null; answer: string; text: string },
  store: Store,
): Promise<Pick<SeekResult, 'evidence' | 'chain'>> {
  const reads = await store.pages.reads(runId);
  const byRef = new Map(reads.map((read) => [read.ref, read]));
  const pages = await Promise.all(
    [...byRef.values()].map(async ({ url, title, ref }) => ({ url, title, ref, text: await store.get(ref) })),
  );
  if (table) return { evidence: groundTable(table, pages) };
  if (!answer) return { evidence: [] };
  const found = groundAnswer(answer, question, pages);
  const evidence: CellEvidence = found
    ? { status: 'supported', row: 0, column: 'answer', ...found }
    : { status: 'unsupported', row: 0, column: 'answer' };
  return { evidence: [evidence], chain: evidenceChain({ answer, text, question }, pages) };
}

function preview(table: Table | null, answer: string): string {
  if (!table) return answer.slice(0, PREVIEW_CHARS);
  let rows = table.rows.length;
  let text = printMarkdown(table);
  while (text.length > PREVIEW_CHARS && rows > 0) {
    rows = Math.floor(rows / 2);
    text = `${printMarkdown({ columns: table.columns, rows: table.rows.slice(0, rows) })}\n(${rows} of ${table.rows.length} rows)`;
  }
  return text.slice(0, PREVIEW_CHARS);
}
