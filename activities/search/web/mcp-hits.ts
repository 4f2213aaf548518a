import { z } from 'zod';
import type { Hit } from '../port.ts';

const text = z.string().nullish();
const itemSchema = z.looseObject({
  url: text,
  link: text,
  href: text,
  uri: text,
  title: text,
  name: text,
  snippet: text,
  description: text,
  text: text,
  content: text,
  summary: text,
});

const LISTS = ['results', 'organic', 'organic_results', 'items', 'hits', 'data', 'web', 'documents', 'pages'];
const NONE =
  /\b(no|0|zero) (\w+ ){0,3}(results?|matches|hits|documents|pages)\b|nothing (was )?found|没有(找到|结果)|未找到/i;
const URL_IN_TEXT = /https?:\/\/[^\s<>"')\]}，。]+/;

/**
 * The hits in a search tool's reply, which no standard describes: structured content, JSON as text, or prose with
 * addresses. Undefined where it holds no hits and does not say that there are none.
 */
export function hitsFromReply(structured: unknown, texts: readonly string[]): Hit[] | undefined {
  const values = [structured, ...texts.map(parseJson)];
  for (const value of values) {
    const list = findList(value, 0);
    if (list) return list.flatMap(toHit);
  }
  const items = values.slice(1).flatMap((value) => (isRecord(value) ? toHit(value) : []));
  if (items.length > 0) return items;
  const prose = texts.join('\n\n').trim();
  const found = fromProse(prose);
  if (found.length > 0) return found;
  return prose === '' || NONE.test(prose.slice(0, 500)) ? [] : undefined;
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The list of results: the value itself or under one of the usual names, at most three levels down. */
function findList(value: unknown, depth: number): unknown[] | undefined {
  if (Array.isArray(value))
    return value.length === 0 || value.some((item) => toHit(item).length > 0) ? value : undefined;
  if (!isRecord(value) || depth > 2) return undefined;
  for (const name of LISTS) {
    const found = Object.hasOwn(value, name) ? findList(value[name], depth + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

function toHit(value: unknown): Hit[] {
  const parsed = itemSchema.safeParse(value);
  if (!parsed.success) return [];
  const {
    url,
    link,
    href,
    uri,
    title,
    name,
    snippet,
    description,
    text: body,
    content,
    summary,
  } = parsed.data;
  const address = url ?? link ?? href ?? uri;
  if (!address || !/^https?:/.test(address)) return [];
  return [
    {
      url: address,
      title: title ?? name ?? '',
      text: snippet ?? description ?? body ?? content ?? summary ?? '',
    },
  ];
}

/** Blocks between empty lines or numbered entries, each with an address. */
function fromProse(prose: string): Hit[] {
  return prose.split(/\n\s*\n|\n(?=\s*\d+[.)] )|\n(?=Title: )|\n(?=- \[)/).flatMap((block) => {
    const url = URL_IN_TEXT.exec(block)?.[0].replace(/[.,;:]+$/, '');
    if (!url) return [];
    const linked = /\[([^\]]+)\]\(\s*https?:/.exec(block)?.[1];
    const titled = /^\W*(?:\d+[.)]\s*)?title:\s*(.+)$/im.exec(block)?.[1];
    const first = block.split('\n')[0]?.replace(/^\W*(\d+[.)])?\s*/, '') ?? '';
    const lines = block
      .split('\n')
      .filter((line) => !line.includes(url) && !/^\W*(\d+[.)]\s*)?title:/i.test(line));
    const title = (linked ?? titled ?? (URL_IN_TEXT.test(first) ? '' : first)).trim();
    const body = lines
      .map((line) => line.replace(/^\W*(description|snippet|content|text|summary):\s*/i, '').trim())
      .filter((line) => line !== '' && line.replace(/^\W*(\d+[.)])?\s*/, '') !== title);
    return [{ url, title, text: body.join(' ') }];
  });
}
