import type { Language } from '../../domain/agents/messages.ts';
import { isChinese } from '../../domain/scoring/qa/text.ts';

/**
 * Language of one record: what its `language` field says, else `zh` in its id (`ws_zh_001`), else the question's own
 * characters. Text with Japanese kana is not Chinese.
 */
export function languageOf(record: { language?: unknown; id?: string; question: string }): Language {
  const said = typeof record.language === 'string' ? record.language.toLowerCase() : '';
  if (said.startsWith('zh') || said.startsWith('chinese') || said === 'cn') return 'zh';
  if (said.startsWith('en')) return 'en';
  if (/(^|[_-])zh([_-]|$)/i.test(record.id ?? '')) return 'zh';
  return isChinese(record.question) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(record.question)
    ? 'zh'
    : 'en';
}
