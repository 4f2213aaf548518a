import { cutTo } from './chunks.ts';
import type { Message } from './messages.ts';
import { type Observation, readObservations, splitHint } from './observations.ts';
import { estimateTokens } from './text.ts';

/** What later turns see of a part of a page that has been read (spec asearcher 1.1), in characters. */
const READ_CHARACTERS = 100;
const SHORT_THOUGHT = { size: 60, unit: 'tokens' } as const;

/**
 * A growing transcript in which parts of pages that were read before the last reply show only their beginning: each
 * is visible in full in one turn, and what the model wrote about it stays.
 */
export function shortenRead(messages: readonly Message[]): Message[] {
  const last = messages.findLastIndex((message) => message.role === 'assistant');
  return messages.map((message, index) => (index > last ? message : withBlocks(message, shortPage)));
}

/**
 * Fits a transcript into `budget` tokens without dropping a message: first old results lose their passages but keep
 * every URL, then old thoughts are cut, both from the oldest on. What came after the last reply stays whole.
 */
export function fitTranscript(messages: readonly Message[], budget: number): Message[] {
  const fitted = [...messages];
  const last = fitted.findLastIndex((message) => message.role === 'assistant');
  const sizes = fitted.map(sizeOfMessage);
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const opening = fitted.findIndex((message) => message.role === 'user');
  for (const shorten of [shortSearches, shortThought]) {
    for (let i = opening + 1; i < last && total > budget; i++) {
      const message = shorten(fitted[i]!);
      const size = sizeOfMessage(message);
      if (size >= sizes[i]!) continue;
      total += size - sizes[i]!;
      [fitted[i], sizes[i]] = [message, size];
    }
  }
  return fitted;
}

/** Estimated tokens of one message, its calls and the template around it included. */
export function sizeOfMessage(message: Message): number {
  const calls = message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : '';
  return estimateTokens(message.content) + estimateTokens(calls) + 6;
}

const shortSearches = (message: Message): Message =>
  withBlocks(message, (block) =>
    block.kind === 'search' && block.hits.length > 0
      ? [
          `### Search: ${block.query}`,
          ...block.hits.map((hit, i) => `[Doc ${i + 1}](${hit.url}): ${hit.title}`),
        ].join('\n')
      : block.text,
  );

const shortThought = (message: Message): Message => {
  if (message.role !== 'assistant') return message;
  const content = cutTo(message.content, SHORT_THOUGHT);
  return content.length < message.content.length ? { ...message, content: `${content} […]` } : message;
};

function shortPage(block: Observation): string {
  if (block.kind !== 'page' || !block.text.includes('\n<<<\n')) return block.text;
  const body = block.text.slice(block.text.indexOf('\n<<<\n') + 5);
  const heading = `### Read: ${block.url}${block.which && ` (${block.which})`}\nTitle: ${block.title}`;
  return `${heading}\n${body.slice(0, READ_CHARACTERS).replaceAll('\n', ' ')}...`;
}

function withBlocks(message: Message, print: (block: Observation) => string): Message {
  if (message.role !== 'tool' && message.role !== 'user') return message;
  const { body, hint } = splitHint(message.content);
  const blocks = readObservations(body);
  if (!blocks.some((block) => block.kind !== 'message')) return message;
  const content = [...blocks.map(print), ...(hint ? [hint] : [])].join('\n\n');
  return { ...message, content };
}
