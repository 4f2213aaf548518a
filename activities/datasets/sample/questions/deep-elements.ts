import type { Element } from '../sources.ts';
import { elements } from '../sources.ts';
import type { DeepSpec, DeepTemplate } from './deep-spec.ts';
import { fillTemplates, uniqueMaximum } from './deep-spec.ts';

const PER_TEMPLATE = 6;

const both = <T>(value: T): { en: T; zh: T } => ({ en: value, zh: value });

/** The name in each language, with the symbol accepted as well. */
const elementAnswer = ({ name, zhName, symbol }: Element): DeepSpec['answer'] => ({
  en: [name, symbol],
  zh: [zhName, symbol],
});

const templates: Readonly<Record<string, DeepTemplate<Element>>> = {
  discovered: ({ name, zhName, discovered }) =>
    discovered === null
      ? null
      : {
          hops: 1,
          question: {
            en: `In which year was the chemical element ${name.toLowerCase()} discovered?`,
            zh: `化学元素${zhName}是在哪一年被发现的？`,
          },
          answer: both(String(discovered)),
        },
  nextDiscovered: ({ number, name, zhName }) => {
    const next = elements[number];
    if (!next || next.discovered === null) return null;
    return {
      hops: 2,
      question: {
        en: `In which year was the element discovered whose atomic number is one more than that of ${name.toLowerCase()}?`,
        zh: `原子序数比${zhName}大1的元素是在哪一年被发现的？`,
      },
      answer: both(String(next.discovered)),
    };
  },
  nobleOfPeriod: ({ period, category, name, zhName }) => {
    const noble = elements.find((other) => other.period === period && other.category === 'noble gas');
    if (!noble || noble.discovered === null || category === 'noble gas') return null;
    return {
      hops: 3,
      question: {
        en: `Which year saw the discovery of the noble gas that stands in the same period of the periodic table as ${name.toLowerCase()}?`,
        zh: `与${zhName}位于同一周期的稀有气体是在哪一年被发现的？`,
      },
      answer: both(String(noble.discovered)),
    };
  },
  hottestOfCategory: (element) => {
    const kin = elements.filter(({ category }) => category === element.category);
    const top = uniqueMaximum(kin, ({ melting }) => melting);
    const next = top && elements[top.number];
    if (!next || top === element) return null;
    return {
      hops: 4,
      question: {
        en: `Find the category of elements to which ${element.name.toLowerCase()} belongs, and in it the element with the highest melting point. Which element directly follows that one in the periodic table?`,
        zh: `先查明${element.zhName}属于哪一类元素，再找出该类中熔点最高的元素。元素周期表中紧跟在它后面的是哪种元素？`,
      },
      answer: elementAnswer(next),
    };
  },
};

/** Deep questions that start from a chemical element. */
export const deepElementSpecs = (): DeepSpec[] =>
  fillTemplates(templates, elements, ({ symbol }) => `element:${symbol}`, PER_TEMPLATE);
