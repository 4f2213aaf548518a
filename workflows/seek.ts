import { ApplicationFailure, CancellationScope, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { Conclusion } from '../activities/run/conclude.ts';
import { runIdOf } from '../domain/ids.ts';
import type { AgentTurns, SeekInput, StopReason } from '../domain/run.ts';
import { openSession, runAgent, useTools } from './agent.ts';
import { mayAsk, serveClarification } from './clarify.ts';
import { delegate } from './delegate.ts';
import { concluding, local } from './proxies.ts';
import { receiveGuidance, type SeekState, serve } from './seek-state.ts';

/**
 * Answers one question. The lead thinks, delegates to parallel subagents and reads their reports until it answers
 * (WideSeek-R1, `mas`), or a single agent does it all (`sa`). Ends with the table so far when a limit, an outage or
 * a person stops it. `resumed` carries the run over continue-as-new and `wideseek resume`.
 */
export async function seek(input: SeekInput, resumed?: SeekState): Promise<Conclusion> {
  let live: SeekState | undefined;
  const guidance = receiveGuidance(() => live);
  const withAnswers = serveClarification(() => live);
  const state = (live = resumed ?? (await start(input)));
  const { plan, session } = state;
  const { beforeTurn, finish } = serve(state, input, guidance);

  try {
    state.stopReason = await CancellationScope.withTimeout(Math.max(1, plan.deadline - Date.now()), () =>
      runAgent(plan, session, {
        act: (requests) =>
          withAnswers(requests, (others) =>
            session.role === 'lead' ? delegate(state, others) : useTools(plan, session, others),
          ),
        mayAsk: () => mayAsk(state),
        beforeTurn,
      }),
    );
  } catch (error) {
    if (!isCancellation(error)) throw error;
    state.stopReason = CancellationScope.current().consideredCancelled ? 'cancelled' : 'deadline';
  }
  return await CancellationScope.nonCancellable(() => conclude(state, input, finish));
}

async function start(input: SeekInput): Promise<SeekState> {
  const { workflowId, parent } = workflowInfo();
  const plan = await local.prepare(input, runIdOf(workflowId), workflowId, parent !== undefined);
  const session = openSession(
    plan,
    workflowId,
    plan.role ?? (plan.workflow === 'mas' ? 'lead' : 'single'),
    null,
  );
  return {
    plan,
    session,
    merged: null,
    agents: 1,
    turns: 0,
    agentTurns: [],
    notes: [],
    phase: 'thinking',
    running: [],
    stopReason: 'answered',
  };
}

/** The turns of every agent, the lead last; nothing where an earlier version of the run did not count them. */
function allTurns({ agentTurns, session }: SeekState): { agentTurns?: AgentTurns[] } {
  const { agentId, role, head, calls, state } = session;
  if (!agentTurns || !calls) return {};
  return { agentTurns: [...agentTurns, { agentId, role, startedIn: 0, turns: state.turn, head, calls }] };
}

/** After these a run can go on from where it stopped: `wideseek resume`. */
const RESUMABLE: ReadonlySet<StopReason> = new Set(['model_outage', 'tool_outage', 'deadline', 'cancelled']);

/** Stores the result. An outage that left nothing to show fails the run, so that it is seen and can be resumed. */
async function conclude(
  state: SeekState,
  input: SeekInput,
  finish: (status: string) => void,
): Promise<Conclusion> {
  const { plan, session, merged, stopReason } = state;
  if (RESUMABLE.has(stopReason)) await local.saveForResume(plan.runId, { input, state });
  if (session.note) state.notes.push(session.note);
  session.note = '';
  if (!merged && (stopReason === 'model_outage' || stopReason === 'tool_outage')) {
    await local.recordFailure(plan.runId, stopReason);
    throw ApplicationFailure.nonRetryable(`${stopReason}: ${state.notes.at(-1) ?? 'no answer'}`, stopReason);
  }
  state.phase = 'grounding';
  const answered = stopReason === 'answered' || session.state.lastTurn === stopReason;
  const conclusion = await concluding(plan).conclude({
    plan,
    workflowId: session.agentId,
    stopReason,
    answerRef: answered ? session.textRef : null,
    ...(session.state.long
      ? { conversation: { head: session.head, forced: session.state.lastTurn !== null } }
      : {}),
    merged,
    usage: session.usage,
    agents: state.agents,
    turns: state.turns + session.state.turn,
    ...allTurns(state),
    notes: state.notes,
  });
  state.phase = 'done';
  finish(conclusion.status);
  return conclusion;
}
