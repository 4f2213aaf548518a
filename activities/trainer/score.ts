import type { TrainRewardConfig } from '../../configs/train-schema.ts';
import type { JudgeConfig } from '../../configs/judge-schema.ts';
import { creditRollout } from '../../domain/rl/credit.ts';
import type { Rollout, Turn } from '../../domain/rl/types.ts';
import { seekResultSchema, type SeekResult } from '../../domain/run.ts';
import { evalQuestionSchema, type EvalQuestion } from '../datasets/question.ts';
import { METRIC_VERSION } from '../judge/document.ts';
import { answerOf } from '../judge/result.ts';
import { scoreAnswer } from '../judge/score-answer.ts';
import type { ChatModel } from '../model/port.ts';
import type { Ref, Store } from '../store/port.ts';
import type { RolloutFacts } from './records.ts';
import { putRollout } from './rollout-codec.ts';

export interface ScoreDeps {
  store: Pick<Store, 'get' | 'put' | 'journal'>;
  /** The tokens of a finished run, turn by turn. */
  collect: (runId: string, sample: number) => Promise<Omit<Rollout, 'outcome'>>;
  judge: (config: JudgeConfig) => ChatModel | null;
}

export interface ScoreRequest {
  /** The training run, under which verdicts are filed. */
  trainRun: string;
  questionRef: Ref;
  sample: number;
  /** Run id and result of the `seek` that answered. */
  runId: string;
  resultRef: Ref;
  reward: TrainRewardConfig;
  judge: JudgeConfig;
}

type Judged = { kind: 'reward'; reward: number; answerOk: boolean } | { kind: 'unscored'; reason: string };

/**
 * One finished rollout: its tokens, its reward by the table of wideseek 3.5 and the turns that are trained on, stored
 * once. A judge that cannot be asked leaves it `unscored` and its tokens stored, never 0. Verdicts are recorded,
 * so scoring again asks only what nobody decided. Throws only when cancelled or when the store fails.
 */
export async function scoreRollout(
  { store, collect, judge }: ScoreDeps,
  request: ScoreRequest,
  signal: AbortSignal,
): Promise<RolloutFacts> {
  const result = seekResultSchema.parse(JSON.parse(await store.get(request.resultRef)));
  const rollout = await collect(request.runId, request.sample);
  const judged = await judgeAnswer(store, request, result, judge(request.judge), signal);
  const { reward: config } = request;
  const credited =
    judged.kind === 'unscored'
      ? creditRollout(rollout, false, { unscored: judged.reason }, config)
      : creditRollout(rollout, judged.answerOk, { reward: judged.reward }, config);
  const { outcome } = credited;
  if (outcome.kind === 'scored' && outcome.rule === 'A1')
    outcome.reward -= config.failedAgentPenalty * failedAgents(rollout.turns);
  return {
    ...factsOf(rollout, request.sample),
    ref: await putRollout(store, credited),
    kind: outcome.kind,
    reason: outcome.kind === 'scored' ? '' : outcome.reason,
    reward: outcome.kind === 'scored' ? outcome.reward : null,
    score: judged.kind === 'reward' ? judged.reward : null,
    rule: outcome.kind === 'scored' ? outcome.rule : '',
    format: outcome.kind === 'scored' ? outcome.finalAnswerFormat : 0,
    stopReason: result.stopReason,
    subtasks: Math.max(0, rollout.agentsStarted - 1),
    searches: result.usage.searches,
    accesses: result.usage.pagesRead,
  };
}

async function judgeAnswer(
  store: ScoreDeps['store'],
  { questionRef, trainRun, judge: config, reward }: ScoreRequest,
  result: SeekResult,
  model: ChatModel | null,
  signal: AbortSignal,
): Promise<Judged> {
  const answer = answerOf(result);
  if (answer.kind === 'outage') return { kind: 'unscored', reason: answer.reason };
  // What was put together from reports when the agent gave no answer is a result for a person, and no answer to train.
  if (result.status !== 'ok' || answer.text === null) return { kind: 'reward', reward: 0, answerOk: false };
  const question = evalQuestionSchema.parse(JSON.parse(await store.get(questionRef)));
  // Word counts need no judge, so nothing is asked and nothing is missing.
  const counted = question.kind === 'qa' && reward.single !== 'accuracy';
  const { document } = await scoreAnswer(
    store,
    {
      ...{ runId: trainRun, question, answer },
      ...(counted ? { config: { ...config, missing: 'fallback' }, model: null } : { config, model }),
      compat: 'default',
      metricVersion: METRIC_VERSION,
    },
    signal,
  );
  if (document.scores === null || document.status === 'unscored')
    return { kind: 'unscored', reason: document.reason ?? document.status };
  const value = document.scores[metricOf(question, reward)];
  return value === undefined
    ? {
        kind: 'unscored',
        reason: `no ${metricOf(question, reward)}: ${document.reason ?? 'no judge is configured'}`,
      }
    : { kind: 'reward', reward: value, answerOk: document.status === 'ok' };
}

const metricOf = ({ kind }: EvalQuestion, reward: TrainRewardConfig): string =>
  kind === 'table' ? reward.table : reward.single;

/** Subagents that ended at a limit. */
const failedAgents = (turns: readonly Turn[]): number =>
  new Set(turns.filter(({ role, hitLimit }) => role === 'subagent' && hitLimit).map(({ agentId }) => agentId))
    .size;

/** What can be counted in a rollout's tokens. */
export function factsOf(
  { turns, agentsStarted }: Omit<Rollout, 'outcome'>,
  sample: number,
): Pick<
  RolloutFacts,
  | 'sample'
  | 'agents'
  | 'turns'
  | 'leadTurns'
  | 'promptTokens'
  | 'responseTokens'
  | 'maxPrompt'
  | 'maxResponse'
  | 'maxTotal'
  | 'versions'
> {
  const total = (pick: (turn: Turn) => number): number => turns.reduce((sum, turn) => sum + pick(turn), 0);
  const most = (pick: (turn: Turn) => number): number =>
    turns.reduce((largest, turn) => Math.max(largest, pick(turn)), 0);
  let oldest = Infinity;
  let newest = 0;
  for (const { versions } of turns)
    for (const version of versions) {
      oldest = Math.min(oldest, version);
      newest = Math.max(newest, version);
    }
  return {
    sample,
    agents: agentsStarted,
    turns: turns.length,
    leadTurns: turns.filter(({ role }) => role !== 'subagent').length,
    promptTokens: total(({ promptTokens }) => promptTokens.length),
    responseTokens: total(({ responseTokens }) => responseTokens.length),
    maxPrompt: most(({ promptTokens }) => promptTokens.length),
    maxResponse: most(({ responseTokens }) => responseTokens.length),
    maxTotal: most(({ promptTokens, responseTokens }) => promptTokens.length + responseTokens.length),
    versions: [oldest === Infinity ? 0 : oldest, newest],
  };
}
