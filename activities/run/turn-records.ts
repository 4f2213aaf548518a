import { z } from 'zod';
import { parseCalls } from '../../domain/agents/calls.ts';
import type { AgentRole } from '../../domain/agents/messages.ts';
import { callsOf } from '../../domain/agents/turns.ts';
import type { AgentTurns } from '../../domain/run.ts';
import { toHermesMessages } from '../model/hermes.ts';
import { turnKey } from '../model/turn-key.ts';
import { headsOf } from '../store/conversations.ts';
import type { Store } from '../store/port.ts';

export type TurnStore = Pick<Store, 'conversations' | 'journal'>;

/** Names of the roles in the published files. */
const PUBLISHED = { lead: 'planner', subagent: 'worker', single: 'single' } as const satisfies Record<
  AgentRole,
  string
>;

/** One turn of `allresult.json` (spec 6.8). */
export interface TurnRecord {
  /** Null: it repeats all turns before; the store has it. */
  prompt_text: null;
  /** Reasoning, text and calls, in the Hermes form. */
  response_text: string;
  /** Tokens as the provider counted them; null where the journal no longer has the call. */
  prompt_ids_length: number | null;
  response_ids_length: number | null;
  /** The agent's last turn. */
  is_end: boolean;
  role: (typeof PUBLISHED)[AgentRole];
  /** What the turn asked for; null where it called nothing. */
  tool_call_info: { subtask: number; search: number; access: number; role: string } | null;
}

const recordedSchema = z.object({
  usage: z.object({ promptTokens: z.number(), completionTokens: z.number() }),
});

/** Tokens of a turn as its provider counted them; null where the journal no longer has the call. */
async function tokensOf(
  { agentId }: AgentTurns,
  turn: number,
  head: string,
  { journal }: TurnStore,
): Promise<{ prompt: number | null; response: number | null }> {
  for (const mustAnswer of [false, true]) {
    const { data } = recordedSchema.safeParse(await journal.recall(turnKey(agentId, turn, head, mustAnswer)));
    if (data) return { prompt: data.usage.promptTokens, response: data.usage.completionTokens };
  }
  return { prompt: null, response: null };
}

/** Turns of one agent, oldest first. */
async function turnsOf(agent: AgentTurns, store: TurnStore): Promise<TurnRecord[]> {
  const messages = await store.conversations.read(agent.head);
  const heads = headsOf(messages);
  const name = PUBLISHED[agent.role];
  const records: TurnRecord[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const { requests } = parseCalls(agent.role, message, Number.MAX_SAFE_INTEGER);
    const { turns, subtasks, searches, accesses } = callsOf(requests);
    const { prompt, response } = await tokensOf(agent, records.length + 1, heads[index - 1] ?? '', store);
    records.push({
      prompt_text: null,
      response_text: toHermesMessages([message], [], true)[0]?.content ?? '',
      prompt_ids_length: prompt,
      response_ids_length: response,
      is_end: records.length + 1 === agent.turns,
      role: name,
      tool_call_info:
        turns === 0 ? null : { subtask: subtasks, search: searches, access: accesses, role: name },
    });
  }
  return records;
}

/**
 * All turns of a run in the published order (spec 1.6): a turn of the lead, then all turns of the subagents that it
 * started, one after the other. Throws `NotFound` where a conversation is gone.
 */
export async function readTurns(agents: readonly AgentTurns[], store: TurnStore): Promise<TurnRecord[]> {
  const read = await Promise.all(
    agents.map(async (agent) => ({ ...agent, records: await turnsOf(agent, store) })),
  );
  const main = read.filter(({ role }) => role !== 'subagent');
  return main.flatMap(({ records }) =>
    records.flatMap((record, index) => [
      record,
      ...read.flatMap(({ role, startedIn, records: started }) =>
        role === 'subagent' && startedIn === index + 1 ? started : [],
      ),
    ]),
  );
}
