import type { EvalQuestion } from './question.ts';
import { buildSampleQuestions } from './sample/questions/build.ts';
import type { DeepQuestion, WideQuestion } from './sample/questions/shape.ts';

let built: ReturnType<typeof buildSampleQuestions> | undefined;
/** Built once per process: the questions are the same on every call. */
const sample = (): ReturnType<typeof buildSampleQuestions> => (built ??= buildSampleQuestions());

/** The wide questions of the project's own benchmark, made in memory; nothing is read. */
export const wideSample = (): EvalQuestion[] => sample().wide.map(ofWide);

/** Its deep questions. */
export const deepSample = (): EvalQuestion[] => sample().deep.map(ofDeep);

function ofWide({ record, goldCsv, table }: WideQuestion): EvalQuestion {
  const { instance_id, query, language, split, evaluation } = record;
  return {
    id: instance_id,
    question: query,
    language,
    split,
    kind: 'table',
    record: { instance_id, query, language, evaluation },
    goldCsv,
    table,
  };
}

const ofDeep = ({ id, question, language, split, answer }: DeepQuestion): EvalQuestion => ({
  id,
  question,
  language,
  split,
  kind: 'qa',
  answers: typeof answer === 'string' ? [answer] : answer,
});
