import type { Language } from './columns.ts';
import { buildDeepQuestions } from './deep.ts';
import type { SampleQuestions, SampleSplit, WideQuestion } from './shape.ts';
import type { WideSpec } from './spec.ts';
import { assignSplits } from './splits.ts';
import { countrySpecs } from './wide-countries.ts';
import { elementSpecs } from './wide-elements.ts';
import { pairSpecs } from './wide-pairs.ts';
import { wideQuestion } from './wide.ts';

/** Held out: the project's show-case question and its variants must not be trained on. */
const FIXED_SPLITS = { 'landlocked:Africa': 'test' } as const;

interface Candidate {
  topic: string;
  languages: Language[];
  build: (language: Language, number: number, split: SampleSplit) => WideQuestion;
}

/** Hides the row type, so that specs of different rows fit in one list. */
const candidates = <T>(specs: readonly WideSpec<T>[]): Candidate[] =>
  specs
    .filter(({ rows }) => rows.length >= 2 && rows.length <= 60)
    .map((spec) => ({
      topic: spec.topic,
      languages: (['en', 'zh'] as const).filter((language) => spec.lead[language] !== undefined),
      build: (language, number, split) => wideQuestion(spec, language, number, split),
    }));

/**
 * The `sample` benchmark, the same on every call: wide questions with exact gold tables and deep questions of
 * one to four hops, split about 60 : 20 : 20. Questions with the same rows are in the same split in both
 * languages. The first is the question that the project shows everywhere.
 */
export function buildSampleQuestions(): SampleQuestions {
  const all = [...candidates(countrySpecs()), ...candidates(pairSpecs()), ...candidates(elementSpecs())];
  const splits = assignSplits(
    all.map(({ topic }) => ({ topic, stratum: topic.split(':')[0] ?? topic })),
    FIXED_SPLITS,
  );
  const inLanguage = (language: Language): WideQuestion[] =>
    all
      .filter(({ languages }) => languages.includes(language))
      .map(({ topic, build }, index) => build(language, index + 1, splits.get(topic) ?? 'train'));
  return { wide: [...inLanguage('en'), ...inLanguage('zh')], deep: buildDeepQuestions() };
}
