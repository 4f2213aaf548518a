import { cutTo, sizeOf } from './chunks.ts';
import type { Language, Message } from './messages.ts';
import { type Observation, readObservations, splitHint, urlsOf } from './observations.ts';
import type { TextSize } from './rules.ts';

/** One thing in an agent's past, in the form in which prompts can carry it. */
export type HistoryItem =
  | Observation
  | { kind: 'act'; thought: string; actions: string[] }
  /** What the model wrote down about what it had been shown, with the addresses it is from. */
  | { kind: 'notes'; urls: string[]; text: string };

export interface History {
  items: HistoryItem[];
  /** What the model has been shown since it last spoke. */
  latest: Observation[];
}

/** Reads a stored conversation as a list of acts, observations and notes. The opening messages are left out. */
export function readHistory(messages: readonly Message[]): History {
  const items: HistoryItem[] = [];
  let latest: Observation[] = [];
  let reading = false;
  const opening = messages.findIndex((message) => message.role === 'user');
  for (const message of messages.slice(opening + 1)) {
    if (message.role !== 'assistant') {
      const { body, reading: toRead } = splitHint(message.content);
      latest.push(...readObservations(body));
      reading = toRead;
      continue;
    }
    items.push(...latest);
    if (reading)
      items.push({ kind: 'notes', urls: [...new Set(latest.flatMap(urlsOf))], text: message.content.trim() });
    else
      items.push({
        kind: 'act',
        thought: message.content.trim(),
        actions: (message.toolCalls ?? []).map(actionOf),
      });
    latest = [];
    reading = false;
  }
  return { items, latest };
}

function actionOf(call: { name: string; arguments: string }): string {
  try {
    const { query, url } = JSON.parse(call.arguments) as { query?: unknown; url?: unknown };
    const what = typeof query === 'string' ? query : typeof url === 'string' ? url : call.arguments;
    return `${call.name}: ${what}`;
  } catch {
    return `${call.name}: ${call.arguments.slice(0, 200)}`;
  }
}

const LABELS = {
  en: { thought: 'Thought', notes: 'Notes on', read: 'Opened', sources: 'Notes dropped for room; sources' },
  zh: { thought: '想法', notes: '笔记，来自', read: '已打开', sources: '因篇幅略去的笔记，来源' },
} as const;

/** Passage of a hit in the history, and what is left of notes that had to be shortened, in tokens. */
const PASSAGE = 120;
const SHORT_NOTES = 60;

/**
 * Steps in which a history that is too long gets shorter, each from its oldest item on: old thoughts go first, then
 * passages of results, remarks, the length of notes, lists of results; addresses of notes go last.
 */
const STEPS: readonly { kind: HistoryItem['kind']; level: number }[] = [
  { kind: 'act', level: 1 },
  { kind: 'search', level: 1 },
  { kind: 'message', level: 1 },
  { kind: 'notes', level: 1 },
  { kind: 'search', level: 2 },
  { kind: 'act', level: 2 },
  { kind: 'page', level: 1 },
  { kind: 'notes', level: 2 },
  { kind: 'search', level: 3 },
  { kind: 'notes', level: 3 },
];

/** The past as text of at most `room`: whole items, shortened oldest first where there is too much of them. */
export function printHistory(items: readonly HistoryItem[], room: TextSize, language: Language): string {
  const texts = items.map((item) => printItem(item, 0, language));
  const sizes = texts.map((text) => sizeOf(text, room.unit) + 2);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  for (const { kind, level } of STEPS) {
    for (let i = 0; i < items.length && total > room.size; i++) {
      const item = items[i]!;
      if (item.kind !== kind || texts[i] === '') continue;
      const text = printItem(item, level, language);
      const size = text === '' ? 0 : sizeOf(text, room.unit) + 2;
      if (size >= sizes[i]!) continue;
      total += size - sizes[i]!;
      [texts[i], sizes[i]] = [text, size];
    }
  }
  return texts.filter((text) => text !== '').join('\n\n');
}

/** The published way: everything in full, then the last characters of it, wherever that cuts (spec asearcher 1.2). */
export function printHistoryPublished(
  items: readonly HistoryItem[],
  characters: number,
  language: Language,
): string {
  const text = items
    .map((item) => {
      if (item.kind === 'search') return `${item.text}...`;
      return item.kind === 'page' ? `${item.text.slice(0, 100)}...` : printItem(item, 0, language);
    })
    .join('\n\n');
  return text.length > characters ? text.slice(-characters) : text;
}

function printItem(item: HistoryItem, level: number, language: Language): string {
  const say = LABELS[language];
  switch (item.kind) {
    case 'act': {
      const lines = [
        ...(level === 0 && item.thought !== '' ? [`${say.thought}: ${item.thought}`] : []),
        ...(level < 2 ? item.actions : []),
      ];
      return lines.join('\n→ ');
    }
    case 'search':
      return printSearch(item, level);
    case 'page':
      return level === 0
        ? `${say.read}: ${item.url}${item.which && ` (${item.which})`} ${item.title}`.trim()
        : '';
    case 'notes': {
      if (level === 3 || (item.text === '' && level === 0)) return '';
      if (level === 2) return `${say.sources}: ${item.urls.join(' ')}`;
      const text = level === 0 ? item.text : `${cutTo(item.text, { size: SHORT_NOTES, unit: 'tokens' })} […]`;
      return `${say.notes} ${item.urls.join(' ')}:\n${text}`;
    }
    case 'message':
      return level === 0 ? item.text : '';
  }
}

function printSearch({ query, hits, text }: Extract<HistoryItem, { kind: 'search' }>, level: number): string {
  const heading = `### Search: ${query}`;
  if (level === 3) return '';
  if (level === 2) return heading;
  if (hits.length === 0) return text;
  const lines = hits.map((hit, index) => {
    const head = `[Doc ${index + 1}](${hit.url}): ${hit.title}`;
    return level === 0 ? `${head}\n${cutTo(hit.text, { size: PASSAGE, unit: 'tokens' })}` : head;
  });
  return [heading, ...lines].join('\n');
}
