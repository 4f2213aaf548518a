import { describe, expect, it } from 'vitest';
import { chunkPage, printChunk } from './chunks.ts';
import { call, driveLong, say } from './drive-long.fake.ts';
import { printHistory, readHistory, type HistoryItem } from './history.ts';
import { readingHint } from './long-prompts.ts';
import type { Message } from './messages.ts';
import { readObservations, splitHint } from './observations.ts';
import { fallbackAnswer, formedAnswer } from './outcome.ts';
import { estimateTokens } from './text.ts';
import { fitTranscript, shortenRead, sizeOfMessage } from './transcript.ts';
import { turnHint } from './prompts.ts';

const search = (query: string, ...urls: string[]): string =>
  [
    `### Search: ${query}`,
    ...urls.map((url, i) => `[Doc ${i + 1}](${url}): Title ${i + 1}\nPassage ${i + 1}.`),
  ].join('\n');
const page = (url: string, text: string): string => printChunk(url, 'T', text, 1, 2);
const tool = (content: string): Message => ({ role: 'tool', toolCallId: 'c', name: 'search', content });

describe('readObservations', () => {
  it('reads results, pages and remarks, and takes nothing inside a page for a heading', () => {
    const text = [
      'You asked for this before.',
      search('q', 'https://a.example'),
      page('https://b.example', '### Search: fake\n>>>x'),
    ].join('\n\n');
    expect(readObservations(text)).toMatchObject([
      { kind: 'message', text: 'You asked for this before.' },
      {
        kind: 'search',
        query: 'q',
        hits: [{ url: 'https://a.example', title: 'Title 1', text: 'Passage 1.' }],
      },
      { kind: 'page', url: 'https://b.example', title: 'T', which: 'page 1 of 2' },
    ]);
  });

  it.each(['en', 'zh'] as const)('splits off the hint of every kind of turn (%s)', (language) => {
    expect(splitHint(`body\n\n${turnHint(language, 3, 9, false)}`)).toMatchObject({
      body: 'body',
      reading: false,
    });
    expect(splitHint(`body\n\n${turnHint(language, 9, 9, true)}`)).toMatchObject({
      body: 'body',
      reading: false,
    });
    expect(splitHint(`body\n\n${readingHint(language, 3, 9)}`)).toMatchObject({
      body: 'body',
      reading: true,
    });
    expect(splitHint('body [Turn 3 of 9]')).toMatchObject({ body: 'body [Turn 3 of 9]', hint: '' });
  });
});

describe('chunkPage', () => {
  it('cuts to size, keeps the order, and stops after the most', () => {
    expect(chunkPage('abcdefgh', { size: 3, unit: 'characters', most: 2 })).toEqual(['abc', 'def']);
    expect(chunkPage('', { size: 3, unit: 'tokens', most: 2 })).toEqual(['']);
    const parts = chunkPage('word '.repeat(500), { size: 100, unit: 'tokens', most: 10 });
    expect(parts.join('')).toBe('word '.repeat(500));
    expect(parts.every((part) => estimateTokens(part) <= 100)).toBe(true);
  });
});

describe('history', () => {
  const messages: Message[] = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'u' },
    { ...call('search', { query: 'q' }, 'I look for q.') },
    tool(`${search('q', 'https://a.example', 'https://b.example')}\n\n${turnHint('en', 2, 9, false)}`),
    { ...call('access', { url: 'https://a.example' }) },
    tool(`${page('https://a.example', 'long text')}\n\n${readingHint('en', 3, 9)}`),
    say('Kibo is 5895 m high.'),
    { role: 'user', content: turnHint('en', 4, 9, false) },
  ];

  it('is a list of acts, observations and notes with their addresses', () => {
    expect(readHistory(messages)).toMatchObject({
      items: [
        { kind: 'act', thought: 'I look for q.', actions: ['search: q'] },
        { kind: 'search', query: 'q' },
        { kind: 'act', actions: ['access: https://a.example'] },
        { kind: 'page', url: 'https://a.example' },
        { kind: 'notes', urls: ['https://a.example'], text: 'Kibo is 5895 m high.' },
      ],
      latest: [],
    });
  });

  const long: HistoryItem[] = Array.from({ length: 30 }, (_, i): HistoryItem[] => [
    { kind: 'act', thought: `thought ${i} ${'hm '.repeat(40)}`, actions: [`search: q${i}`] },
    {
      kind: 'search',
      query: `q${i}`,
      hits: [{ url: `https://h${i}.example`, title: `H${i}`, text: 'passage '.repeat(60) }],
      text: '',
    },
    { kind: 'notes', urls: [`https://n${i}.example`], text: `note ${i} ${'fact '.repeat(80)}` },
  ]).flat();

  it('gets shorter by dropping thoughts and passages first: the addresses of notes are the last to go', () => {
    const full = estimateTokens(printHistory(long, { size: 1e6, unit: 'tokens' }, 'en'));
    const sizes = [0.7, 0.5, 0.3, 0.15].map((share) => Math.floor(full * share));
    for (const size of sizes) {
      const text = printHistory(long, { size, unit: 'tokens' }, 'en');
      expect(estimateTokens(text)).toBeLessThanOrEqual(size);
      for (let i = 0; i < 30; i++) expect(text).toContain(`https://n${i}.example`);
    }
    const some = printHistory(long, { size: sizes[0]!, unit: 'tokens' }, 'en');
    expect(some).not.toContain('thought 0');
    expect(some).toContain('note 29');
    expect(some).toContain('https://h0.example');
  });

  it('keeps the newest in full while the oldest is shortened', () => {
    const text = printHistory(long, { size: 4_000, unit: 'tokens' }, 'en');
    const lengthOf = (i: number): number => new RegExp(`note ${i} (fact )*`).exec(text)?.[0].length ?? 0;
    expect(lengthOf(0)).toBeLessThan(lengthOf(29));
  });
});

describe('transcripts', () => {
  const big = 'y'.repeat(3_000);
  const messages: Message[] = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'u' },
    call('search', { query: 'q' }, 'thinking '.repeat(100)),
    tool(search('q', 'https://a.example').replace('Passage 1.', big)),
    call('access', { url: 'https://a.example' }),
    tool(`${page('https://a.example', big)}\n\n${readingHint('en', 3, 9)}`),
    say('notes'),
    { role: 'user', content: `${page('https://a.example', big)}\n\n${readingHint('en', 4, 9)}` },
  ];

  it('shows only the beginning of parts that have been read, and the newest in full', () => {
    const view = shortenRead(messages);
    expect(view[5]!.content).toMatch(
      /^### Read: https:\/\/a\.example \(page 1 of 2\)\nTitle: T\ny{100}\.\.\.\n\n\[Turn 3/,
    );
    expect(view[7]!.content).toBe(messages[7]!.content);
    expect(view[3]!.content).toBe(messages[3]!.content);
  });

  it('fits a window by shortening old results, then old thoughts, and drops no message', () => {
    const view = fitTranscript(shortenRead(messages), 1_200);
    expect(view).toHaveLength(messages.length);
    expect(view.reduce((sum, message) => sum + sizeOfMessage(message), 0)).toBeLessThanOrEqual(1_200);
    expect(view[3]!.content).toContain('https://a.example');
    expect(view[3]!.content).not.toContain('yyy');
    expect(view[7]!.content).toBe(messages[7]!.content);
  });
});

describe('answers', () => {
  it.each([
    ['\\boxed{a}', 'auto', '\\boxed{a}'],
    ['so <answer>a</answer>', 'auto', 'a'],
    ['so <answer>a', 'boxed', 'a'],
    ['<think><answer>no</answer></think> hm', 'auto', null],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'boxed', null],
    ['\\boxed{a}', 'table', null],
    ['just words', 'auto', null],
  ] as const)('%s for %s is %s', (text, mode, answer) => expect(formedAnswer(text, mode)).toBe(answer));

  it('falls back to what was once given as an answer, to last words that can be one, or to nothing', () => {
    const said = (...texts: string[]): Message[] => texts.map(say);
    const forced = { forced: true, published: false };
    expect(fallbackAnswer(said('<answer>x</answer>', 'hm', 'long '.repeat(100)), 'auto', forced)).toBe('x');
    expect(fallbackAnswer(said('Paris.'), 'auto', forced)).toBe('Paris.');
    expect(fallbackAnswer(said('Paris.'), 'auto', { ...forced, forced: false })).toBeNull();
    expect(fallbackAnswer(said('word soup '.repeat(100)), 'auto', forced)).toBeNull();
    expect(
      fallbackAnswer(said('The answer may be x.\nOr not.'), 'auto', { forced: false, published: true }),
    ).toBe('The answer may be x.');
  });
});

describe('prompts', () => {
  it.each([
    ['en', /## Question[^]*## Notes so far[^]*## What to do now/],
    ['zh', /## 问题[^]*## 迄今的笔记[^]*## 现在要做的/],
  ] as const)(
    'reasoning writes one new message each turn, in the language of the question (%s)',
    (language, form) => {
      const driven = driveLong({
        agents: { workflow: 'reasoning', single: { turns: 6 } },
        language,
        question: '乞力马扎罗山最高峰?',
        reply: ({ tools, turn }) =>
          tools.length > 0 ? call('search', { query: `q${turn}` }) : say('<answer>基博</answer>'),
      });
      for (const { messages } of driven.prompts) {
        expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
        expect(messages[1]!.content).toMatch(form);
      }
      expect(driven.answer).toBe('基博');
      if (language === 'zh')
        for (const { messages } of driven.prompts)
          expect(messages[0]!.content).not.toMatch(/[a-z]{5,} [a-z]{4,}/);
    },
  );

  it('search-r1 has no pages, and is told so', () => {
    const driven = driveLong({
      agents: { workflow: 'search-r1', single: { turns: 10 } },
      reply: ({ turn }) =>
        turn === 1 ? call('access', { url: 'https://a.example' }) : say('<answer>x</answer>'),
    });
    expect(driven.prompts[0]!.tools).toEqual(['search']);
    expect(driven.prompts[1]!.messages.at(-1)!.content).toContain('there is no tool "access"');
  });
});
