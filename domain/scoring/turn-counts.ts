import { z } from 'zod';
import { addCalls, noCalls } from '../agents/turns.ts';
import type { AgentTurns } from '../run.ts';

const countsSchema = z.object({
  /** All turns of the role's agents. */
  all: z.int(),
  /** Turns with at least one subtask, search or page, and how many of each. */
  turns: z.int(),
  subtasks: z.int(),
  searches: z.int(),
  accesses: z.int(),
});

/** Turns of one run, summed by role. */
export const turnCountsSchema = z.object({
  lead: countsSchema,
  subagent: countsSchema,
  single: countsSchema,
});
export type TurnCounts = z.infer<typeof turnCountsSchema>;

/** Sums what the agents of a run did by role. */
export function countTurns(agents: readonly AgentTurns[]): TurnCounts {
  const of = (role: AgentTurns['role']) => {
    const some = agents.filter((agent) => agent.role === role);
    const all = some.reduce((sum, { turns }) => sum + turns, 0);
    return { all, ...some.reduce((sum, { calls }) => addCalls(sum, calls), noCalls()) };
  };
  return { lead: of('lead'), subagent: of('subagent'), single: of('single') };
}

/** Means over runs (spec 6.8): per turn with calls of the role that can make them, and turns per run. Null: of nothing. */
export function meanTurns(runs: readonly TurnCounts[]): {
  subtask: number | null;
  search: number | null;
  access: number | null;
  main: number | null;
  subagents: number | null;
} {
  const sum = (pick: (run: TurnCounts) => number): number =>
    runs.reduce((total, run) => total + pick(run), 0);
  const ratio = (part: number, of: number): number | null => (of === 0 ? null : part / of);
  const acting = sum(({ subagent, single }) => subagent.turns + single.turns);
  return {
    subtask: ratio(
      sum(({ lead }) => lead.subtasks),
      sum(({ lead }) => lead.turns),
    ),
    search: ratio(
      sum(({ subagent, single }) => subagent.searches + single.searches),
      acting,
    ),
    access: ratio(
      sum(({ subagent, single }) => subagent.accesses + single.accesses),
      acting,
    ),
    main: ratio(
      sum(({ lead, single }) => lead.all + single.all),
      runs.length,
    ),
    subagents: ratio(
      sum(({ subagent }) => subagent.all),
      runs.length,
    ),
  };
}
