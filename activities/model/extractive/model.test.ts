import { describe, expect, it } from 'vitest';
import { extractTable } from '../../../domain/tables/markdown.ts';
import { extractBoxed } from '../../../domain/agents/answer.ts';
import { toolsFor } from '../../../domain/agents/tools.ts';
import { openingMessages } from '../../../domain/agents/prompts.ts';
import { createFakeSearch, drive } from './drive.fake.ts';
import { createExtractiveModel } from './index.ts';
import { smallCorpus } from './small-corpus.fake.ts';

const search = createFakeSearch(smallCorpus);
const ask = async (question: string, workflow: 'mas' | 'sa' = 'mas') => {
  const driven = await drive({ question, search, workflow });
  return {
    ...driven,
    rows: extractTable(driven.answer)?.rows ?? [],
    columns: extractTable(driven.answer)?.columns,
  };
};

describe('wide questions over pages of other layouts', () => {
  const question = 'List all lighthouses on the Varn coast with their height and year built.';

  it.each(['mas', 'sa'] as const)(
    'finds the members and their attributes, and invents nothing (%s)',
    async (workflow) => {
      const { rows, columns } = await ask(question, workflow);
      expect(columns).toEqual(['Lighthouse', 'Height', 'Year built']);
      expect(rows).toEqual([
        ['Skerry Point', '31 m', '1822'],
        ['Holm Rock', '44 metres', '1871'],
        ['Tarn Head', '18 m', '1905'],
        ['Ness Light', '27 m', ''],
      ]);
    },
  );

  it('checks a numeric condition on each page and drops its column where it was not asked for', async () => {
    const { rows } = await ask(
      'Which lighthouses on the Varn coast have a height over 25 m? Give the year built of each.',
    );
    expect(rows.map(([name]) => name)).toEqual(['Skerry Point', 'Holm Rock', 'Ness Light']);
  });

  it('uses what the list page already says and keeps the columns of the question', async () => {
    const { rows, columns } = await ask(
      'Which colleges of Meridia were founded after 1890? Answer with a table with the columns: College, City, Number of students, Rector.',
    );
    expect(columns).toEqual(['College', 'City', 'Number of students', 'Rector']);
    expect(rows).toEqual([
      ['Brook College', 'Sarn', '2,050', 'Ivo Lang'],
      ['Civic Institute', 'Lune', '12,400', 'Mina Ford'],
      ['Elm House', 'Sarn', '1,975', 'Zoe Hart'],
    ]);
  });

  it('answers in Chinese', async () => {
    const { rows } = await ask('列出北境的所有河流及其长度和河口。');
    expect(rows).toEqual([
      ['青河', '120公里', '月湾'],
      ['白水', '85公里', '星湖'],
      ['长溪', '240 公里', '东海'],
    ]);
  });

  it('gives an empty table rather than a guess where no page lists the class', async () => {
    const { rows, answer } = await ask('List all volcanoes of Zembla with their height.');
    expect(rows).toEqual([]);
    expect(answer).toContain('| Volcano');
  });
});

describe('single answers', () => {
  it('looks up an attribute of a named thing', async () => {
    const { answer } = await drive({
      question: 'Who is the rector of Dale School?',
      search,
      answer: 'boxed',
    });
    expect(extractBoxed(answer)).toBe('Otto Penn');
  });

  it('picks the member with the extreme value', async () => {
    const question = 'What is the city of the college with the highest number of students in Meridia?';
    const { answer } = await drive({ question, search, answer: 'boxed', workflow: 'sa' });
    expect(extractBoxed(answer)).toBe('Lune');
  });

  it('says that nothing was found instead of boxing a guess', async () => {
    const { answer } = await drive({ question: 'What is the capital of Zembla?', search, answer: 'boxed' });
    expect(extractBoxed(answer)).toBeNull();
    expect(answer).toMatch(/^Not found/);
  });
});

describe('createExtractiveModel', () => {
  const model = createExtractiveModel({ encoder: null });
  const question = 'List all lighthouses on the Varn coast with their height.';
  const opening = {
    role: 'lead',
    language: 'en',
    question,
    subtask: null,
    answer: 'auto',
    today: null,
    width: 10,
    turns: 10,
  } as const;
  const request = {
    messages: openingMessages(opening),
    tools: toolsFor('lead', 10, 'en'),
    maxTokens: 1000,
    temperature: 0,
    session: 's',
  };
  const signal = new AbortController().signal;

  it('gives the same reply to the same request, call id included', async () => {
    const first = await model.complete(request, signal);
    expect(first.finishReason).toBe('tool_calls');
    expect(await model.complete(request, signal)).toEqual(first);
  });

  it('answers in text when it has no tools', async () => {
    const reply = await model.complete({ ...request, tools: [] }, signal);
    expect(reply.finishReason).toBe('stop');
    expect(reply.message.toolCalls).toBeUndefined();
    expect(reply.message.content).toContain('| Lighthouse | Height |');
  });

  it('throws when it is cancelled before it starts', async () => {
    await expect(model.complete(request, AbortSignal.abort())).rejects.toThrow();
  });

  it('never spawns more subagents than the tool allows', async () => {
    const tools = toolsFor('lead', 2, 'en');
    const list = Array.from({ length: 40 }, (_, at) => `| Item ${at} |`).join('\n');
    const first = await model.complete({ ...request, tools }, signal);
    const call = first.message.toolCalls?.[0];
    const prompt =
      (JSON.parse(call?.arguments ?? '{}') as { sub_agents: { prompt: string }[] }).sub_agents[0]?.prompt ??
      '';
    const content = `### Subagent 1: ok\nTask: ${prompt}\nReport:\n| Lighthouse |\n| --- |\n${list}\n\n[Turn 2 of 10]`;
    const messages = [
      ...request.messages,
      first.message,
      { role: 'tool' as const, toolCallId: call?.id ?? '', name: 'create_sub_agents', content },
    ];
    const second = await model.complete({ ...request, tools, messages }, signal);
    const spawned = (
      JSON.parse(second.message.toolCalls?.[0]?.arguments ?? '{}') as { sub_agents: unknown[] }
    ).sub_agents;
    expect(spawned).toHaveLength(2);
  });
});
