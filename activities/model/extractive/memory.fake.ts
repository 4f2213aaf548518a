import { type Memory, remember } from './memory.ts';
import { readStructure } from './page-structure.ts';

interface FakePage {
  title: string;
  text: string;
  part?: number;
  parts?: number;
}

/** What an agent knows after searches that found `hits` and after reading `pages`; `asked` are its earlier queries. */
export const knowing = (pages: FakePage[], hits: FakePage[] = [], asked: string[] = []): Memory => {
  const url = ({ title }: FakePage): string => `https://t.test/${encodeURIComponent(title)}`;
  return {
    ...remember([]),
    pages: pages.map((page) => ({ part: 1, parts: 1, ...page, url: url(page) })),
    hits: [...pages, ...hits].map((page) => ({ url: url(page), title: page.title, text: page.text })),
    asked: (query) => asked.includes(query),
    opened: (address) => pages.some((page) => url(page) === address),
    structure: ({ title, text }) => readStructure(title, text),
  };
};
