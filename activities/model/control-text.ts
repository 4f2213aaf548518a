/** Names of tags that are control text for the chat templates and tool-call parsers we talk to. */
const TAGS = [
  'tool_call',
  'tool_calls',
  'tool_response',
  'tools',
  'tool_use',
  'function_call',
  'think',
  'thinking',
  's',
  'start_of_turn',
  'end_of_turn',
  'bos',
  'eos',
  'unk',
  'pad',
];
/** `<tag>`, `</tag>` and loose spellings; every `<|` (ChatML, Llama) and DeepSeek's full-width form. */
const ANGLE = new RegExp(`<(?=\\s*/?\\s*(?:${TAGS.join('|')})\\s*/?>|[|｜])`, 'gi');
/** Mistral's and Llama 2's markers. */
const SQUARE = /\[(?=\/?(?:INST|SYS|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\])/g;
const SYS = /<(?=<\/?SYS>>)/g;

/**
 * Makes sure that text from outside (pages, tool results, questions) cannot act as control text: special tokens
 * such as `<|im_start|>` and tags such as `</tool_response>` lose their first character to its HTML entity, and
 * everything else stays byte for byte. Idempotent.
 */
export function escapeControlText(text: string): string {
  return text.replace(ANGLE, '&lt;').replace(SYS, '&lt;').replace(SQUARE, '&#91;');
}
