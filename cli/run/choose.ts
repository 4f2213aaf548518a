import type { Setting } from '../settings.ts';

export interface ChoiceOptions {
  config?: string;
  corpus?: string;
  offline?: boolean;
  deep?: boolean;
  /** What `--set` says. */
  set: Readonly<Record<string, Setting>>;
  /** No question was given: the sample question belongs to the sample corpus. */
  isSample: boolean;
}

export interface Choice {
  config: string;
  set: Record<string, Setting>;
  /** One line: what is used and why. */
  why: string;
}

/** The configuration that `--deep` starts from. */
const DEEP = 'deep';

const WEB = {
  'search.provider': 'web',
  'search.topK': 5,
  'search.web.searcher.kind': 'serper',
} as const;

/**
 * What a question is answered with. Said by the person: `--config`, `--corpus` or settings of the search. Else the open
 * web where the environment has the key of a search engine, else the sample corpus; `--offline` keeps to the sample.
 */
export const chooseConfig = (env: NodeJS.ProcessEnv, options: ChoiceOptions): Choice => {
  const { config, corpus, offline, deep, set } = options;
  const base = config ?? (deep ? DEEP : 'ask');
  const file = `configs/${base}.yaml`;
  // A language model thinks for long in notes; the built-in policy has no notes to think in.
  const long: Record<string, Setting> =
    deep && !config && env.WIDESEEK_MODEL_URL ? { 'agents.workflow': 'reasoning' } : {};
  const alone: Record<string, Setting> = deep && config ? { 'agents.workflow': 'sa', answer: 'boxed' } : {};
  const choice = (more: Record<string, Setting>, why: string): Choice => ({
    config: base,
    set: { ...long, ...alone, ...more, ...set },
    why,
  });
  if (offline)
    return choice(
      { 'search.provider': 'corpus', 'search.corpus': 'sample' },
      `Using the sample corpus (${file}): --offline`,
    );
  if (corpus !== undefined)
    return choice(
      { 'search.provider': 'corpus', 'search.corpus': corpus },
      `Using the corpus "${corpus}" (${file}): --corpus`,
    );
  if (config !== undefined) return choice({}, `Using ${file}: --config`);
  if (Object.keys(set).some((path) => path.startsWith('search.')))
    return choice({}, `Using ${file} with your search settings: --set`);
  if (options.isSample)
    return choice({}, `Using the sample corpus (${file}): it answers the sample question`);
  if (env.SERPER_API_KEY) {
    const reader = env.JINA_API_KEY ? 'jina' : 'direct';
    const web = reader === 'jina' ? 'web-jina' : 'web';
    const keys = reader === 'jina' ? 'SERPER_API_KEY and JINA_API_KEY are set' : 'SERPER_API_KEY is set';
    const why = `Using the open web (${deep ? file : `configs/${web}.yaml`}): ${keys}; --offline keeps to the sample corpus`;
    if (!deep) return { config: web, set: { ...set }, why };
    const key: Record<string, Setting> =
      reader === 'jina' ? { 'search.web.reader.apiKeyEnv': 'JINA_API_KEY' } : {};
    return choice({ ...WEB, 'search.web.reader.kind': reader, ...key }, why);
  }
  const jina = env.JINA_API_KEY ? ' (JINA_API_KEY alone reads pages and finds none)' : '';
  return choice(
    {},
    `Using the sample corpus (${file}): SERPER_API_KEY is not set, so the open web cannot be searched${jina}`,
  );
};
