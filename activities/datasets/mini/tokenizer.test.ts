import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toolsFor } from '../../../domain/agents/tools.ts';
import { miniModelConfig, writeMiniModelDir } from './model-dir.ts';
import { buildMiniCorpus } from './pages.ts';
import { miniQuestions } from './questions.ts';
import { openMiniTokenizer } from './traces.ts';
import { CHARACTERS, END, SPECIAL_TOKENS, VOCABULARY } from './vocabulary.ts';

const tokenizer = await openMiniTokenizer();
const back = (text: string): string => tokenizer.decode(tokenizer.encode(text));

describe('the tokenizer of the miniature', () => {
  it('has at most 600 tokens, no two alike, and an id for each', () => {
    expect(VOCABULARY.length).toBeLessThanOrEqual(600);
    expect(new Set(VOCABULARY).size).toBe(VOCABULARY.length);
    VOCABULARY.forEach((token, id) => expect([...tokenizer.encode(token)]).toEqual([id]));
    expect(tokenizer.vocabSize).toBe(VOCABULARY.length);
    expect(miniModelConfig().vocab_size).toBe(VOCABULARY.length);
  });

  it('gives back every text of the corpus and every question', () => {
    for (const { text } of buildMiniCorpus()) expect(back(`- ${text}`)).toBe(`- ${text}`);
    for (const { question } of miniQuestions())
      expect(back(`Question: ${question}`)).toBe(`Question: ${question}`);
  });

  it('gives back any printable text, also where words and phrases touch', () => {
    const piece = fc.oneof(
      fc.constantFrom(...VOCABULARY.filter((token) => !SPECIAL_TOKENS.includes(token))),
      fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        expect(back(text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps pages short: words and phrases, no spelling', () => {
    for (const { text } of buildMiniCorpus()) expect(tokenizer.encode(`- ${text}`).length).toBeLessThan(40);
  });

  it('reads only control text as control tokens', () => {
    expect([...tokenizer.controlTokens].sort()).toEqual([...SPECIAL_TOKENS].sort());
    expect(tokenizer.stopIds).toEqual([VOCABULARY.indexOf(END)]);
  });
});

describe('its chat template', () => {
  it('shows no tools and puts nothing between messages', () => {
    const system = { role: 'system', content: 'lead' } as const;
    const user = { role: 'user', content: 'Question: x' } as const;
    const options = { addGenerationPrompt: false };
    const both = tokenizer.render([system, user], toolsFor('lead', 8, 'en'), options);
    expect(both).toBe(tokenizer.render([system], [], options) + tokenizer.render([user], [], options));
    expect(both).toBe(`<|im_start|>system\nlead${END}<|im_start|>user\nQuestion: x${END}`);
  });
});

describe('writeMiniModelDir', () => {
  it('writes the same files on every call and says where it cannot', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mini-model-'));
    try {
      const read = async (): Promise<string[]> =>
        Promise.all(
          ['config.json', 'tokenizer.json', 'chat_template.jinja'].map((name) =>
            readFile(join(dir, name), 'utf8'),
          ),
        );
      await writeMiniModelDir(dir);
      const first = await read();
      await writeMiniModelDir(dir);
      expect(await read()).toEqual(first);
      await expect(writeMiniModelDir(join(dir, 'config.json', 'below'))).rejects.toMatchObject({
        type: 'InvalidInput',
      });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
