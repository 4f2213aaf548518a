import { longSystem } from '../long-prompts.ts';
import type { AgentRole, Language, Message, ToolSchema } from '../messages.ts';
import { answerRules, openingMessages, type PromptInput } from '../prompts.ts';
import type { AgentRules } from '../rules.ts';
import { toolsFor } from '../tools.ts';

/** Messages that a long-horizon agent starts with: its own system message, the task as every agent gets it. */
export function longOpening(agent: Parameters<typeof longSystem>[0], input: PromptInput): Message[] {
  return [{ role: 'system', content: longSystemMessage(agent, input) }, ...openingMessages(input).slice(1)];
}

export function longSystemMessage(
  agent: Parameters<typeof longSystem>[0],
  input: Pick<PromptInput, 'language' | 'answer' | 'today' | 'role'>,
): string {
  const { language, today } = input;
  const date = today === null ? [] : [language === 'zh' ? `今天是 ${today}。` : `Today is ${today}.`];
  return [...longSystem(agent, language), ...answerRules(input), ...date].join('\n\n');
}

/** Search and access, one thing per call; how many results a search brings is the agent's rule, not the model's choice. */
export function longTools(role: AgentRole, max: number, language: Language): ToolSchema[] {
  return toolsFor(role, max, language).map((tool) => {
    const { count: _count, ...properties } = (tool.parameters.properties ?? {}) as Record<string, unknown>;
    return { ...tool, parameters: { ...tool.parameters, properties } };
  });
}

/** Our rules where an agent says nothing else. */
export const LONG_RULES: AgentRules = {
  reads: { pages: true, searches: false },
  chunk: { size: 6_000, unit: 'tokens', most: 10 },
  topK: 5,
  phase: null,
  earlyAnswers: 1,
  generatedTokens: 400_000,
  history: { size: 10_000, unit: 'tokens' },
  reuse: true,
  barren: 10,
  fitted: true,
  published: null,
};
