import { describe, expect, it } from 'vitest';
import { stripChars } from './strip.ts';
import { compileTemplate } from './template.ts';

describe('strip with a set of characters', () => {
  it.each([
    ['strip', 'xy</answer>', '</answer>', 'xy'],
    ['lstrip', '\n\n  a\n', '\n', '  a\n'],
    ['rstrip', '\n  a  \n\n', '\n', '\n  a  '],
    ['strip', 'aaa', 'a', ''],
    ['strip', '🙂x🙂', '🙂', 'x'],
    ['strip', ' x ', '', ' x '],
  ] as const)('%s %j %j gives %j, as in Python', (method, text, chars, expected) => {
    expect(stripChars(method, text, chars)).toBe(expected);
  });

  it('is what templates get, nested calls included; without an argument white space goes', () => {
    const render = compileTemplate(
      "{{ messages[0].content.split('|')[-1].lstrip('\\n').rstrip('\\n') }}{{ ' x '.strip() }}{{ 'a'.upper() }}",
      {},
      'test',
    );
    const options = { addGenerationPrompt: false };
    expect(render([{ role: 'user', content: 'a|\n  b \n' }], [], options)).toBe('  b xA');
  });
});
