import { expect, test } from 'vitest';
import { groundAnswer } from './answer.ts';
import type { EvidencePage } from './corpus.ts';

const page = (title: string, text: string): EvidencePage => ({
  url: `u:${title}`,
  title,
  text,
  ref: `r:${title}`,
});
const pages = [
  page(
    'Marie Curie',
    'Marie Curie was born in Warsaw. She died in Passy in 1934 at the age of 66. She won the Nobel Prize twice.',
  ),
  page('Warsaw', 'Warsaw is the capital of Poland. 66 bridges cross its rivers.'),
];

test('the passage that shares most words with the question is quoted', () => {
  expect(groundAnswer('Warsaw', 'Where was Marie Curie born?', pages)).toEqual({
    url: 'u:Marie Curie',
    title: 'Marie Curie',
    quote: 'Marie Curie was born in Warsaw.',
    page: 'r:Marie Curie',
  });
  expect(groundAnswer('warsaw', 'What is the capital of Poland?', pages)?.title).toBe('Warsaw');
});

test('the order of pages does not matter', () => {
  const question = 'In what year did Marie Curie die?';
  expect(groundAnswer('1934', question, [...pages].reverse())).toEqual(groundAnswer('1934', question, pages));
});

test('a short answer needs a word of the question beside it, and only the whole answer counts', () => {
  expect(groundAnswer('66', 'At what age did Marie Curie die?', pages)?.title).toBe('Marie Curie');
  expect(groundAnswer('66', 'How many moons has Jupiter?', pages)).toBeNull();
  expect(groundAnswer('6', 'At what age did Marie Curie die?', pages)).toBeNull();
  expect(groundAnswer('War', 'Where was Marie Curie born?', pages)).toBeNull();
  expect(groundAnswer('', 'Where was Marie Curie born?', pages)).toBeNull();
  expect(groundAnswer('Warsaw', 'Where?', [])).toBeNull();
});

test('Chinese answers are found in Chinese pages', () => {
  const chinese = page('居里夫人', '玛丽·居里出生于华沙，1934年去世。');
  expect(groundAnswer('1934年', '玛丽·居里哪一年去世？', [chinese, ...pages])?.quote).toBe(
    '玛丽·居里出生于华沙，1934年去世。',
  );
});
