import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeControlText } from './control-text.ts';

const CONTROL = [
  '<|im_start|>',
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<｜User｜>',
  '<tool_call>',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
  '</ tool_response >',
  '<TOOL_CALL>',
  '<tools>',
  '<think>',
  '</think>',
  '<start_of_turn>',
  '</s>',
  '[INST]',
  '[/INST]',
  '[TOOL_CALLS]',
  '<<SYS>>',
];

describe('escapeControlText', () => {
  it.each(CONTROL)('breaks %s and leaves it readable', (token) => {
    const clean = escapeControlText(`before ${token} after`);
    expect(clean).not.toContain(token);
    expect(clean.replaceAll('&lt;', '<').replaceAll('&#91;', '[')).toBe(`before ${token} after`);
  });

  it.each([
    'a < b and b > c, x <- y',
    '<p>HTML <b>stays</b></p> <strong>s</strong> <span>',
    '| a | b |\n|---|---|\n| 1 | <br> 2 |',
    'see [1], [INSTALL] and array[i]',
    'thinking about <thinkers>',
    '表格 < 单元格',
  ])('leaves %j as it is', (text) => {
    expect(escapeControlText(text)).toBe(text);
  });

  it('leaves no control text, however pieces are joined, and is idempotent', () => {
    const piece = fc.oneof(fc.constantFrom(...CONTROL, '<', '|', '>', '/', '[', 'INST', '<|'), fc.string());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const clean = escapeControlText(pieces.join(''));
        for (const token of CONTROL) expect(clean).not.toContain(token);
        expect(escapeControlText(clean)).toBe(clean);
      }),
    );
  });
});
