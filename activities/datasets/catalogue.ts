/** How the records of a data set are read. `auto` decides record by record. */
export type DatasetFormat =
  'sample-wide' | 'sample-deep' | 'mini' | 'widesearch' | 'wideseek' | 'qa' | 'auto';

export interface HubSource {
  /** Name on the Hugging Face hub, `owner/name`. */
  id: string;
  /** Files that are wanted, by their path in the repository. */
  include: RegExp;
  licence: string;
}

export interface DatasetEntry {
  name: string;
  format: DatasetFormat;
  /** Folder below the data folder; sets that come from one repository share it. */
  folder: string;
  /** Read when nobody asks for a split; absent: the whole file. */
  split?: string;
  /** Paths below the folder, the first that exists is read; `{split}` stands for the split. */
  files: readonly string[];
  hub?: HubSource;
}

const NO_COPIES = 'Do not redistribute it: keep it out of repositories, images and published artefacts.';

const ASEARCHER_HUB: HubSource = {
  id: 'inclusionAI/ASearcher-test-data',
  include: /^[^/]+\/[^/]+\.jsonl?$/,
  licence: 'Collected under Apache-2.0 by its card; the single sets keep the licences of their authors.',
};

const asearcher = (name: string, folders: readonly string[]): DatasetEntry => ({
  name,
  format: 'qa',
  folder: 'asearcher',
  split: 'test',
  files: [
    ...folders.flatMap((folder) => [`${folder}/{split}.jsonl`, `${folder}/{split}.json`]),
    '{split}.jsonl',
    '{split}.json',
  ],
  hub: ASEARCHER_HUB,
});

const wideseekTrain = (name: string, file: string): DatasetEntry => ({
  name,
  format: 'wideseek',
  folder: 'wideseek-train',
  files: [file],
  hub: {
    id: 'RLinf/WideSeek-R1-train-data',
    include: /^[\w-]+\.jsonl$/,
    licence: 'See the data set card before you use or pass it on.',
  },
});

const ENTRIES: readonly DatasetEntry[] = [
  { name: 'sample', format: 'sample-wide', folder: 'sample', files: ['questions.jsonl'] },
  { name: 'sample-deep', format: 'sample-deep', folder: 'sample', files: ['deep.jsonl'] },
  { name: 'mini', format: 'mini', folder: 'mini', files: ['questions.jsonl'] },
  {
    name: 'widesearch',
    format: 'widesearch',
    folder: 'widesearch',
    files: ['widesearch.jsonl', 'questions.jsonl', 'test.jsonl'],
    hub: {
      id: 'ByteDance-Seed/WideSearch',
      include: /^(widesearch\.jsonl|widesearch_gold\/[\w.-]+\.csv)$/,
      licence: `The card states the licence as "other". ${NO_COPIES}`,
    },
  },
  {
    name: 'wideseek-test',
    format: 'wideseek',
    folder: 'wideseek-test',
    files: ['test.jsonl', 'test.json'],
    hub: {
      id: 'RLinf/WideSeek-R1-test-data',
      include: /^test\.jsonl$/,
      licence: `Converted from WideSearch, whose card states the licence as "other". ${NO_COPIES}`,
    },
  },
  wideseekTrain('wideseek-width', 'width_20k.jsonl'),
  wideseekTrain('wideseek-depth', 'depth_20k.jsonl'),
  wideseekTrain('wideseek-hybrid', 'hybrid_20k.jsonl'),
  asearcher('nq', ['NQ_rand1000', 'NQ']),
  asearcher('triviaqa', ['TriviaQA_rand1000', 'TriviaQA']),
  asearcher('popqa', ['PopQA_rand1000', 'PopQA']),
  asearcher('2wiki', ['2WikiMultihopQA_rand1000', '2WikiMultihopQA', '2Wiki']),
  asearcher('hotpotqa', ['HotpotQA_rand1000', 'HotpotQA']),
  asearcher('bamboogle', ['Bamboogle']),
  asearcher('musique', ['Musique_rand1000', 'MuSiQue_rand1000', 'Musique', 'MuSiQue']),
  {
    name: 'gaia',
    format: 'qa',
    folder: 'gaia',
    split: 'validation',
    files: [
      '2023/{split}/metadata.jsonl',
      '{split}/metadata.jsonl',
      'GAIA/{split}.jsonl',
      'GAIA/test.jsonl',
      '{split}.jsonl',
    ],
    hub: {
      id: 'gaia-benchmark/GAIA',
      include: /^2023\/validation\/metadata\.jsonl$/,
      licence: `Gated: accept its conditions on the hub first. ${NO_COPIES}`,
    },
  },
  {
    name: 'xbench-deepsearch',
    format: 'qa',
    folder: 'xbench-deepsearch',
    files: ['DeepSearch.csv', 'data/DeepSearch.csv', 'xbench-deepsearch/test.jsonl', 'test.jsonl'],
    hub: {
      id: 'xbench/DeepSearch',
      include: /^(data\/)?DeepSearch[\w.-]*\.csv$/,
      licence: `Published enciphered so that it does not leak into training data. ${NO_COPIES}`,
    },
  },
  {
    name: 'frames',
    format: 'qa',
    folder: 'frames',
    files: ['test.tsv', 'Frames/test.jsonl', 'test.jsonl'],
    hub: { id: 'google/frames-benchmark', include: /^test\.tsv$/, licence: 'Apache-2.0.' },
  },
];

/** Data sets by name, in the order in which help lists them. */
export const CATALOGUE: ReadonlyMap<string, DatasetEntry> = new Map(
  ENTRIES.map((entry) => [entry.name, entry]),
);
