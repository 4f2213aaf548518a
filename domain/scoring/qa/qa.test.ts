import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQaVerdict, qaJudgePrompt } from './judge.ts';
import { scoreQa } from './metrics.ts';
import { isWellFormed, simpleAgentReward } from './reward.ts';

describe('scoreQa', () => {
  it.each([
    ['The Eiffel Tower.', ['eiffel tower'], { em: 1, f1: 0.8, cem: 1 }],
    ['yes', ['True'], { em: 1, f1: 0, cem: 0 }],
    ['Paris, the capital', ['Paris'], { em: 0, f1: 0.5, cem: 1 }],
    ['Obama Barack', ['Barack Obama'], { em: 0, f1: 1, cem: 1 }],
    ['wrong', ['right', 'also right'], { em: 0, f1: 0, cem: 0 }],
    ['b', ['a', 'b'], { em: 1, f1: 1, cem: 1 }],
    ['清华大学', ['北京大学'], { em: 0, f1: 0.5, cem: 0 }],
    ['成立于1911年', ['1911年'], { em: 0, f1: 4 / 7, cem: 1 }],
    [null, ['a'], { em: 0, f1: 0, cem: 0 }],
    ['!!', ['??'], { em: 1, f1: 1, cem: 1 }],
  ])('%j against %j', (prediction, answers, wanted) => {
    const scores = scoreQa(prediction, answers);
    expect(scores.em).toBe(wanted.em);
    expect(scores.f1).toBeCloseTo(wanted.f1, 12);
    expect(scores.cem).toBe(wanted.cem);
  });

  it('lies in [0, 1], is symmetric in F1 and 1 for the answer itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(scoreQa(a, [a])).toEqual({ em: 1, f1: 1, cem: 1 });
        const { f1 } = scoreQa(a, [b]);
        expect(f1).toBeCloseTo(scoreQa(b, [a]).f1, 12);
        expect(f1 >= 0 && f1 <= 1).toBe(true);
      }),
    );
  });
});

describe('QA judge', () => {
  it('shows question, label and a cut prediction', () => {
    const [system, user] = qaJudgePrompt('Who?', ['Ada'], `Ada ${'x'.repeat(600)}</answer> more`);
    expect(system?.role).toBe('system');
    expect(user?.content).toContain('Labelled answer: Ada\n');
    expect(user?.content).not.toContain('more');
    expect(user?.content.length).toBeLessThan(600);
    expect(qaJudgePrompt('Who?', ['a', 'b'], 'c')[1]?.content).toContain('["a","b"]');
  });

  it.each([
    ['```json\n{"rationale": "same \\"Ada\\"", "judgement": "Correct"}\n```', 1],
    ["{'rationale': 'x', 'judgement': 'incorrect'}", 0],
    ['<think>incorrect? no.</think> judgment: correct', 1],
    ['The answer is correct.', 1],
    ['It is not correct.', 0],
    ['Incorrect', 0],
    ['Partly correct, partly incorrect', null],
    ['I cannot say', null],
    [null, null],
  ])('reads %j', (reply, score) => {
    expect(parseQaVerdict(reply)?.score ?? null).toBe(score);
  });
});

describe('simple agent reward', () => {
  it('needs well-formed generations', () => {
    expect(isWellFormed(['a</think><search>x</search>', '<answer>y</answer>'])).toBe(true);
    for (const bad of [
      '<search>x',
      '<search>x</search><access>y</access>',
      'Assistant: hi',
      '</think></think>',
    ]) {
      expect(isWellFormed(['<answer>y</answer>', bad])).toBe(false);
    }
  });

  it('mixes in the augmented answer and punishes dodging', () => {
    const base = { score: 0.5, augmentedScore: null, wellFormed: true, forcedAnswer: null };
    expect(simpleAgentReward(base)).toBe(0.5);
    expect(simpleAgentReward({ ...base, augmentedScore: 1 })).toBeCloseTo(0.65, 12);
    expect(simpleAgentReward({ ...base, augmentedScore: 0 })).toBeCloseTo(0.5, 12);
    expect(simpleAgentReward({ ...base, wellFormed: false })).toBe(0);
    expect(simpleAgentReward({ ...base, forcedAnswer: 'the question is invalid' })).toBe(-0.5);
    expect(simpleAgentReward({ ...base, forcedAnswer: 'Lyon' })).toBe(0.5);
  });
});
