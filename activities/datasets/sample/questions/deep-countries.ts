import { inSentence } from '../country-facts.ts';
import type { Country } from '../sources.ts';
import { countries, neighboursOf } from '../sources.ts';
import { zhLanguage } from '../zh-languages.ts';
import type { DeepSpec, DeepTemplate } from './deep-spec.ts';
import { fillTemplates, uniqueMaximum } from './deep-spec.ts';

const PER_TEMPLATE = 7;

const sovereign = countries.filter(({ status }) => status === 'sovereign');
const both = <T>(value: T): { en: T; zh: T } => ({ en: value, zh: value });

const soleCapital = ({ capitals }: Country): string | null =>
  capitals.length === 1 ? (capitals[0] ?? null) : null;

/** The capital, where no other country has one of the same name and it does not give the country's name away. */
function tellingCapital(country: Country): string | null {
  const capital = soleCapital(country);
  if (capital === null || capital.includes(country.name)) return null;
  return countries.filter(({ capitals }) => capitals.includes(capital)).length === 1 ? capital : null;
}

function moneyAnswer({ currencies }: Country): DeepSpec['answer'] | null {
  const [money] = currencies;
  return currencies.length === 1 && money ? both([money.name, money.code]) : null;
}

function languageAnswer({ languages }: Country): DeepSpec['answer'] | null {
  const [language] = languages;
  return languages.length === 1 && language ? { en: language, zh: zhLanguage(language) } : null;
}

const largest = (rows: readonly Country[]): Country | null => uniqueMaximum(rows, ({ area }) => area);
const smallest = (rows: readonly Country[]): Country | null =>
  uniqueMaximum(rows, ({ area }) => (area === null ? null : -area));

const templates: Readonly<Record<string, DeepTemplate<Country>>> = {
  capital: (country) => {
    const capital = soleCapital(country);
    if (capital === null || capital.includes(country.name)) return null;
    return {
      hops: 1,
      question: {
        en: `What is the capital of ${inSentence(country)}?`,
        zh: `${country.zhName}的首都是哪里？请用拉丁字母写出。`,
      },
      answer: both(capital),
    };
  },
  currency: (country) => {
    const answer = moneyAnswer(country);
    return (
      answer && {
        hops: 1,
        question: {
          en: `Which currency is used in ${inSentence(country)}?`,
          zh: `${country.zhName}使用什么货币？请给出国际货币代码。`,
        },
        answer,
      }
    );
  },
  currencyByCapital: (country) => {
    const [capital, answer] = [tellingCapital(country), moneyAnswer(country)];
    if (capital === null || !answer) return null;
    return {
      hops: 2,
      question: {
        en: `Which currency is used in the country whose capital is ${capital}?`,
        zh: `首都为${capital}的国家使用什么货币？请给出国际货币代码。`,
      },
      answer,
    };
  },
  soleNeighbour: (country) => {
    const [neighbour, ...others] = neighboursOf(country);
    const capital = neighbour && soleCapital(neighbour);
    if (!capital || others.length) return null;
    return {
      hops: 2,
      question: {
        en: `What is the capital of the only country that shares a land border with ${inSentence(country)}?`,
        zh: `唯一与${country.zhName}接壤的国家，其首都是哪里？请用拉丁字母写出。`,
      },
      answer: both(capital),
    };
  },
  largestNeighbourCapital: (country) => {
    const neighbour = largest(neighboursOf(country));
    const capital = neighbour && soleCapital(neighbour);
    if (!capital) return null;
    return {
      hops: 3,
      question: {
        en: `Of the countries that border ${inSentence(country)}, take the one with the largest area. What is its capital?`,
        zh: `在与${country.zhName}接壤的国家中，面积最大的一个的首都是哪里？请用拉丁字母写出。`,
      },
      answer: both(capital),
    };
  },
  smallestOfSubregion: (country) => {
    const peers = sovereign.filter(({ subregion }) => subregion === country.subregion);
    const target = smallest(peers);
    const capital = target && soleCapital(target);
    if (!capital || target === country) return null;
    return {
      hops: 3,
      question: {
        en: `What is the capital of the smallest sovereign state, by area, of the subregion in which ${inSentence(country)} lies?`,
        zh: `${country.zhName}所属的次区域中，面积最小的主权国家的首都是哪里？请用拉丁字母写出。`,
      },
      answer: both(capital),
    };
  },
  largestNeighbourLanguage: (country) => {
    const capital = tellingCapital(country);
    const neighbour = largest(neighboursOf(country));
    const answer = neighbour && languageAnswer(neighbour);
    if (capital === null || !answer) return null;
    return {
      hops: 4,
      question: {
        en: `${capital} is the capital of a country. Among that country's neighbours by land, take the one with the largest area. What is its official language?`,
        zh: `${capital}是某国的首都。在与该国接壤的国家中，面积最大的一个以什么语言为官方语言？`,
      },
      answer,
    };
  },
  smallestNeighbourCurrency: (country) => {
    const capital = tellingCapital(country);
    const neighbour = smallest(neighboursOf(country));
    const answer = neighbour && moneyAnswer(neighbour);
    if (capital === null || !answer) return null;
    return {
      hops: 4,
      question: {
        en: `Which currency is used in the smallest (by area) of the countries that border the country whose capital is ${capital}?`,
        zh: `首都为${capital}的国家有若干邻国，其中面积最小的邻国使用什么货币？请给出国际货币代码。`,
      },
      answer,
    };
  },
};

/** Deep questions that start from a country. */
export const deepCountrySpecs = (): DeepSpec[] =>
  fillTemplates(templates, sovereign, ({ code }) => `country:${code}`, PER_TEMPLATE);
