import { expect, test } from 'vitest';
import { loadRunConfig } from '../../configs/load.ts';
import { requireTokens } from './plan.ts';

const miniature = await loadRunConfig('mini', {});
const sample = await loadRunConfig('ask', {});

test('a collection asks no model that leaves no tokens, and says which role has it', () => {
  expect(() => requireTokens(miniature, 'mini')).not.toThrow();
  expect(() => requireTokens(sample, 'ask')).toThrow(/"ask" the lead's model does not work on token ids/);
});
