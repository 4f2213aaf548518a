import { WideseekError } from '../../domain/errors.ts';
import { type SeekResult, seekResultSchema, type StopReason } from '../../domain/run.ts';
import { extractTable, printMarkdown } from '../../domain/tables/markdown.ts';
import type { Blobs, Ref } from '../store/port.ts';

/** What there is to score. `outage`: the run failed for reasons that are not the answerer's. */
export type Answer = { kind: 'text'; text: string | null } | { kind: 'outage'; reason: string };

/** Ends that say nothing about the answerer. */
const NOT_ITS_FAULT: ReadonlySet<StopReason> = new Set(['model_outage', 'tool_outage', 'cancelled']);

/**
 * The answer in a stored result. A missing result and a run that ended in an outage or was cancelled are outages;
 * limits and budgets are results. Throws `BadRequest` for a document that is no result.
 */
export async function readAnswer(store: Pick<Blobs, 'get'>, ref: Ref | null): Promise<Answer> {
  if (ref === null) return { kind: 'outage', reason: 'the run has no result' };
  let text: string;
  try {
    text = await store.get(ref);
  } catch (error) {
    if (error instanceof WideseekError && error.type === 'NotFound')
      return { kind: 'outage', reason: `the result ${ref} is not in the store` };
    throw error;
  }
  return answerOf(parseResult(text, ref));
}

function parseResult(text: string, ref: Ref): SeekResult {
  try {
    return seekResultSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new WideseekError('BadRequest', `the stored result ${ref} cannot be read`, { cause });
  }
}

/**
 * The text that is scored: what the agent wrote where that holds the table, else the run's table in a fenced block, else
 * the answer alone.
 */
export function answerOf(result: SeekResult): Answer {
  const { stopReason, answer, table } = result;
  if (NOT_ITS_FAULT.has(stopReason)) return { kind: 'outage', reason: `the run ended with ${stopReason}` };
  if (table !== null && extractTable(answer) === null)
    return { kind: 'text', text: `\`\`\`markdown\n${printMarkdown(table)}\n\`\`\`` };
  return { kind: 'text', text: answer.trim() === '' ? null : answer };
}
