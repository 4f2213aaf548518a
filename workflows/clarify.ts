import { condition, defineQuery, defineUpdate, setHandler } from '@temporalio/workflow';
import type { ToolRequest } from '../domain/agents/requests.ts';
import type { ToolResult } from '../domain/agents/plan.ts';
import { SEEK_HANDLERS } from '../domain/names.ts';
import type { Clarification } from '../domain/run.ts';
import type { SeekState } from './seek-state.ts';

export const asksQuery = defineQuery<Clarification | null>(SEEK_HANDLERS.asks);
export const clarifyUpdate = defineUpdate<string, [string]>(SEEK_HANDLERS.clarify);

const ANSWER_CHARS = 4_000;
/** Answers that came in, by the id of their question: never part of the state, since none outlives its wait. */
type Answers = Map<string, string>;

/** True while the run allows another question back. */
export const mayAsk = ({ plan, asked = 0 }: SeekState): boolean =>
  plan.clarify !== undefined && asked < plan.clarify.questions;

/**
 * Makes questions of the lead visible (`asks`) and answerable (`clarify`), in the UI as on the command line. Returns
 * what takes a turn's questions out of its requests: each waits for the person, at most as long as the run allows, and
 * then goes on with the lead's own default. `others` performs the rest. Called before the run's state is there, so that
 * whoever asks or answers early is told that nothing is open.
 */
export function serveClarification(live: () => SeekState | undefined) {
  const answers: Answers = new Map();
  const open = (): Clarification | null => live()?.asks ?? null;
  setHandler(asksQuery, open);
  const take = (text: string): string => {
    answers.set(open()!.id, text.trim());
    return 'the lead reads it in its next turn';
  };
  const validator = (text: string): void => {
    const asks = open();
    if (!asks || answers.has(asks.id)) throw new Error('the run has no open question');
    if (typeof text !== 'string' || text.trim() === '')
      throw new Error('the answer must be a non-empty string');
    if (text.length > ANSWER_CHARS) throw new Error(`the answer must be at most ${ANSWER_CHARS} characters`);
  };
  setHandler(clarifyUpdate, take, { validator });

  return async (
    requests: ToolRequest[],
    others: (requests: ToolRequest[]) => Promise<ToolResult[]>,
  ): Promise<ToolResult[]> => {
    const asked = new Map<ToolRequest, ToolResult>();
    for (const request of requests)
      if (request.tool === 'clarify') asked.set(request, await ask(live()!, answers, request));
    if (asked.size === 0) return others(requests);
    const rest = requests.filter((request) => !asked.has(request));
    const results = rest.length === 0 ? [] : await others(rest);
    return requests.map((request) => asked.get(request) ?? results[rest.indexOf(request)]!);
  };
}

async function ask(
  state: SeekState,
  answers: Answers,
  { question, fallback }: Extract<ToolRequest, { tool: 'clarify' }>,
): Promise<ToolResult> {
  const done = (text: string): ToolResult => ({ status: 'ok', part: { kind: 'text', text } });
  if (!mayAsk(state)) return done(`No further questions can be asked. Go on with: ${fallback}`);
  const { seconds } = state.plan.clarify!;
  state.asked = (state.asked ?? 0) + 1;
  const id = `q${state.asked}`;
  state.asks = { id, question, fallback, until: Date.now() + seconds * 1000 };
  try {
    const heard = await condition(() => answers.has(id), seconds * 1000);
    const answer = answers.get(id) ?? '';
    state.notes.push(
      heard
        ? `asked: ${question} Answer: ${answer}`
        : `asked: ${question} No answer; went on with: ${fallback}`,
    );
    return done(heard ? `The person answers: ${answer}` : `No answer came in time. Go on with: ${fallback}`);
  } finally {
    state.asks = null;
  }
}
