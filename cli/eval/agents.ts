import type { PageRead } from '../../activities/store/port.ts';

/** One agent of a run as the report shows it. */
export interface AgentNode {
  /** Its workflow id. */
  id: string;
  /** Turn of the lead that started it and its number there, from 1; null for the lead or single agent. */
  place: { turn: number; n: number } | null;
  /** Subtask, where it is known. */
  task: string;
  /** How its workflow ended, where it is known. */
  state: string;
  /** Milliseconds, where they are known. */
  wallMs: number | null;
  pages: { url: string; title: string }[];
}

/** What Temporal knows about an agent that the store does not. */
export type AgentFacts = Pick<AgentNode, 'id' | 'task' | 'state' | 'wallMs'>;

const PLACE = /\/t(\d+)\/sub\/(\d+)-[^/]*$/;

/**
 * The agents of one run, the lead first, then subagents by turn and number. Subagents are known from the pages that they
 * read and from `facts`; without facts, one that read nothing is not seen.
 */
export const agentTree = (
  leadId: string,
  reads: readonly PageRead[],
  facts: readonly AgentFacts[] = [],
): AgentNode[] => {
  const known = new Map(facts.map((fact) => [fact.id, fact]));
  const ids = new Set([leadId, ...reads.map(({ agentId }) => agentId), ...known.keys()]);
  const nodes = [...ids].map((id): AgentNode => {
    const [, turn, n] = PLACE.exec(id) ?? [];
    const { task, state, wallMs } = known.get(id) ?? { task: '', state: '', wallMs: null };
    return {
      id,
      place: id === leadId || turn === undefined ? null : { turn: Number(turn), n: Number(n) },
      task,
      state,
      wallMs,
      pages: reads.filter(({ agentId }) => agentId === id).map(({ url, title }) => ({ url, title })),
    };
  });
  const order = ({ place }: AgentNode): number => (place ? place.turn * 1_000 + place.n : 0);
  return nodes.sort((a, b) => order(a) - order(b));
};
