import { describe, expect, it } from 'vitest';
import { fakeSampler } from '../../model/tokens/sampler.fake.ts';
import { createTokenModel } from '../../model/tokens/model.ts';
import { expertModel } from './expert-model.ts';
import { HABITS } from './habits.ts';
import { measureMini } from './measure.ts';
import { openMiniTokenizer } from './traces.ts';

const tokenizer = await openMiniTokenizer();
const options = { split: 'dev', questions: 20, samples: 1, temperature: 1, concurrency: 4 } as const;
const flawless = {
  ...{ members: [0, 0, 0, 0, 0, 0, 1], misname: 0, forgetAttribute: 0, forgetValue: 0, skipSearch: 0 },
  ...{ halfQuery: 0, retry: 1, cutList: 0, dropRow: 0 },
};

describe('measureMini', () => {
  it.each(['mas', 'sa'] as const)('gives 1 to an expert without mistakes (%s)', async (kind) => {
    const found = await measureMini(expertModel(tokenizer, 'x', flawless), { ...options, kind });
    expect(found).toMatchObject({ rollouts: 20, itemF1: 1, format: 1, failedAgents: 0 });
    expect(found.members).toBeGreaterThan(4.9);
    expect(found.agents).toBe(kind === 'mas' ? found.members + 2 : 1);
  });

  it('gives the imperfect expert about what it has in invented worlds', async () => {
    const more = { ...options, questions: 100, kind: 'mas' } as const;
    const { itemF1, members } = await measureMini(expertModel(tokenizer, 'y', HABITS), more);
    expect(itemF1).toBeGreaterThan(0.4);
    expect(itemF1).toBeLessThan(0.65);
    expect(members).toBeLessThan(4.5);
  });

  it('survives a policy that writes nonsense, and gives it nothing', async () => {
    const texts = [
      '<tool_call>\n{"name": "create_sub_agents", "arguments": 7}\n</tool_call>',
      '| a |',
      '?',
      '',
    ];
    const sampler = fakeSampler(tokenizer, (_prompt, _request, n) => texts[n % texts.length]!);
    const model = createTokenModel({
      name: 'nonsense',
      tokenizer: () => Promise.resolve(tokenizer),
      policy: () => Promise.resolve({ version: 0, path: null, url: null }),
      sampler: () => sampler,
      timeoutMs: 1_000,
    });
    const found = await measureMini(model, { ...options, kind: 'mas', concurrency: 1 });
    expect(found).toMatchObject({ itemF1: 0, format: 0 });
    expect(found.failedAgents).toBeGreaterThan(0);
  });
});
