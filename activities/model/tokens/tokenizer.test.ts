import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ToolSchema } from '../../../domain/agents/messages.ts';
import type { TemplateMessage } from './template.ts';
import { loadTokenizer } from './tokenizer.ts';

export const FIXTURES = new URL('../../../test/fixtures/tokens', import.meta.url).pathname;
interface Cases {
  conversations: {
    messages: TemplateMessage[];
    tools: { function: ToolSchema }[];
    options: { add_generation_prompt: boolean } & Record<string, unknown>;
    text: string;
    ids: number[];
  }[];
  texts: { text: string; ids: number[]; cut: number; decoded: string }[];
}
const { conversations, texts } = JSON.parse(readFileSync(join(FIXTURES, 'cases.json'), 'utf8')) as Cases;
const tokenizer = await loadTokenizer(FIXTURES);

describe('loadTokenizer', () => {
  it('renders and encodes every recorded conversation as the Python reference does', () => {
    expect(conversations.length).toBeGreaterThanOrEqual(60);
    for (const { messages, tools, options, text, ids } of conversations) {
      const { add_generation_prompt: addGenerationPrompt, ...variables } = options;
      const rendered = tokenizer.render(
        messages,
        tools.map((tool) => tool.function),
        { addGenerationPrompt, variables },
      );
      expect(rendered).toBe(text);
      expect([...tokenizer.encode(rendered)]).toEqual(ids);
    }
  });

  it('encodes and decodes every recorded text as the reference does, also cut in the middle of a character', () => {
    expect(texts.some(({ decoded }) => decoded.includes('\ufffd'))).toBe(true);
    for (const { text, ids, cut, decoded } of texts) {
      expect([...tokenizer.encode(text)]).toEqual(ids);
      expect(tokenizer.decode(ids.slice(0, cut))).toBe(decoded);
    }
  });

  it('knows its stop tokens, its size and a fingerprint', () => {
    expect(tokenizer.stopIds.map((id) => tokenizer.decode([id]))).toEqual(['<|im_end|>']);
    expect(tokenizer.controlTokens).toContain('</tool_response>');
    expect(tokenizer.vocabSize).toBe(
      Math.max(...conversations.flatMap(({ ids }) => ids), tokenizer.vocabSize - 1) + 1,
    );
    expect(tokenizer.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('files of a model', () => {
  let dir = '';
  const copy = async (changes: Record<string, string | null>): Promise<string> => {
    dir = await mkdtemp(join(tmpdir(), 'wideseek-tokenizer-'));
    await cp(FIXTURES, dir, { recursive: true });
    for (const [file, text] of Object.entries(changes))
      if (text === null) await rm(join(dir, file));
      else await writeFile(join(dir, file), text);
    return dir;
  };
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('takes stop tokens from generation_config.json and the template from tokenizer_config.json', async () => {
    const settings = {
      eos_token: { content: '<|endoftext|>' },
      chat_template: [
        { name: 'default', template: 'plain' },
        { name: 'tool_use', template: '{{ eos_token }}{{ messages | length }}' },
      ],
    };
    const endOfText = tokenizer.encode('<|endoftext|>')[0]!;
    const other = await loadTokenizer(
      await copy({
        'chat_template.jinja': null,
        'tokenizer_config.json': JSON.stringify(settings),
        'generation_config.json': JSON.stringify({ eos_token_id: [endOfText, 7] }),
        'config.json': JSON.stringify({ vocab_size: 5_000 }),
      }),
    );
    expect(other.stopIds).toEqual([endOfText, 7, ...tokenizer.stopIds]);
    expect(other.vocabSize).toBe(5_000);
    expect(other.fingerprint).not.toBe(tokenizer.fingerprint);
    expect(other.render([], [], { addGenerationPrompt: false })).toBe('<|endoftext|>0');
  });

  it.each([
    [{ 'tokenizer.json': null }, /tokenizer\.json: does not exist/],
    [{ 'tokenizer.json': '{' }, /tokenizer\.json: .*JSON/],
    [{ 'tokenizer.json': '{}' }, /tokenizer\.json: model/],
    [{ 'tokenizer.json': '{"model": {"type": "Unheard"}}' }, /tokenizer\.json: /],
    [{ 'tokenizer_config.json': '{"eos_token": 4}' }, /tokenizer_config\.json: eos_token/],
    [{ 'chat_template.jinja': null }, /there is no chat template/],
    [{ 'chat_template.jinja': '{% if %}' }, /chat template of/],
    [{ 'config.json': '{"vocab_size": 300}' }, /has token id \d+, but the model has 300/],
  ])('refuses %j as a configuration error', async (changes, message) => {
    await expect(copy(changes).then(loadTokenizer)).rejects.toMatchObject({
      type: 'ConfigError',
      retryable: false,
      message: expect.stringMatching(message) as string,
    });
  });
});
