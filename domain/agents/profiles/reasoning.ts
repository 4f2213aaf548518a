import { readHistory, printHistory, printHistoryPublished } from '../history.ts';
import { TASKS, readingHint } from '../long-prompts.ts';
import type { Message } from '../messages.ts';
import { printObservation } from '../observations.ts';
import type { AgentProfile, ViewInput } from '../profile.ts';
import { turnHint } from '../prompts.ts';
import { HEADINGS } from '../task.ts';
import { estimateTokens } from '../text.ts';
import { LONG_RULES, longOpening, longSystemMessage, longTools } from './long.ts';

/**
 * ASearcher's agent for reasoning models (spec asearcher 1.2): every prompt is new, made of the question, notes on what
 * happened and the latest result. Ours keeps notes with their addresses instead of the last characters, checks an
 * early answer once instead of ignoring it, and always answers.
 */
export const reasoning: AgentProfile = {
  summary:
    'a new prompt each turn from question, notes and latest result; search phase, then answers (ASearcher)',
  role: 'single',
  opening: (input) => longOpening('reasoning', input),
  tools: longTools,
  view: viewReasoning,
  rules: (published) =>
    published
      ? {
          ...LONG_RULES,
          reads: { pages: true, searches: true },
          chunk: { size: 10_000, unit: 'characters', most: 10 },
          topK: 10,
          phase: { documents: 20, turns: 32 },
          earlyAnswers: null,
          generatedTokens: null,
          history: { size: 25_000, unit: 'characters' },
          reuse: false,
          published: { stopAfter: 148, failures: 32 },
        }
      : {
          ...LONG_RULES,
          chunk: { size: 3_000, unit: 'tokens', most: 10 },
          topK: 10,
          phase: { documents: 20, turns: 32 },
        },
};

function viewReasoning(messages: readonly Message[], input: ViewInput): Message[] {
  const { language, question, rules, budget, reading, mustAnswer, phase, turn, turns } = input;
  const heading = HEADINGS[language];
  const task = TASKS[language];
  const { items, latest } = readHistory(messages);
  const room = rules?.history ?? LONG_RULES.history;
  const system = longSystemMessage('reasoning', { ...input, role: 'single' });
  const latestText = latest.map(printObservation).join('\n\n');
  const what = reading ? task.read : mustAnswer ? task.must : task[phase];
  const hint = reading ? readingHint(language, turn, turns) : turnHint(language, turn, turns, mustAnswer);

  const compose = (past: string): Message[] => {
    const sections = [
      `${heading.question}\n${question}`,
      `${heading.notes}\n${past || task.nothing}`,
      ...(latestText === '' ? [] : [`${heading.latest}\n${latestText}`]),
      `${heading.now}\n${what}\n\n${hint}`,
    ];
    return [
      { role: 'system', content: system },
      { role: 'user', content: sections.join('\n\n') },
    ];
  };
  if (room.unit === 'characters') return compose(printHistoryPublished(items, room.size, language));
  const rest = compose('').reduce((sum, { content }) => sum + estimateTokens(content) + 6, 0);
  const size = Math.max(0, Math.min(room.size, budget - rest));
  return compose(printHistory(items, { size, unit: 'tokens' }, language));
}
