import type { Language } from './columns.ts';
import { deepCountrySpecs } from './deep-countries.ts';
import { deepElementSpecs } from './deep-elements.ts';
import type { DeepSpec } from './deep-spec.ts';
import type { DeepQuestion } from './shape.ts';
import { deepQuestionSchema } from './shape.ts';
import { assignSplits } from './splits.ts';

/** Deep questions in both languages; all that start from one entity are in one split. */
export function buildDeepQuestions(): DeepQuestion[] {
  const specs = [...deepCountrySpecs(), ...deepElementSpecs()];
  // An entity can start questions of several lengths: its first one decides the stratum.
  const strata = new Map<string, string>();
  for (const { topic, hops } of specs)
    if (!strata.has(topic)) strata.set(topic, `${topic.split(':')[0]} ${hops}`);
  const splits = assignSplits([...strata].map(([topic, stratum]) => ({ topic, stratum })));
  const inLanguage = (language: Language): DeepQuestion[] =>
    specs.map((spec, index) => toQuestion(spec, language, index + 1, splits.get(spec.topic) ?? 'train'));
  return [...inLanguage('en'), ...inLanguage('zh')];
}

const toQuestion = (
  { topic, hops, question, answer }: DeepSpec,
  language: Language,
  number: number,
  split: DeepQuestion['split'],
): DeepQuestion =>
  deepQuestionSchema.parse({
    id: `sample_deep_${language}_${String(number).padStart(3, '0')}`,
    question: question[language],
    answer: answer[language],
    language,
    hops,
    split,
    topic,
  });
