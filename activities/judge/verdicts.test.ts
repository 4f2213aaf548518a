import { expect, it } from 'vitest';
import { judgeMessages } from '../../domain/scoring/judge/prompts.ts';
import { qaJudgePrompt } from '../../domain/scoring/qa/judge.ts';
import { canonicalJson, sha256 } from '../store/hashing.ts';
import { JUDGE_PROMPT_VERSION, recallVerdict, verdictKey } from './verdicts.ts';

it('has a prompt version for exactly these prompts', () => {
  const pair = { index: 0, response: 'a', target: 'b' };
  const prompts = [
    judgeMessages({ kind: 'judge', scope: 's', criterion: 'c', pairs: [pair], attempt: 0 }),
    judgeMessages({ kind: 'align', scope: 's', vocabulary: ['a'], reference: ['b'], attempt: 0 }),
    qaJudgePrompt('q', ['a'], 'p'),
  ];
  // A new hash means new wording: raise JUDGE_PROMPT_VERSION, or stored verdicts of the old wording are taken for it.
  expect([JUDGE_PROMPT_VERSION, sha256(canonicalJson(prompts))]).toMatchInlineSnapshot(`
    [
      "1",
      "5ffce2139056a16f9ed349fb2fcf4a9ddab52d3799cf9712a33fa56677cf4301",
    ]
  `);
});

it('names a verdict by judge and subject, whatever the order of fields', () => {
  const subject = { kind: 'pair', criterion: 'c', response: 'a', target: 'b' } as const;
  const key = verdictKey('m', subject);
  expect(verdictKey('m', { target: 'b', response: 'a', criterion: 'c', kind: 'pair' })).toBe(key);
  for (const other of [
    { ...subject, target: 'x' },
    { ...subject, criterion: 'x' },
  ])
    expect(verdictKey('m', other)).not.toBe(key);
  expect(verdictKey('n', subject)).not.toBe(key);
});

it('does not trust a record of another shape', async () => {
  const journal = (value: unknown) => ({ recall: async () => value, record: async () => undefined });
  expect(await recallVerdict(journal({ value: 1, reply: 'r' }), 'k')).toEqual({
    value: 1,
    rationale: '',
    reply: 'r',
  });
  expect(await recallVerdict(journal({ value: 0.5, reply: 'r' }), 'k')).toBeUndefined();
  expect(await recallVerdict(journal(undefined), 'k')).toBeUndefined();
});
