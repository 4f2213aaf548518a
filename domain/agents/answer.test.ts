import { describe, expect, it } from 'vitest';
import { extractBoxed, visibleText } from './answer.ts';

describe('extractBoxed', () => {
  it('takes the last box, braces balanced', () => {
    expect(extractBoxed('\\boxed{a} then \\boxed{\\frac{1}{2} }')).toBe('\\frac{1}{2}');
  });

  it('finds nothing in a box that never closes, or in no box', () => {
    expect(extractBoxed('\\boxed{a')).toBeNull();
    expect(extractBoxed('boxed{a}')).toBeNull();
  });
});

describe('visibleText', () => {
  it('is what follows the last closing think tag, up to the end marker', () => {
    expect(visibleText('<think>a</think> b <think>c</think>\n d <|im_end|> e')).toBe('d');
  });

  it('is the whole text where there is no thinking', () => {
    expect(visibleText(' plain answer ')).toBe('plain answer');
  });
});
