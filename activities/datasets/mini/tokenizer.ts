import { CHARACTERS, END, PAD, PHRASES, SPECIAL_TOKENS, UNK, VOCABULARY } from './vocabulary.ts';

/**
 * The word-level tokenizer in the form of a `tokenizer.json`: text is cut at the longest phrase that fits, what lies
 * between falls apart into characters. Only control text is an added token, so pages and reports are plain text to
 * whatever guards a prompt against control text. Decoding what was encoded gives the same text, except for characters
 * that are not printable ASCII.
 */
export function miniTokenizer(): Record<string, unknown> {
  const idOf = new Map(VOCABULARY.map((token, id) => [token, id]));
  const longestFirst = [...PHRASES].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const pattern = longestFirst.map((phrase) => phrase.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content) => ({
      id: idOf.get(content)!,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: UNK,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      // Whole phrases are taken as they are; there are no merges, so all else is characters.
      ignore_merges: true,
      vocab: Object.fromEntries([UNK, ...CHARACTERS, ...PHRASES].map((token) => [token, idOf.get(token)!])),
      merges: [],
    },
  };
}

/** The `tokenizer_config.json` that belongs to it. */
export const miniTokenizerConfig = (): Record<string, unknown> => ({
  tokenizer_class: 'PreTrainedTokenizerFast',
  eos_token: END,
  pad_token: PAD,
  unk_token: UNK,
  clean_up_tokenization_spaces: false,
  model_max_length: MAX_TOKENS,
});

/** Longest sequence of the miniature model. */
export const MAX_TOKENS = 1024;

/**
 * Its chat template: role, content, end, and nothing between messages, so that a conversation's tokens are a prefix of
 * those of its continuation. Tools are not shown; the model has learned them.
 */
export const MINI_TEMPLATE = `{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content -}}
{%- for call in message.tool_calls or [] -%}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' -}}
{{- call.function.arguments if call.function.arguments is string else call.function.arguments | tojson -}}
{{- '}\\n</tool_call>' -}}
{%- endfor -%}
{{- '<|im_end|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
`;
