import { shortHash } from '../../domain/ids.ts';
import type { SampleRecord } from '../../domain/scoring/samples.ts';
import { printMarkdown } from '../../domain/tables/markdown.ts';
import type { SampleDetail } from './detail.ts';

type FinalAnswer = string | Record<string, string>[] | null;

const finalAnswer = ({ result }: SampleDetail): FinalAnswer => {
  if (result === null) return null;
  const { table, answer } = result;
  if (table === null) return answer;
  return table.rows.map((row) =>
    Object.fromEntries(table.columns.map((column, index) => [column, row[index] ?? ''])),
  );
};

const finalText = ({ result }: SampleDetail): string | null =>
  result && (result.table ? printMarkdown(result.table) : result.answer);

/** The reward that the reference logs: item F1 of a table, the judge's verdict on a single answer. */
const reward = ({ kind, scores }: SampleRecord): number | null =>
  (kind === 'table' ? scores?.['f1_by_item'] : scores?.['accuracy']) ?? null;

/** Whether the answer has the expected form; null while nobody could say. */
const wellFormed = ({ scores, status }: SampleRecord): boolean | null =>
  scores === null ? null : status !== 'no_table' && status !== 'no_response';

const common = (sample: SampleRecord, detail: SampleDetail) => ({
  num_turns: sample.turns,
  origin_question: detail.question?.question ?? null,
  final_answer: finalAnswer(detail),
  final_answer_text: finalText(detail),
  final_answer_format: wellFormed(sample),
  llm_reward: reward(sample),
});

/** What the reference has no field for. */
const extra = (sample: SampleRecord) => ({
  status: sample.status,
  reason: sample.reason,
  scores: sample.scores,
  stop_reason: sample.stopReason,
  workflow_id: sample.workflowId,
  agents: sample.agents,
  usage: sample.usage,
  wall_ms: sample.wallMs,
});

/** Turns of each subagent in order, then the lead's (spec 1.6); null for a single agent and for unknown turns. */
const turnList = ({ result }: SampleDetail): number[] | null => {
  const agents = result?.agentTurns;
  return agents?.some(({ role }) => role === 'lead') ? agents.map(({ turns }) => turns) : null;
};

/**
 * A sample of `allresult.json` (spec 6.8). `turns` is null where the run left no result or its conversations are gone;
 * every turn carries its run's reward.
 */
export const resultSample = (sample: SampleRecord, detail: SampleDetail) => ({
  sample_idx: sample.sample,
  turns: detail.turns?.map((turn) => ({ ...turn, reward_score: reward(sample) })) ?? null,
  total_turn_list: turnList(detail),
  ...common(sample, detail),
  wideseek: extra(sample),
});

/** One question of `allresult.json`; `answer` is its gold: accepted answers, or the gold table as CSV. */
export const resultEntry = (
  index: number,
  groupSize: number,
  members: readonly { sample: SampleRecord; detail: SampleDetail }[],
) => {
  const question = members[0]?.detail.question ?? null;
  const answer = question && (question.kind === 'qa' ? question.answers : question.goldCsv);
  return {
    index,
    instance_id: members[0]?.sample.questionId ?? null,
    group_size: groupSize,
    answer,
    samples: members.map(({ sample, detail }) => resultSample(sample, detail)),
  };
};

/** Content of a response file (spec 6.8); here it is one line, as the file's ending promises. */
export const responseRecord = (sample: SampleRecord, detail: SampleDetail) => ({
  instance_id: sample.questionId,
  trial_idx: sample.sample,
  ...common(sample, detail),
  wideseek: extra(sample),
});

const MAX_NAME = 100;

/**
 * A text as part of a file name: letters, digits, `.`, `_` and `-`, never starting with a dot. A text that had to be
 * changed gets a hash, so that two of them never share a file.
 */
export const fileName = (text: string): string => {
  const safe = text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^\.+/, '')
    .slice(0, MAX_NAME);
  return safe === text && safe !== '' ? safe : `${safe || 'q'}-${shortHash(text)}`;
};

/** `{experiment}_{instance_id}_{trial}_response.jsonl` */
export const responseFile = (runId: string, { questionId, sample }: SampleRecord): string =>
  `${fileName(runId)}_${fileName(questionId)}_${sample}_response.jsonl`;
