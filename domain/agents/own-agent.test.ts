import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentProfile } from './profile.ts';
import { call, driveLong, say } from './drive-long.fake.ts';
import { AGENTS } from './registry.ts';

/** The example of docs/own-agent.md, as a file of its own beside the real profiles. */
const guide = readFileSync(new URL('../../docs/own-agent.md', import.meta.url), 'utf8');
const file = new URL(`./profiles/planner-${process.pid}.fake.ts`, import.meta.url);
afterAll(() => rmSync(file, { force: true }));

describe('the example of docs/own-agent.md', () => {
  it('is an agent that works as it says', async () => {
    const [, source] = /```ts\n(\/\/ domain\/agents\/profiles\/planner\.ts\n[^]*?)```/.exec(guide)!;
    writeFileSync(file, source!);
    const { planner } = (await import(/* @vite-ignore */ file.pathname)) as { planner: AgentProfile };

    const driven = driveLong({
      agents: { workflow: 'base', single: { turns: 20 } },
      profile: planner,
      page: () => 'A page.',
      reply: ({ turn, tools }) => {
        if (tools.length === 0) return say('notes');
        return turn < 9 ? call('search', { query: `q${turn}` }) : say('\\boxed{done}');
      },
    });
    expect(driven).toMatchObject({ reason: 'answered', answer: '\\boxed{done}', turns: 9 });
    expect(driven.prompts[0]!.messages[0]!.content).toContain('Begin your first reply with a plan');
    for (const { messages } of driven.prompts) {
      expect(messages.slice(0, 2).map(({ role }) => role)).toEqual(['system', 'user']);
      expect(messages.filter(({ role }) => role === 'assistant').length).toBeLessThanOrEqual(3);
      const asked = messages.flatMap((message) =>
        message.role === 'assistant' ? (message.toolCalls ?? []) : [],
      );
      expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(asked.length);
    }
  });

  it('names every agent of the registry in the line to change', () => {
    const line = guide.split('\n').find((one) => one.startsWith('export const AGENTS'))!;
    for (const name of Object.keys(AGENTS)) expect(line).toContain(name);
  });
});
