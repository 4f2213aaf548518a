import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evidenceChain } from './chain.ts';
import type { EvidencePage } from './corpus.ts';

const page = (title: string, text: string): EvidencePage => ({
  url: `u:${title}`,
  title,
  text,
  ref: `r:${title}`,
});
const PAGES = [
  page('Marie Curie', 'Marie Curie was a physicist.\nShe was born in Warsaw in 1867, and moved to Paris.'),
  page('Warsaw', 'Warsaw is the capital of Poland. The Vistula flows through the city.'),
  page('Vistula', 'The Vistula is 1,047 km long and ends in the Baltic Sea.'),
  page('Danube', 'The Danube flows through Vienna.'),
];
const QUESTION = 'Which river flows through the city where Marie Curie was born?';

test('the page that leads to the answer comes first, then the page that holds it; others are left out', () => {
  const chain = evidenceChain({ answer: 'Vistula', text: '\\boxed{Vistula}', question: QUESTION }, PAGES);
  expect(chain).toEqual([
    {
      claim: 'Warsaw',
      url: 'u:Marie Curie',
      title: 'Marie Curie',
      quote: 'She was born in Warsaw in 1867, and moved to Paris.',
      page: 'r:Marie Curie',
    },
    {
      claim: 'Vistula',
      url: 'u:Warsaw',
      title: 'Warsaw',
      quote: 'The Vistula flows through the city.',
      page: 'r:Warsaw',
    },
  ]);
});

test('each sentence of the agent stands with the passage that holds it; one that no page holds is left out', () => {
  const text =
    'Marie Curie was born in Warsaw in 1867. The Vistula is 1,047 km long. It was painted blue by Napoleon in 1812.\n\\boxed{Vistula}';
  const chain = evidenceChain({ answer: 'Vistula', text, question: QUESTION }, PAGES);
  const claims = chain.map(({ claim, url }) => [claim, url]);
  expect(claims).toContainEqual(['Marie Curie was born in Warsaw in 1867.', 'u:Marie Curie']);
  expect(claims).toContainEqual(['The Vistula is 1,047 km long.', 'u:Vistula']);
  expect(JSON.stringify(chain)).not.toContain('Napoleon');
});

test('a number in a claim must stand in the passage', () => {
  const text = 'The Vistula is 2,000 km long and ends in the Baltic Sea.';
  expect(evidenceChain({ answer: '', text, question: QUESTION }, PAGES)).toEqual([]);
});

test('every page that holds the answer is a link', () => {
  const second = page('Rivers', 'The Vistula flows through Warsaw and Kraków.');
  const chain = evidenceChain({ answer: 'Vistula', text: '', question: QUESTION }, [...PAGES, second]);
  expect(chain.filter(({ claim }) => claim === 'Vistula').map(({ url }) => url)).toEqual([
    'u:Warsaw',
    'u:Rivers',
  ]);
});

test('whatever was said, each quote stands in its page, and there are at most twenty', () => {
  const words = fc.array(
    fc.constantFrom(...'Vistula Warsaw 1867 born river city Paris flows . \n \\boxed{x} 的'.split(' ')),
  );
  fc.assert(
    fc.property(words, words, (said, answer) => {
      const chain = evidenceChain(
        { answer: answer.join(' '), text: said.join(' '), question: QUESTION },
        PAGES,
      );
      expect(chain.length).toBeLessThanOrEqual(20);
      for (const { url, quote } of chain) expect(PAGES.find((one) => one.url === url)?.text).toContain(quote);
    }),
    { numRuns: 60 },
  );
});
