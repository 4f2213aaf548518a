import type { Message } from '../../../domain/agents/messages.ts';
import { HEADINGS } from '../../../domain/agents/task.ts';

export interface SeenHit {
  url: string;
  title: string;
  text: string;
}

export interface SeenPage {
  url: string;
  title: string;
  text: string;
  /** Parts of a long page: 1-based number of the last part seen, and how many there are. */
  part: number;
  parts: number;
}

export interface SeenReport {
  outcome: string;
  task: string;
  report: string;
}

/** Everything that tools have shown in one conversation, in order. */
export interface Seen {
  searches: { query: string; hits: SeenHit[] }[];
  pages: SeenPage[];
  /** URLs whose page could not be read. */
  unreadable: string[];
  reports: SeenReport[];
  /** True where a tool message offers the merged table of all reports. */
  mergedTable: boolean;
  /** Assistant messages that called a tool. */
  turns: number;
}

/** Headings of a prompt's own parts. Any other heading may stand in a passage or in a report. */
const PARTS: ReadonlySet<string> = new Set([...Object.values(HEADINGS.en), ...Object.values(HEADINGS.zh)]);
const SECTION = /^###\s+(Search|Page|Subagent|搜索|页面|网页|子智能体)\s*(\d*)\s*[:：]\s*(.*)$/iu;
const HIT = /^\[Doc\s+\d+\]\(\s*(\S+?)\s*\)\s*[:：]?\s*(.*)$/iu;
const PART = /[(（]\s*(?:page|第)\s*(\d+)\s*(?:of|页?\s*[，,/]?\s*共)\s*(\d+)\s*页?\s*[)）]/iu;

/** Reads the tool messages of a conversation. Unknown text is ignored, so any engine's wording is survived. */
export function readTools(messages: readonly Message[]): Seen {
  const seen: Seen = { searches: [], pages: [], unreadable: [], reports: [], mergedTable: false, turns: 0 };
  for (const message of messages) {
    if (message.role === 'assistant' && (message.toolCalls?.length ?? 0) > 0) seen.turns += 1;
    // Agents that get a new prompt each turn, and notes of their own, carry the same sections in other messages.
    if (message.role === 'system') continue;
    if (/^\s*`?<merged_table\s*\/>`?|<merged_table\s*\/>/m.test(message.content)) seen.mergedTable = true;
    for (const section of sectionsOf(message.content)) addSection(seen, section);
  }
  return seen;
}

interface Section {
  kind: string;
  subject: string;
  lines: string[];
}

/** Page text may hold any line at all, so inside `<<<` … `>>>` no heading opens a section. */
function sectionsOf(content: string): Section[] {
  const sections: Section[] = [];
  let quoted = false;
  for (const line of content.split('\n')) {
    if (!quoted && line.trim() === '<<<') quoted = true;
    else if (quoted && line.trim() === '>>>') quoted = false;
    const head = quoted ? null : SECTION.exec(line);
    if (!quoted && PARTS.has(line.trim())) sections.push({ kind: '', subject: '', lines: [] });
    else if (head)
      sections.push({ kind: (head[1] ?? '').toLowerCase(), subject: (head[3] ?? '').trim(), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function addSection(seen: Seen, { kind, subject, lines }: Section): void {
  if (kind === '') return;
  if (kind === 'search' || kind === '搜索') seen.searches.push({ query: subject, hits: readHits(lines) });
  else if (kind === 'subagent' || kind === '子智能体') seen.reports.push(readReport(subject, lines));
  else addPage(seen, subject, lines);
}

function readHits(lines: readonly string[]): SeenHit[] {
  const hits: SeenHit[] = [];
  for (const line of lines) {
    if (TURN_HINT.test(line)) break;
    const head = HIT.exec(line);
    if (head) hits.push({ url: head[1] ?? '', title: (head[2] ?? '').trim(), text: '' });
    else {
      const hit = hits.at(-1);
      if (hit) hit.text += `${line}\n`;
    }
  }
  return hits.map((hit) => ({ ...hit, text: hit.text.trim() }));
}

function addPage(seen: Seen, subject: string, lines: readonly string[]): void {
  const url = subject.replace(PART, '').trim().split(/\s+/)[0] ?? '';
  const start = lines.findIndex((line) => line.trim() === '<<<');
  const head = start < 0 ? lines : lines.slice(0, start);
  if (head.some((line) => /^(?:Error|错误)\s*[:：]/i.test(line)) && start < 0) {
    seen.unreadable.push(url);
    return;
  }
  const part = PART.exec([subject, ...head].join('\n'));
  const title =
    head
      .map((line) => /^(?:Title|标题)\s*[:：]\s*(.*)$/i.exec(line)?.[1])
      .find((found) => found !== undefined) ?? '';
  const text = quotedText(lines, start);
  const numbers = { part: Number(part?.[1] ?? 1), parts: Number(part?.[2] ?? 1) };
  const known = seen.pages.find((page) => page.url === url);
  if (!known) {
    seen.pages.push({ url, title, text, ...numbers });
  } else if (numbers.part > known.part) {
    known.text += `\n${text}`;
    known.part = numbers.part;
    known.parts = numbers.parts;
  }
}

function quotedText(lines: readonly string[], start: number): string {
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.trim() === '>>>');
  const body =
    start < 0
      ? rest.filter((line) => !/^(?:Title|标题)\s*[:：]/i.test(line))
      : end < 0
        ? rest
        : rest.slice(0, end);
  return body
    .filter((line) => !TURN_HINT.test(line))
    .join('\n')
    .trim();
}

function readReport(outcome: string, lines: readonly string[]): SeenReport {
  const text = lines.join('\n');
  const split = /^(?:Report|报告)\s*[:：]\s*/m.exec(text);
  const task = (split ? text.slice(0, split.index) : '').replace(/^\s*(?:Task|任务)\s*[:：]\s*/, '').trim();
  const report = split ? text.slice(split.index + split[0].length) : text;
  return { outcome, task, report: report.trim() };
}

const TURN_HINT = /^\[(?:Turn\s+\d+|第\s*\d+\s*轮)/i;

/** The newest turn hint: this turn's number and the limit; null where the conversation carries none. */
export function readTurn(messages: readonly Message[]): { turn: number; limit: number } | null {
  for (const message of [...messages].reverse()) {
    if (message.role === 'assistant') continue;
    const hints = [
      ...message.content.matchAll(
        /\[(?:Turn\s+(\d+)\s+of\s+(\d+)|第\s*(\d+)\s*轮[，,]?\s*共\s*(\d+)\s*轮)[^\]]*\]/gi,
      ),
    ];
    const last = hints.at(-1);
    if (last) return { turn: Number(last[1] ?? last[3]), limit: Number(last[2] ?? last[4]) };
  }
  return null;
}
