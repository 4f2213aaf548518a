import type { Language } from './messages.ts';

/** What the machine says to an agent between turns. Workflows carry the English sentence; the prompt's language is chosen later. */
export const ANSWER_NOW =
  'This was no answer. Write the final answer now, in the form that was asked for, and nothing else.';
export const CHECK_FIRST =
  'Noted, not accepted yet: check it once more, with another source or from another side, then give it again, corrected where needed.';
export const NOTHING_DONE =
  'Your reply has neither a tool call nor a final answer. Call one tool, or give the answer in the form that was asked for.';
export const CUT = 'Your reply was cut because it was too long. Think less, and call a tool or answer.';
export const ASKED_BEFORE = 'You asked for this before; nothing was fetched again. The earlier result:';

const CHINESE: ReadonlyMap<string, string> = new Map([
  [ANSWER_NOW, '这不是答案。请现在按要求的形式写出最终答案，不要写其他内容。'],
  [CHECK_FIRST, '已记下，但暂不采纳：请再用另一来源或从另一角度核实一次，然后重新给出答案，如有错误请更正。'],
  [NOTHING_DONE, '你的回复既没有调用工具，也没有最终答案。请调用一个工具，或按要求的形式给出答案。'],
  [CUT, '你的回复过长，已被截断。请少想一些，调用工具或作答。'],
  [ASKED_BEFORE, '这一请求之前已经提出过，没有重新获取。先前的结果：'],
]);

/** A remark in the agent's language; any other text as it is. */
export const remarkIn = (text: string, language: Language): string =>
  language === 'zh' ? (CHINESE.get(text) ?? text) : text;
