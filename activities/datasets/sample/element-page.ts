import { pick } from './seeded.ts';
import type { Element } from './sources.ts';
import { elements } from './sources.ts';
import type { InfoLine, SamplePage } from './wording.ts';
import { groupDigits, joinParagraphs, listEnglish, placementOf, renderBlock, wikiUrl } from './wording.ts';

/** Titles of element pages; two are also names of other things. */
export const elementTitle = (element: Element): string =>
  element.name === 'Mercury' ? 'Mercury (element)' : element.name;

type Sentence = (element: Element, seed: string) => string;

/** The English page of one chemical element. */
export function elementPage(element: Element): SamplePage {
  const seed = `en|${element.symbol}`;
  const prose = (fact: string, sentence: Sentence): string =>
    placementOf(seed, fact) === 'block' ? '' : sentence(element, `${seed}|${fact}`);
  const paragraph = (...sentences: string[]): string => sentences.filter(Boolean).join(' ');
  const section = (heading: string, body: string): string => (body ? `## ${heading}\n\n${body}` : '');
  const block = renderBlock(seed, infoLines(element, seed), ['Property', 'Value']);
  const blockFirst = pick(`${seed}#blockFirst`, [true, false]);
  const contents = joinParagraphs([
    blockFirst ? block : '',
    paragraph(leadSentence(element, seed), prose('category', categorySentence), prose('mass', massSentence)),
    section(
      pick(`${seed}#physical`, ['Physical properties', 'Characteristics', 'Properties']),
      paragraph(
        prose('state', stateSentence),
        prose('melting', meltingSentence),
        prose('boiling', boilingSentence),
        prose('density', densitySentence),
        densityRemark(element),
      ),
    ),
    section(
      'Place in the periodic table',
      paragraph(
        `${element.name} belongs to period ${element.period} and to the ${element.block}-block.`,
        neighbourSentence(element),
        `Its electron configuration is ${element.configuration}.`,
        prose('electronegativity', electronegativitySentence),
        periodSentence(element),
      ),
    ),
    section('History', paragraph(prose('discovered', discoverySentence), contemporaries(element))),
    blockFirst ? '' : block,
    section(
      'See also',
      `List of ${pluralCategory(element.category)}; Elements of period ${element.period}; Elements of the ${element.block}-block.`,
    ),
  ]);
  return { url: wikiUrl('en', elementTitle(element)), title: elementTitle(element), contents };
}

/** `noble gases`, `halogens`, … */
export const pluralCategory = (category: string): string =>
  category.endsWith('gas') ? `${category}es` : `${category}s`;

const leadSentence: Sentence = ({ name, symbol, number }, seed) =>
  pick(`${seed}#lead`, [
    `${name} is a chemical element with the symbol ${symbol} and atomic number ${number}.`,
    `${name} (symbol ${symbol}, atomic number ${number}) is a chemical element.`,
    `${name} is the chemical element of atomic number ${number}; its symbol is ${symbol}.`,
    `The chemical element ${name} has the symbol ${symbol} and the atomic number ${number}.`,
  ]);

const article = (word: string): string => (/^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`);

const categorySentence: Sentence = ({ category }, seed) =>
  pick(seed, [
    `It is ${article(category)}.`,
    `It is classified as ${article(category)}.`,
    `Chemists count it among the ${pluralCategory(category)}.`,
    `It is one of the ${pluralCategory(category)}.`,
    `By its properties it belongs to the ${pluralCategory(category)}.`,
  ]);

const massSentence: Sentence = ({ mass }, seed) =>
  pick(seed, [
    `Its standard atomic weight is ${mass}.`,
    `The atomic mass is ${mass} u.`,
    `An average atom has a mass of ${mass} u.`,
    `Tables give its atomic mass as ${mass}.`,
  ]);

const stateSentence: Sentence = ({ state }, seed) =>
  state === null
    ? 'Too few atoms have been made to observe its state of matter.'
    : pick(seed, [
        `At room temperature it is a ${state}.`,
        `Under standard conditions it is a ${state}.`,
        `It occurs as a ${state} at 25 °C and normal pressure.`,
        `Its standard state is ${state}.`,
      ]);

const celsius = (kelvin: number): string => `${Math.round(kelvin - 273.15)}`.replace('-', '−');

const meltingSentence: Sentence = ({ melting }, seed) =>
  melting === null
    ? ''
    : pick(seed, [
        `It melts at ${melting} K (${celsius(melting)} °C).`,
        `The melting point is ${groupDigits(melting, ',')} K.`,
        `Its melting point lies at ${melting} kelvin.`,
        `On heating it turns liquid at ${melting} K (${celsius(melting)} °C).`,
      ]);

const boilingSentence: Sentence = ({ boiling }, seed) =>
  boiling === null
    ? ''
    : pick(seed, [
        `It boils at ${boiling} K (${celsius(boiling)} °C).`,
        `The boiling point is ${groupDigits(boiling, ',')} K.`,
        `Its boiling point lies at ${boiling} kelvin.`,
        `Vapour forms at the boiling point of ${boiling} K.`,
      ]);

const densitySentence: Sentence = ({ density }, seed) =>
  density === null
    ? ''
    : pick(seed, [
        `Its density is ${density} g/cm³.`,
        `The density amounts to ${density} grams per cubic centimetre.`,
        `A cubic centimetre weighs ${density} g.`,
        `With a density of ${density} g/cm³ it has its place in every table of materials.`,
      ]);

const electronegativitySentence: Sentence = ({ electronegativity }, seed) =>
  electronegativity === null
    ? ''
    : pick(seed, [
        `On the Pauling scale its electronegativity is ${electronegativity}.`,
        `The electronegativity (Pauling) is ${electronegativity}.`,
        `Pauling's scale gives it an electronegativity of ${electronegativity}.`,
        `It has an electronegativity of ${electronegativity}.`,
      ]);

const discoverySentence: Sentence = ({ discovered, name }, seed) =>
  discovered === null
    ? pick(seed, [
        'It has been known since antiquity.',
        `${name} was already known in ancient times.`,
        'People have used it since antiquity.',
      ])
    : pick(seed, [
        `It was discovered in ${discovered}.`,
        `The discovery of ${name.toLowerCase()} dates from ${discovered}.`,
        `${name} was first identified in ${discovered}.`,
        `The year of its discovery is ${discovered}.`,
        `It has been known since its discovery in ${discovered}.`,
      ]);

function infoLines(element: Element, seed: string): InfoLine[] {
  const lines: InfoLine[] = [];
  const add = (fact: string, labels: readonly string[], value: string): void => {
    if (value && placementOf(seed, fact) !== 'prose')
      lines.push([pick(`${seed}|${fact}#label`, labels), value]);
  };
  const text = (value: number | null, unit: string): string => (value === null ? '' : `${value}${unit}`);
  add('symbol', ['Symbol', 'Chemical symbol'], element.symbol);
  add('number', ['Atomic number'], String(element.number));
  add('mass', ['Atomic mass', 'Standard atomic weight', 'Atomic weight'], `${element.mass}`);
  add('category', ['Category', 'Series', 'Element category'], element.category);
  add('state', ['State at 25 °C', 'Phase', 'Standard state'], element.state ?? 'unknown');
  add('melting', ['Melting point'], text(element.melting, ' K'));
  add('boiling', ['Boiling point'], text(element.boiling, ' K'));
  add('density', ['Density'], text(element.density, ' g/cm³'));
  add(
    'electronegativity',
    ['Electronegativity (Pauling)', 'Electronegativity'],
    text(element.electronegativity, ''),
  );
  add('discovered', ['Discovered', 'Year of discovery'], element.discovered?.toString() ?? 'antiquity');
  return lines;
}

function neighbourSentence({ number }: Element): string {
  const before = elements[number - 2];
  const after = elements[number];
  if (!before) return `It is followed by ${after?.name ?? ''}.`;
  if (!after) return `It is preceded by ${before.name} (${before.symbol}).`;
  return `It stands between ${before.name} (${before.symbol}) and ${after.name} (${after.symbol}).`;
}

function periodSentence(element: Element): string {
  const period = elements.filter(({ period }) => period === element.period);
  const [first, last] = [period[0]?.name ?? '', period.at(-1)?.name ?? ''];
  return `The period runs from ${first} to ${last} and holds ${period.length} elements.`;
}

/** Mentions another element's number, so that not every number on the page is the page's own. */
function densityRemark(element: Element): string {
  const { density } = element;
  if (density === null) return '';
  const [closest] = elements
    .filter((other) => other.density !== null && other !== element)
    .sort((a, b) => Math.abs((a.density ?? 0) - density) - Math.abs((b.density ?? 0) - density));
  return closest ? `Among the elements, ${closest.name.toLowerCase()} comes closest in density.` : '';
}

function contemporaries(element: Element): string {
  const { discovered } = element;
  const others = elements.filter((other) => other !== element && other.discovered === discovered);
  const names = others.slice(0, 4).map(({ name }) => name.toLowerCase());
  if (discovered === null)
    return `Other elements known to the ancient world include ${listEnglish(names)}, though none of them was understood as an element at the time.`;
  if (names.length) return `In the same year chemists also found ${listEnglish(names)}.`;
  const [near] = elements
    .filter((other) => other !== element && other.discovered !== null)
    .sort(
      (a, b) =>
        Math.abs((a.discovered ?? 0) - discovered) - Math.abs((b.discovered ?? 0) - discovered) ||
        a.number - b.number,
    );
  return near
    ? `The find closest in time is that of ${near.name.toLowerCase()} (${near.discovered}). As with other elements, sources differ on whom to credit.`
    : '';
}
