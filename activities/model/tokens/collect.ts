import { WideseekError } from '../../../domain/errors.ts';
import type { Rollout, Turn } from '../../../domain/rl/types.ts';
import type { Store } from '../../store/port.ts';
import { unpackTurn, unpackVersions } from './bytes.ts';
import { collectionOf, readTurnDocument, type TakenTurn, type TurnDocument } from './document.ts';

/** What an agent did, in order, and whether it ended at a limit. */
interface AgentTurns {
  agentId: string;
  turns: TakenTurn[];
  hitLimit: boolean;
}

/**
 * All turns of one finished seek run as a rollout without its outcome. The lead or single agent is 0; subagents are
 * counted from 1 in the order in which they were started, those without a turn too. Turns are in the published order: a lead
 * turn, then all turns of the subagents it started, then the next lead turn, so that the last one is the final answer.
 * `hitLimit` is on all turns of an agent that ended at a limit (spec 1.6). Turns that a reset of the workflow left behind
 * are not part of the rollout. The arrays of one agent are views of one buffer: treat them as read-only.
 * Throws `NotFound` for a run of which no turn is stored, `Internal` for records that contradict each other.
 */
export async function collectRollout(
  store: Pick<Store, 'documents' | 'getBytes'>,
  runId: string,
  sample: number,
): Promise<Omit<Rollout, 'outcome'>> {
  const rows = await store.documents.list(collectionOf(runId));
  const documents = rows.map(({ key, value }) => readTurnDocument(value, runId, key));
  const agents = byAgent(documents);
  const main = [...agents.values()].find(([first]) => first!.role !== 'subagent');
  if (main === undefined)
    throw new WideseekError('NotFound', `run ${runId}: no turn of its lead or single agent is stored`, {
      hint: 'Only runs whose models have the provider "tokens" are recorded token by token',
    });

  const lead = liveTurns(main[0]!.agentId, main);
  const turns: Turn[] = [];
  let agentsStarted = 1;
  const leadTurns = await loadTurns(store, lead, 0);
  for (const [index, turn] of lead.turns.entries()) {
    turns.push(leadTurns[index]!);
    for (const child of turn.children) {
      const agent = liveTurns(child, agents.get(child) ?? []);
      turns.push(...(await loadTurns(store, agent, agentsStarted)));
      agentsStarted += 1;
    }
  }
  return { id: runId, sample, agentsStarted, turns };
}

function byAgent(documents: readonly TurnDocument[]): Map<string, TurnDocument[]> {
  const agents = new Map<string, TurnDocument[]>();
  for (const document of documents) {
    const list = agents.get(document.agentId);
    if (list) list.push(document);
    else agents.set(document.agentId, [document]);
  }
  for (const list of agents.values()) list.sort((a, b) => a.turn - b.turn);
  return agents;
}

/** The turns up to the first that does not follow the one before it: that one is of a life which a reset ended. */
function liveTurns(agentId: string, documents: readonly TurnDocument[]): AgentTurns {
  const turns: TakenTurn[] = [];
  let hitLimit = false;
  for (const document of documents) {
    const before = turns.at(-1);
    const follows = before?.turn === document.turn - 1;
    if (follows && before.head !== document.parent) break;
    hitLimit = document.hitLimit;
    if (document.kind === 'refused') break;
    turns.push(document);
  }
  return { agentId, turns, hitLimit };
}

/** Reads an agent's blobs. Turns that continue each other share one buffer, whose beginnings are their prompts. */
async function loadTurns(
  store: Pick<Store, 'getBytes'>,
  { agentId, turns, hitLimit }: AgentTurns,
  number: number,
): Promise<Turn[]> {
  const loaded: Turn[] = [];
  for (const chain of chainsOf(turns)) {
    const last = chain.at(-1)!.tokens;
    const all = new Int32Array(last.promptTokens + last.responseTokens);
    let at = 0;
    for (const document of chain) {
      const { tokens, turn, role, searchCalls, accessCalls, repeats } = document;
      const { added, response, logprobs } = unpackTurn(await store.getBytes(tokens.ref), tokens);
      if (at + added.length !== tokens.promptTokens)
        throw new WideseekError(
          'Internal',
          `${agentId}#${turn}: its prompt does not continue the turn before`,
        );
      all.set(added, at);
      all.set(response, tokens.promptTokens);
      at = tokens.promptTokens + response.length;
      loaded.push({
        id: `${agentId}#${turn}`,
        agentId: number,
        role,
        turnIdx: loaded.length,
        promptTokens: all.subarray(0, tokens.promptTokens),
        responseTokens: all.subarray(tokens.promptTokens, at),
        logprobs,
        versions: unpackVersions(tokens.versions),
        searchCalls,
        accessCalls,
        hitLimit,
        repeats,
      });
    }
  }
  return loaded;
}

function chainsOf(turns: readonly TakenTurn[]): TakenTurn[][] {
  const chains: TakenTurn[][] = [];
  for (const turn of turns)
    if (turn.tokens.previous === null) chains.push([turn]);
    else chains.at(-1)?.push(turn);
  return chains;
}

/** Turns of the rollout whose prompt does not continue their agent's last turn: 0 in a healthy run. */
export async function countMismatches(store: Pick<Store, 'documents'>, runId: string): Promise<number> {
  const rows = await store.documents.list(collectionOf(runId));
  return rows
    .map(({ key, value }) => readTurnDocument(value, runId, key))
    .filter((document) => document.kind === 'turn' && document.tokens.mismatch).length;
}
