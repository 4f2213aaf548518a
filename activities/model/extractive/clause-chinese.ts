/** The value that a Chinese sentence gives for what it names between `start` and `end`; null where no pattern fits. */
export function valueAroundHan(
  sentence: string,
  start: number,
  end: number,
): { value: string; trust: number } | null {
  const before =
    sentence
      .slice(0, start)
      .split(/[，,。；;]/u)
      .at(-1) ?? '';
  const after = sentence.slice(end);
  const told =
    /^(?:城市|名称|的?(?:\S{1,4})?代码)?(?:[（(][^）)]*[）)]|[）)])?(?:主要|分别|共有\d*[种个]?)?(?:是|为|有|包括|包含|叫做?|称为|设[在于]|位于|[:：])\s*([^，。；;]+)/u.exec(
      after,
    )?.[1];
  if (told) return { value: clean(told), trust: 1 };
  const subject =
    /^(.+?)(?:是|为|作为|担任|享有|被定为|被用作)(?:其|它的|该\S{1,3}的|\S{1,8}的)?\S{0,2}$/u.exec(
      before,
    )?.[1];
  const using = /(?:以|将|把|使用|采用)([^，。；]+?)(?:为|作为|作|当作)\S{0,2}$/u.exec(before)?.[1];
  const value = using ?? subject;
  if (value && !/^(?:它|其|该|这|此)/u.test(value)) return { value: clean(value), trust: 0.9 };
  const verb = /^(?:[，。；;]|的|$)/u.test(after);
  const shared = verb ? /(?:与|同|和)([^，。；]+?)$/u.exec(before)?.[1] : undefined;
  if (shared && !shared.endsWith('的')) return { value: clean(shared), trust: 0.85 };
  const direct = /^\s*([\p{Lu}][^，。；;]*|“[^”]+”|[^，。；;\s是为的]{2,})/u.exec(after)?.[1];
  return direct && direct.length <= 40 ? { value: clean(direct), trust: 0.6 } : null;
}

const clean = (text: string): string =>
  text
    .replace(/^(?:以下|这些)?[:：\s“"]+|[\s”"。]+$/gu, '')
    .replace(/^(?:约|大约|达|共|了)/u, '')
    .trim();
