import type { Message } from '../../../domain/agents/messages.ts';
import { splitHint } from '../../../domain/agents/observations.ts';
import { HEADINGS } from '../../../domain/agents/task.ts';
import { cutToTokens, estimateTokens } from '../../../domain/agents/text.ts';
import type { Move } from './reply.ts';

const PAGE = /^### Page: [^\n]*\n(?:Title: [^\n]*\n)?<<<\n[^]*?\n>>>$/gm;

/**
 * In a turn for reading: the parts of pages that have just been shown, word for word, as far as the reply's limit
 * allows. Crude as notes, but what the policy reads later in this form it reads like a page. Null in any other turn.
 */
export function takeNotes(messages: readonly Message[], maxTokens: number): Move | null {
  const last = messages.at(-1);
  if (!last || last.role === 'assistant' || last.role === 'system') return null;
  const { body, reading } = splitHint(last.content);
  if (!reading) return null;
  const headings = [HEADINGS.en.latest, HEADINGS.zh.latest];
  const from = Math.max(0, ...headings.map((heading) => body.lastIndexOf(`\n${heading}\n`)));
  let left = maxTokens - 20;
  const notes: string[] = [];
  for (const [block] of body.slice(from).matchAll(PAGE)) {
    const size = estimateTokens(block);
    notes.push(size <= left ? block : `${cutToTokens(block, Math.max(0, left - 4))}\n>>>`);
    left -= size;
    if (left <= 0) break;
  }
  return { kind: 'text', text: notes.join('\n\n') || 'Nothing.', thought: 'Copied what was shown.' };
}
