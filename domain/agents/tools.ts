import type { AgentRole, Language, ToolSchema } from './messages.ts';

/** Names and argument shapes are those of the paper (spec 1.2); the limits in the texts follow the config. */
const TEXT = {
  en: {
    delegate: (n: number) =>
      `Start subagents that work in parallel, each on one self-contained subtask. They share nothing with each other; ` +
      `each knows only its own prompt and the main question. At most ${n} per call. Their reports come back together.`,
    prompt: 'What this subagent must find out, with every name it needs, and what it must report.',
    search: (n: number) =>
      `Search for pages. At most ${n} queries per call. Returns URLs with a passage of each page.`,
    searchOne: 'Search for pages with one query. Returns URLs with a passage of each page.',
    query: 'What to search for.',
    count: 'How many results to return (1 to 9).',
    access: (n: number) => `Read pages. At most ${n} URLs per call. Use URLs that a search returned.`,
    accessOne: 'Read one page. Use a URL that a search returned.',
    url: 'URL of the page.',
    intent: 'What you want to learn from the page.',
    page: 'Part of a long page to read, from 1.',
  },
  zh: {
    delegate: (n: number) =>
      `启动若干并行工作的子智能体，每个负责一个自足的子任务。它们互不相通，只知道自己的提示和主问题。每次最多 ${n} 个，报告会一起返回。`,
    prompt: '该子智能体需要查明的内容（写出所需的全部名称）以及需要报告的内容。',
    search: (n: number) => `搜索网页。每次最多 ${n} 个查询，返回网址和相应段落。`,
    searchOne: '用一个查询搜索网页，返回网址和相应段落。',
    query: '搜索内容。',
    count: '返回结果数（1 到 9）。',
    access: (n: number) => `阅读网页。每次最多 ${n} 个网址，须来自搜索结果。`,
    accessOne: '阅读一个网页，网址须来自搜索结果。',
    url: '网页地址。',
    intent: '希望从该页获得的信息。',
    page: '长网页的分页，从 1 开始。',
  },
} as const;

const object = (properties: Record<string, unknown>, required: string[]): Record<string, unknown> => ({
  type: 'object',
  properties,
  required,
});

const ASK = {
  en: {
    ask: 'Ask the person who asked the question one short question, only if it can be read in two ways that lead to different answers. You may get no reply in time; then your default counts.',
    question: 'The question, in one sentence.',
    default: 'What you will assume without a reply.',
  },
  zh: {
    ask: '仅当问题可以有两种理解、且会导致不同答案时，向提问者反问一个简短的问题。若未及时得到回复，则采用你的默认假设。',
    question: '一句话的问题。',
    default: '没有回复时采用的假设。',
  },
} as const;

/** Where a run allows it: the lead or single agent asks the person back. */
export const askTool = (language: Language): ToolSchema => ({
  name: 'ask_person',
  description: ASK[language].ask,
  parameters: object(
    {
      question: { type: 'string', description: ASK[language].question },
      default: { type: 'string', description: ASK[language].default },
    },
    ['question', 'default'],
  ),
});

/** The tools that a role sees. `max` is the number of requests that one call may carry. */
export function toolsFor(role: AgentRole, max: number, language: Language): ToolSchema[] {
  const text = TEXT[language];
  const string = (description: string): Record<string, unknown> => ({ type: 'string', description });
  const list = (name: string, items: Record<string, unknown>): Record<string, unknown> =>
    object({ [name]: { type: 'array', minItems: 1, maxItems: max, items } }, [name]);
  const query = {
    query: string(text.query),
    count: { type: 'integer', description: text.count, default: 3 },
  };
  const page = {
    url: string(text.url),
    info_to_extract: string(text.intent),
    page: { type: 'integer', description: text.page, default: 1 },
  };

  if (role === 'lead') {
    const subtask = object({ prompt: string(text.prompt) }, ['prompt']);
    return [
      { name: 'create_sub_agents', description: text.delegate(max), parameters: list('sub_agents', subtask) },
    ];
  }
  if (role === 'subagent') {
    return [
      {
        name: 'search',
        description: text.search(max),
        parameters: list('queries', object(query, ['query'])),
      },
      {
        name: 'access',
        description: text.access(max),
        parameters: list('urls', object(page, ['url', 'info_to_extract'])),
      },
    ];
  }
  return [
    { name: 'search', description: text.searchOne, parameters: object(query, ['query']) },
    { name: 'access', description: text.accessOne, parameters: object(page, ['url', 'info_to_extract']) },
  ];
}
