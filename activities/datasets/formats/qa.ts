import { languageOf } from '../language.ts';
import { evalQuestionSchema } from '../question.ts';
import { complaints, type Convert, idOf, pick } from './converted.ts';
import { decipher } from './xbench.ts';

const IDS = ['id', 'task_id', 'instance_id', 'query_id', 'qid', 'idx'];
const QUESTIONS = ['question', 'Question', 'query', 'prompt', 'Prompt', 'problem'];
const ANSWERS = ['answer', 'gt', 'golden_answers', 'answers', 'Answer', 'Final answer'];

/**
 * A question with one answer or several accepted ones: the ASearcher sets (4.1: `question`, `answer` or `gt`; the id is
 * the row's number where there is none), GAIA (`Question`, `Final answer`), Frames (`Prompt`, `Answer`) and xbench
 * (enciphered under `canary`). GAIA records with an attached file are skipped: there is nothing to open it with.
 */
export const convertQa: Convert = async (raw, { index, split }) => {
  const id = idOf(raw, IDS, index);
  if (typeof raw.file_name === 'string' && raw.file_name !== '')
    return { id, skipped: `needs the attached file ${raw.file_name}` };
  const value = decipher(raw);
  if (value === null) return { id, problems: ['prompt, answer: cannot be deciphered with `canary`'] };
  const question = pick(value, QUESTIONS);
  if (typeof question !== 'string')
    return { id, problems: [`question: is missing (one of ${QUESTIONS.join(', ')})`] };
  const answers = answersOf(pick(value, ANSWERS));
  if (answers.length === 0) return { id, problems: [`answer: is missing (one of ${ANSWERS.join(', ')})`] };
  const made = evalQuestionSchema.safeParse({
    id,
    question,
    language: languageOf({ language: value.language, id, question }),
    split: typeof value.split === 'string' ? value.split : split,
    kind: 'qa',
    answers,
  });
  return made.success ? { question: made.data, warnings: [] } : { id, problems: complaints(made.error) };
};

/** A scalar is a list of one; duplicates and blanks are dropped. */
function answersOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.flatMap((each) =>
    typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean'
      ? [String(each).trim()]
      : [],
  );
  return [...new Set(texts.filter((text) => text !== ''))];
}
