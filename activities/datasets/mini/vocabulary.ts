import { ANSWER, LEAD_CALL, MEMBERS_OF, REPORT, SINGLE_CALL, SUBAGENT_CALL, UNKNOWN } from './phrases.ts';
import { ATTRIBUTES, FIRST_NAMES, GROUP_ADJECTIVES, GROUP_NOUNS, LAST_NAMES, LIST_PHRASES } from './pools.ts';

export const PAD = '<|pad|>';
export const UNK = '<|unk|>';
/** Ends every message; the model's own end of a reply. */
export const END = '<|im_end|>';
export const messageStart = (role: string): string => `<|im_start|>${role}\n`;

/** Control text of the chat template. Nothing else may hold it. */
export const SPECIAL_TOKENS: readonly string[] = [
  PAD,
  UNK,
  END,
  ...['system', 'user', 'assistant', 'tool'].map(messageStart),
];

/** Any other text falls apart into these: printable ASCII and the line break. */
export const CHARACTERS: readonly string[] = [
  '\n',
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
];

const words = (list: readonly string[]): string[] => list.map((word) => ` ${word}`);

/**
 * Whole words and phrases. The longest that fits at a place is taken there; one that is only one character long is
 * a character already.
 */
export const PHRASES: readonly string[] = [
  ...new Set([
    ...['lead', 'subagent', 'single', 'Question:', 'Task:', '\n-', 'error', '[', ']'],
    ...[LEAD_CALL, SUBAGENT_CALL, SINGLE_CALL, ANSWER, REPORT].flatMap((texts) => Object.values(texts)),
    ...[' List every member of', MEMBERS_OF, ' of', ' with', ' and'],
    ...words([UNKNOWN, ...ATTRIBUTES.map(({ name }) => name)]),
    ...LIST_PHRASES,
    ...ATTRIBUTES.flatMap(({ phrases }) => phrases),
    ...words([...GROUP_ADJECTIVES, ...GROUP_NOUNS, ...FIRST_NAMES, ...LAST_NAMES]),
    ...words(ATTRIBUTES.flatMap(({ values }) => values)),
  ]),
].filter((phrase) => phrase.length > 1);

/** Tokens by id. */
export const VOCABULARY: readonly string[] = [...SPECIAL_TOKENS, ...CHARACTERS, ...PHRASES];
