import { describe, expect, it } from 'vitest';
import { seekInputSchema } from '../../domain/run.ts';
import { evaluateInputSchema } from '../../domain/scoring/evaluation-plan.ts';
import { checkInput } from './input.ts';

const refused = (message: RegExp) => ({
  type: 'InvalidInput',
  retryable: false,
  message: expect.stringMatching(message) as string,
});
const problem = (check: () => unknown): unknown => {
  try {
    return check();
  } catch (error) {
    return error;
  }
};

describe('the input of a workflow', () => {
  it('gets its defaults', () => {
    expect(checkInput(seekInputSchema, { question: ' Which clubs? ' })).toEqual({
      question: 'Which clubs?',
      config: 'ask',
      set: {},
    });
    expect(checkInput(evaluateInputSchema, { config: 'sample' })).toEqual({
      config: 'sample',
      set: {},
      resume: false,
      mix: false,
    });
  });

  it.each([
    [undefined, /^input: /],
    ['Which clubs?', /^input: /],
    [{}, /^question: /],
    [{ question: '  ' }, /^question: must not be empty$/],
    [{ question: 'x', confg: 'ask' }, /^input: .*confg/],
    [{ question: 'x', set: { 'agents.width': [] } }, /^set\.agents\.width: /],
  ])('of seek: %j is refused with the name of the field', (input, message) => {
    expect(problem(() => checkInput(seekInputSchema, input))).toMatchObject(refused(message));
  });

  it.each([
    [{}, /^config: /],
    [{ config: 'sample', limit: 0 }, /^limit: /],
    [{ config: 'sample', gate: { tolerance: 2 } }, /^gate\.tolerance: /],
  ])('of evaluate: %j is refused with the name of the field', (input, message) => {
    expect(problem(() => checkInput(evaluateInputSchema, input))).toMatchObject(refused(message));
  });
});
